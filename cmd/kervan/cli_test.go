package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRule10_1_Usage(t *testing.T) {
	ofRun, ofAll := "Usage: kervan run <spec> [flags]", "Usage: kervan <command> [flags]"
	for _, test := range []struct {
		args string // parted at blanks
		code int
		want []string
	}{
		{"", 1, []string{ofAll, "run    Serve the tools"}},
		{"--help", 0, []string{ofAll, "run    Serve the tools", "--version"}},
		{"-h", 0, []string{ofAll}},
		{"run --help", 0, []string{ofRun, "--allowed-host=HOST", "--deny-network=CIDR", "Over HTTP:"}},
		{"run x.yaml --http --help", 0, []string{ofRun}},
		{"bogus", 1, []string{"Error: ", "bogus", ofAll}},
		{"RUN x.yaml", 1, []string{"Error: ", ofAll}},
		{"--bogus", 1, []string{"Error: ", "--bogus", ofAll}},
		{"run", 1, []string{"Error: ", "<spec>", ofRun}},
		{"run a.yaml b.yaml", 1, []string{"Error: ", "b.yaml", ofRun}},
		{"run a.yaml --bogus", 1, []string{"Error: ", "--bogus", ofRun}},
		{"run a.yaml --port", 1, []string{"Error: ", "--port", ofRun}},
		{"run a.yaml --port -1", 1, []string{"Error: --port: must be a number from 0 to 65535", ofRun}},
		{"run a.yaml --port --http", 1, []string{"Error: --port: must be a number", ofRun}},
		{"run a.yaml --port=-1", 1, []string{"Error: --port: must be a number from 0 to 65535", ofRun}},
		{"run a.yaml --port abc", 1, []string{"Error: --port: must be a number from 0 to 65535", ofRun}},
		{"run a.yaml --port 65536", 1, []string{"Error: --port: must be a number"}},
		{"run a.yaml --port 1.5", 1, []string{"Error: --port: must be a number"}},
		{"run a.yaml --port 0x10", 1, []string{"Error: --port: must be a number"}},
		{"run a.yaml --port +1", 1, []string{"Error: --port: must be a number"}},
		{"run a.yaml --port=", 1, []string{"Error: --port: must be a number"}},
		{"run a.yaml --http=maybe", 1, []string{"Error: ", "--http", ofRun}},
		{"run a.yaml --env-file", 1, []string{"Error: ", "--env-file", ofRun}},
		{"run a.yaml -- --http", 1, []string{"Error: ", ofRun}},
		{"version", 1, []string{"Error: ", ofAll}},
	} {
		t.Run(test.args, func(t *testing.T) {
			code, out, messages := runHere(t, strings.Fields(test.args)...)
			assert.Equal(t, test.code, code)
			assert.Empty(t, out, "messages belong to standard error")
			for _, want := range test.want {
				assert.Contains(t, messages, want)
			}
			failed := test.code == 1 && test.args != ""
			assert.Equal(t, failed, strings.Contains(messages, "Error: "))
			assert.LessOrEqual(t, strings.Count(messages, "Error: "), 1)
		})
	}
}

// TestRule10_1_EveryFlagHasHelp finds texts that are missing or not used.
func TestRule10_1_EveryFlagHasHelp(t *testing.T) {
	_, _, help := runHere(t, "run", "--help")
	_, _, general := runHere(t, "--help")
	words := strings.Join(strings.Fields(help+general), " ") // as if nothing had been wrapped
	for name, text := range helpTexts {
		assert.Contains(t, words, text, name)
	}
	assert.NotContains(t, words, "${")
}

func TestRule10_1_Version(t *testing.T) {
	for _, args := range [][]string{{"--version"}, {"run", "x.yaml", "--version"}} {
		code, out, messages := runBinary(t, nil, args...)
		assert.Equal(t, 0, code)
		assert.Regexp(t, `^kervan \S+ \(go1\.\d+.*, \w+/\w+\)\n$`, out)
		assert.Empty(t, messages)
	}
}

// TestRule10_1_Binary tries a few exit codes in the real program.
func TestRule10_1_Binary(t *testing.T) {
	for _, test := range []struct {
		args []string
		code int
	}{
		{nil, 1}, {[]string{"--help"}, 0}, {[]string{"run", "--help"}, 0}, {[]string{"bogus"}, 1},
		{[]string{"run", "missing.yaml"}, 1}, {[]string{"run", "a", "b"}, 1},
	} {
		code, out, messages := runBinary(t, nil, test.args...)
		assert.Equal(t, test.code, code, "%q", test.args)
		assert.Empty(t, out)
		assert.NotEmpty(t, messages)
		assert.NotContains(t, messages, "goroutine")
	}
}

// TestRule10_7_HostileArguments: what was typed is shown, and cannot act.
func TestRule10_7_HostileArguments(t *testing.T) {
	const osc = "\x1b]52;c;aGk=\a\u009b31m\u202e\nkervan: serving on http://evil"
	for _, args := range [][]string{
		{osc}, {"run", "a", osc}, {"run", osc}, {"run", "a", "--" + osc}, {"run", "a", "--port", osc}, {"run", "a", "--http", "--path", osc},
		{"run", "a", "--http", "--host", osc}, {"run", "a", "--http", "--allowed-host", osc}, {"run", "a", "--http", "--allowed-origin", osc},
		{"run", "a", "--env-file", osc}, {"run", "a", "--deny-network", osc}, {"run", "a", "--http", "--auth-token-env", osc}, {"run", osc, "--watch"},
	} {
		code, _, messages := runHere(t, args...)
		assert.Equal(t, 1, code)
		assertVisible(t, messages)
		assert.NotContains(t, messages, "\nkervan: serving", "%q", args)
	}
}

func assertVisible(t *testing.T, messages string) {
	t.Helper()
	for _, r := range messages {
		if r != '\n' && (r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u202e' || r == '\ufffd') {
			t.Fatalf("%q holds %U", messages, r)
		}
	}
}
