package spec

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
)

func FuzzLoad(f *testing.F) {
	for _, s := range []string{
		whole, strings.ReplaceAll(whole, "\n", "\r\n"), "{", "a: &a [*a]", "- - -", "? {a: b}\n: c", "!!x y", "%YAML 1.2\n---\n",
		inFile("vars: [V]\nsecrets: [S_TOKEN, {name: T_TOKEN, hosts: [h]}]\ndefaults: {http: {timeoutMs: 100}}\n", someInput+"http: {url: 'https://h/{{input.id}}', method: POST, body: {a: '{{input.city.name}}'}, headers: {A: '{{secrets.T_TOKEN}}'}}\noutput: {select: a, schema: {type: object, properties: {a: {enum: [1, x]}}}}"),
		inHTTP("url: https://h/?a=b\nquery: {a: [1, '{{input.x}}']}\nfollowRedirects: 0x5"),
		inInput("properties: {a: {$ref: '#/properties/a'}}"),
		"name: \"\\u202e\"\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		start := time.Now()
		s, err := Load(context.Background(), data, quietOptions())
		if took := time.Since(start); took > 5*time.Second && len(data) < 64<<10 {
			t.Fatalf("took %v", took)
		}
		if err != nil {
			checkLoadError(t, data, err)
			return
		}
		defer s.Close()
		// What loads can be registered, and stays the same when it is loaded again.
		var r kervan.MemoryRegistry
		require.NoError(t, Apply(&r, s))
		again, err := Load(context.Background(), data, quietOptions())
		require.NoError(t, err)
		defer again.Close()
		tools := r.Tools()
		require.NoError(t, Apply(&r, again))
		require.Same(t, &tools[0], &r.Tools()[0])
	})
}

func checkLoadError(t *testing.T, data []byte, err error) {
	t.Helper()
	var e *LoadError
	require.True(t, errors.As(err, &e), "%v", err)
	requireVisible(t, err.Error())
	lines := 1 + strings.Count(string(data), "\n") + strings.Count(string(data), "\r")
	found := false
	for _, i := range e.Issues {
		require.NotEmpty(t, i.Message)
		require.NotContains(t, i.Path+i.Message, "\n")
		if i.Severity == SeverityError && len(data) <= maxFileSize {
			found = true
			require.True(t, i.Line >= 1 && i.Line <= lines && i.Column >= 1, "%d:%d of %d lines", i.Line, i.Column, lines)
		}
	}
	require.True(t, found || len(data) > maxFileSize)
}
