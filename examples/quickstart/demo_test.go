package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func runDemo(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), nil, &out))
	return out.String()
}

func TestDemo(t *testing.T) {
	out := runDemo(t)
	for _, want := range []string{
		"2026-03-01T12:00:00Z",
		"Protocol 2026-07-28: every request stands alone\n===",
		"Protocol 2025-11-25: a handshake opens a session\n===",
		"convert_time(time, from, to, prefer?)",
		"Europe/Istanbul",
		"does not exist in Europe/Berlin",
		"Near names: Europe/Istanbul",
		"Input validation error",
		`Internal error in tool "broken_sundial" (ref: `,
		"claude mcp add worldclock -- go run ./examples/quickstart --stdio",
	} {
		assert.Contains(t, out, want)
	}
	for _, s := range sections {
		assert.Contains(t, out, "## "+s.heading+"\n")
	}
	assert.NotContains(t, out, "\x1b", "no control sequences outside a terminal")
	for line := range strings.Lines(out) {
		assert.LessOrEqual(t, len(strings.TrimRight(line, "\n")), lineWidth, line)
		assert.Equal(t, strings.TrimRight(line, " \n"), strings.TrimRight(line, "\n"), "blanks at the end")
	}
}

func TestDemoMasksTheSecret(t *testing.T) {
	client, operator, ok := strings.Cut(runDemo(t), "## What the operator sees")
	require.True(t, ok)
	assert.NotContains(t, client, "not-a-real-password")
	assert.Contains(t, operator, "not-a-real-password")
	ref := regexp.MustCompile(`ref: ([0-9a-f]{8})`).FindStringSubmatch(client)
	require.NotNil(t, ref)
	assert.Contains(t, operator, ref[1], "the client's reference finds the log line")
}

func TestDemoErasAgree(t *testing.T) {
	_, old, ok := strings.Cut(runDemo(t), "Protocol "+oldEra)
	require.True(t, ok)
	calls := 0
	for _, s := range sections {
		calls += len(s.calls)
	}
	assert.Equal(t, calls, strings.Count(old, ": the same answer\n"))
	assert.NotContains(t, old, "ANOTHER ANSWER")
}

func TestDemoIsDeterministic(t *testing.T) {
	refs := regexp.MustCompile(`\b[0-9a-f]{8}\b`)
	first, second := runDemo(t), runDemo(t)
	assert.Equal(t, refs.ReplaceAllString(first, "ref"), refs.ReplaceAllString(second, "ref"))
}

func TestClientConfigurations(t *testing.T) {
	for _, c := range clients[1:] {
		assert.True(t, json.Valid([]byte(c.text)), c.heading)
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestDemoReportsAWriteError(t *testing.T) {
	assert.ErrorIs(t, run(t.Context(), nil, brokenWriter{}), errBroken)
}
