package httptool

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

func TestRule8_3_ResponseJSON(t *testing.T) {
	for in, want := range map[string]string{
		" { \"a\" : [ 1 , 2 ] } \n": `{"a":[1,2]}`,
		`{"b":1,"a":2}`:             `{"b":1,"a":2}`, // the order stays
		`12345678901234567890123`:   `12345678901234567890123`,
		`1.50`:                      `1.50`,
		`1e5000000`:                 `1e5000000`,
		`"\u0041\/<"`:               `"A/<"`,
		`null`:                      `null`,

		// What only strict readers refuse.
		`{"a":1,"b":2,"a":3}`:           `{"a":3,"b":2}`,
		`{"a":1,"\u0061":[2]}`:          `{"a":[2]}`,
		`[{"a":{"x":1,"x":2},"a":{}}]`:  `[{"a":{}}]`,
		`{"a":{"x":1,"x":2.0},"b":[1]}`: `{"a":{"x":2.0},"b":[1]}`,
		`"cut \ud83d"`:                  `"cut ` + "\uFFFD" + `"`,
		`"\ude00\ud83d\ude00"`:          `"` + "\uFFFD😀" + `"`,
		`{"\ud83d":1,"\ud83d":2}`:       `{"` + "\uFFFD" + `":2}`,
		`{"a":1,"a":true,"b":"é\"\\"} `: `{"a":true,"b":"é\"\\"}`,
	} {
		got, err := canonical([]byte(in))
		require.NoError(t, err, in)
		require.Equal(t, want, string(got), in)
	}
}

func TestRule8_3_ResponseJSONRefused(t *testing.T) {
	for _, in := range []string{
		"", " ", "{", `{"a":1`, `{"a":1,}`, `[1,]`, `{'a':1}`, `{a:1}`, "01", "1.", ".5", "+1", "NaN", "nul", `"a`, "\"\x01\"", `"\x"`, `"\u12"`,
		`{} {}`, `{}x`, "{}\x00", `{"a":1,"a":2} x`, `{"a":1,"a":2`, `/**/{}`, "\"\xff\"", `"\ud83d" 1`, `{"a":1,"a":2}{}`,
		strings.Repeat("[", 1001) + strings.Repeat("]", 1001),
		strings.Repeat("[", 100_000),
	} {
		_, err := canonical([]byte(in))
		var fault *jsonx.Error
		require.ErrorAs(t, err, &fault, "%.50q", in)
	}
	_, err := canonical([]byte(strings.Repeat("[", 1000) + strings.Repeat("]", 1000)))
	require.NoError(t, err)
}

// FuzzResponseJSON: what is accepted is strict JSON, and means what it meant to
// an ordinary reader.
func FuzzResponseJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.50,"x"],"b":null}`, `{"a":1,"a":2}`, `"\ud83d"`, `{"\ud83d\ude00":1e400}`, `[[],{}]`, " 1 "} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := canonical(data)
		var fault *jsonx.Error
		if err != nil {
			require.ErrorAs(t, err, &fault)
			require.True(t, !json.Valid(data) || !utf8.Valid(data) || fault.Kind == jsonx.TooDeep, "%s: %v", data, err)
			return
		}
		again, err := jsonx.AppendCanonical(nil, got)
		require.NoError(t, err)
		require.Equal(t, string(got), string(again))
		require.Equal(t, read(t, data), read(t, got))
	})
}

func read(t *testing.T, data []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	require.NoError(t, dec.Decode(&v))
	require.False(t, errors.Is(dec.Decode(new(any)), nil))
	return v
}
