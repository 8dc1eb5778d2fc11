package jsonx

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func fault(t *testing.T, err error) *Error {
	t.Helper()
	var e *Error
	require.ErrorAs(t, err, &e)
	return e
}

func TestRule1_6_ParseKeepsValues(t *testing.T) {
	tree, err := Parse([]byte(` {"a":[1,1.0,-0,1e2,9007199254740993],"b":{"c":null,"d":true,"é":"\u00e9\ud83d\ude00"},"e":false} `), Limits{})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{
		"a": []any{json.Number("1"), json.Number("1.0"), json.Number("-0"), json.Number("1e2"), json.Number("9007199254740993")},
		"b": map[string]any{"c": nil, "d": true, "é": "é😀"},
		"e": false,
	}, tree)
}

func TestRule1_6_ParseRefuses(t *testing.T) {
	digits := strings.Repeat("9", 41)
	for _, c := range []struct {
		name, in, pointer string
		limits            Limits
		kind              Kind
	}{
		{"empty", "", "", Limits{}, Syntax},
		{"byte order mark", "\ufeff{}", "", Limits{}, Syntax},
		{"cut", `{"a":[1,`, "/a/1", Limits{}, Syntax},
		{"trailing comma", `[1,]`, "/1", Limits{}, Syntax},
		{"single quotes", `{'a':1}`, "", Limits{}, Syntax},
		{"NaN", `[NaN]`, "/0", Limits{}, Syntax},
		{"leading zero", `[01]`, "/0", Limits{}, Syntax},
		{"control character", "[\"a\x01\"]", "/0", Limits{}, Syntax},
		{"second value", `{} {}`, "", Limits{}, Trailing},
		{"garbage after", `1 x`, "", Limits{}, Trailing},
		{"duplicate", `{"a":1,"a":2}`, "/a", Limits{}, Duplicate},
		{"duplicate by escape", `{"x":[{"method":1,"\u006dethod":2}]}`, "/x/0/method", Limits{}, Duplicate},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", "/a", Limits{}, Encoding},
		{"invalid UTF-8 key", "{\"\xff\":1}", "", Limits{}, Encoding},
		{"lone surrogate", `["\ud800"]`, "/0", Limits{}, Encoding},
		{"lone low surrogate", `["\udc00x"]`, "/0", Limits{}, Encoding},
		{"depth", `[[[1]]]`, "/0/0", Limits{Depth: 2}, TooDeep},
		{"depth of objects", `{"a":{"b":{}}}`, "/a/b", Limits{Depth: 2}, TooDeep},
		{"elements", `{"a":[1,2,3]}`, "/a", Limits{Elements: 3}, TooMany},
		{"members", `[{"a":1}]`, "/0", Limits{Elements: 1}, TooMany},
		{"long number", `{"n":` + digits + `}`, "/n", Limits{}, Number},
		{"big exponent", `[1e1000]`, "/0", Limits{}, Number},
		{"huge exponent", `[1e5000000]`, "/0", Limits{}, Number},
		{"negative exponent", `[1E-1000]`, "/0", Limits{}, Number},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.in), c.limits)
			e := fault(t, err)
			assert.Equal(t, c.kind, e.Kind, e.Error())
			if c.kind != Syntax && c.kind != Encoding {
				assert.Equal(t, c.pointer, e.Pointer)
			}
			assert.NotEmpty(t, e.Detail)
			assert.NotContains(t, e.Detail, "jsontext")
			assert.Less(t, len(e.Detail), 130)
		})
	}
}

func TestRule1_6_ParseAtTheLimits(t *testing.T) {
	for _, c := range []struct {
		in     string
		limits Limits
	}{
		{`[[1]]`, Limits{Depth: 2}},
		{`{"a":[1,2,3]}`, Limits{Elements: 4}},
		{`[` + strings.Repeat("9", 40) + `,1e999,1e-999,1e+000999]`, Limits{}},
		{strings.Repeat("[", 1000) + strings.Repeat("]", 1000), Limits{}},
	} {
		_, err := Parse([]byte(c.in), c.limits)
		assert.NoError(t, err)
	}
}

func TestRule1_6_DeepDocumentIsCheap(t *testing.T) {
	deep := []byte(strings.Repeat("[", 200_000))
	start := time.Now()
	for range 10 {
		_, err := Parse(deep, Limits{})
		assert.Equal(t, TooDeep, fault(t, err).Kind)
		_, err = AppendCanonical(nil, deep)
		assert.Equal(t, TooDeep, fault(t, err).Kind)
	}
	assert.Less(t, time.Since(start), 5*time.Second)
}

func TestRule1_6_Canonical(t *testing.T) {
	for in, want := range map[string]string{
		` { "\u006dethod" : [ 1.0 , 1E+2, -0 ] , "a":"\u003c\/\u00e9" } `: `{"method":[1.0,1E+2,-0],"a":"</é"}`,
		`{"b":1,"a":9007199254740993}`:                                    `{"b":1,"a":9007199254740993}`,
		"\"\u2028\u2029<>&\"":                                             `"\u2028\u2029<>&"`,
		`"\u000a\u0001\u007f"`:                                            "\"\\n\\u0001\u007f\"",
		`[1e5000000]`:                                                     `[1e5000000]`,
	} {
		out, err := AppendCanonical([]byte("x"), []byte(in))
		require.NoError(t, err)
		assert.Equal(t, "x"+want, string(out))
	}
}

func TestRule1_6_CanonicalRefuses(t *testing.T) {
	for in, kind := range map[string]Kind{
		`{"a":1,"\u0061":2}`:          Duplicate,
		`[{"x":{"a":1,"a":2}}]`:       Duplicate,
		"\"\xff\"":                    Encoding,
		`"\ud800"`:                    Encoding,
		`{} []`:                       Trailing,
		``:                            Syntax,
		"\ufeff1":                     Syntax,
		strings.Repeat(`{"a":`, 1001): TooDeep,
	} {
		out, err := AppendCanonical([]byte("x"), []byte(in))
		assert.Equal(t, kind, fault(t, err).Kind, "%.40s: %v", in, err)
		assert.Equal(t, "x", string(out))
	}
}

func TestRule1_6_CheckNumbers(t *testing.T) {
	good := []byte(`{"a":[1,-2.5e10,"1e5000000","\"1e5000"],"1e9999":0}`)
	require.NoError(t, CheckNumbers(good))
	assert.Zero(t, testing.AllocsPerRun(10, func() { _ = CheckNumbers(good) }))

	err := CheckNumbers([]byte(`{"a":[1,{"b":1e5000000}]}`))
	assert.Equal(t, &Error{Kind: Number, Pointer: "/a/1/b", Detail: detailBigExponent}, err)
	err = CheckNumbers([]byte(strings.Repeat("1", 41)))
	assert.Equal(t, &Error{Kind: Number, Detail: detailLongNumber}, err)
}

func TestRule1_10_AppendString(t *testing.T) {
	for in, want := range map[string]string{
		"a\"\\\n\x00\x1f":  `"a\"\\\n\u0000\u001f"`,
		"<&>é\u2028\u2029": `"<&>é\u2028\u2029"`,
		"a\xffb\xc3":       "\"a\uFFFDb\uFFFD\"",
		"\b\f\r\t":         `"\b\f\r\t"`,
	} {
		assert.Equal(t, want, string(AppendString(nil, in)))
	}
}

func TestAppendValueOfOtherTypes(t *testing.T) {
	got := AppendValue(nil, []any{1, int64(-2), uint64(18446744073709551615), 0.5, 9007199254740992.0,
		json.RawMessage(`{"a":1}`), json.RawMessage(nil), struct{}{}, json.Number("1.50")})
	assert.Equal(t, `[1,-2,18446744073709551615,0.5,9007199254740992,{"a":1},null,null,1.50]`, string(got))
}

func TestRule1_10_AppendValueAndEncodeAgreeOnFloats(t *testing.T) {
	for _, f := range []float64{0, 1, -1.5, 1e-6, 1e-7, 1.25e-9, 1e-100, 1e20, 1e21, -1e300, 123456789.125, 1 << 60} {
		encoded, err := Encode(f)
		require.NoError(t, err)
		assert.Equal(t, string(encoded), string(AppendValue(nil, f)))
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,1.0,-0,1e2,9007199254740993],"b":{"c":null}}`, `{"a":1,"a":2}`, `"\ud800"`, "\"\xff\u2028\"",
		`[[[[]]]]`, `1e5000000`, ` [ ] `, `{"":{"/~":"\u0000"}}`, "\ufeff{}", `{} {}`, `-`, `"`, `[1,]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := Parse(data, Limits{})
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Detail == "" {
				t.Fatalf("not an explained error: %v", err)
			}
			return
		}
		canonical, err := AppendCanonical(nil, data)
		require.NoError(t, err)
		require.NoError(t, CheckNumbers(data))
		again, err := Parse(canonical, Limits{})
		require.NoError(t, err)
		require.Equal(t, tree, again)
		written := AppendValue(nil, tree)
		same, err := AppendCanonical(nil, written)
		require.NoError(t, err)
		require.Equal(t, string(written), string(same))
		var decoded any
		require.NoError(t, Decode(data, &decoded))
		require.Equal(t, tree, decoded)
		encoded, err := Encode(decoded)
		require.NoError(t, err)
		require.Equal(t, string(written), string(encoded))
	})
}

func BenchmarkParse(b *testing.B) {
	data := []byte(`{"query":"open issues","limit":50,"offset":0,"tags":["a","b","c"],"filter":{"state":"open","author":"x","since":"2024-01-01T00:00:00Z"},"exact":true,"score":0.75,"page":9007199254740993}`)
	b.Run("small", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Parse(data, Limits{Depth: 64, Elements: 10_000}); err != nil {
				b.Fatal(err)
			}
		}
	})
	large := []byte("[" + strings.Repeat(string(data)+",", 8<<20/len(data)) + "null]")
	b.Run("8MiB", func(b *testing.B) {
		b.SetBytes(int64(len(large)))
		for b.Loop() {
			if _, err := Parse(large, Limits{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
