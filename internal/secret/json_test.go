package secret

import (
	"bytes"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func redactJSON(t *testing.T, r *Redactor, document string) string {
	t.Helper()
	out, n, err := r.JSON([]byte(document))
	require.NoError(t, err, document)
	require.True(t, json.Valid(out), "%s", out)
	require.Equal(t, n > 0, string(out) != document)
	again, m, err := r.JSON(out)
	require.NoError(t, err)
	require.Zero(t, m)
	require.Equal(t, string(out), string(again))
	return string(out)
}

func TestRule6_3_JSONStringsKeysAndNumbers(t *testing.T) {
	r := redactorOf("820461937520", `s3cr/t&"x ş😀`)
	for _, c := range []struct{ document, want string }{
		{`{"a":"x 820461937520 y"}`, `{"a":"x [redacted] y"}`},
		{`820461937520`, `"[redacted]"`},
		{`"820461937520"`, `"[redacted]"`},
		{`[9820461937520,42,-820461937520]`, `["[redacted]",42,"[redacted]"]`},
		{`[8.2046193752e11, 82046193752E+1, 820461937520.0, 8204619375.20, 0.820461937520, 820461937520e-3]`, `["[redacted]", "[redacted]", "[redacted]", "[redacted]", "[redacted]", "[redacted]"]`},
		{`[8.2046193753e11,1e400,1E-400,1e999999999999999999999]`, `[8.2046193753e11,1e400,1E-400,1e999999999999999999999]`},
		{`{"820461937520":1,"b":2}`, `{"[redacted]":1,"b":2}`},
		{`{"x820461937520":1,"\u003820461937520":2, "[redacted]" : 3,"[redacted] 2":4}`, `{"x[redacted]":1,"[redacted]":2, "[redacted] 2" : 3,"[redacted] 2 2":4}`},
		{`{"[redacted]":1,"820461937520":{"820461937520":2,"8%32046193752%30":3}}`, `{"[redacted]":1,"[redacted] 2":{"[redacted]":2,"[redacted] 2":3}}`},
		{`{"\u005bredacted]":1,"820461937520":2}`, `{"\u005bredacted]":1,"[redacted] 2":2}`},
		{`{"a":"s3cr\/t\u0026\"x \u015F\ud83d\uDE00"}`, `{"a":"[redacted]"}`},
		{`{"a":"{\"b\":\"s3cr/t&\\\"x ş😀\"}"}`, `{"a":"{\"b\":\"[redacted]\"}"}`},
		{` { "z" : [ 1.50 , "\u0041s3cr%2ft%26%22x+%c5%9f%F0%9f%98%80\u0042" , null ] , "a" : 1e2 } `, ` { "z" : [ 1.50 , "\u0041[redacted]\u0042" , null ] , "a" : 1e2 } `},
		{`["82046193752","0"]`, `["82046193752","0"]`},
		{`["8","2","0","4","6","1","9","3","7","5","2","0"]`, `["8","2","0","4","6","1","9","3","7","5","2","0"]`},
	} {
		require.Equal(t, c.want, redactJSON(t, r, c.document), c.document)
	}
}

// TestRule6_3_JSONAsItIsWritten: the bytes that leave must not show a secret that
// no string of the document means.
func TestRule6_3_JSONAsItIsWritten(t *testing.T) {
	for _, c := range []struct{ secret, document, want string }{
		{"nabcdefgh", `["x\nabcdefgh y"]`, `["x[redacted] y"]`},
		{"u00e9abcdefgh", `["x\u00e9abcdefgh"]`, `["x[redacted]"]`},
		{"00e9abcdefgh", `["x\u00e9abcdefgh\u00e9"]`, `["x[redacted]\u00e9"]`},
		{`ud83dude00`, `["\ud83dude00"]`, `["[redacted]"]`},
		{`abcdefgh\`, `["abcdefgh\n"]`, `["[redacted]"]`},
		{`abcdefgh"`, `["xabcdefgh",1]`, `["x[redacted]",1]`},
		{`"abcdefgh`, `[1,"abcdefghx"]`, `[1,"[redacted]x"]`},
		{`abcd","efgh`, `{"a":["xabcd","efghx",1],"b":2}`, `{"a":["x[redacted]","[redacted]x",1],"b":2}`},
		{`name":"x12`, `{"name":"x12","b":[true]}`, `{"[redacted]":"[redacted]","b":[true]}`},
		{`12345,67890`, `[12345,67890,1]`, `["[redacted]","[redacted]",1]`},
		{`true,"abc"`, `[true,"abc",null]`, `["[redacted]","[redacted]",null]`},
		{`{"type":"account","key":"AbC"}`, `{"key":{"type":"account","key":"AbC"},"id":1}`, `{"key":{"[redacted]":"[redacted]","[redacted] 2":"[redacted]"},"id":1}`},
		{`{"type":"account","key":"AbC"}`, `["{\"type\":\"account\",\"key\":\"AbC\"}"]`, `["[redacted]"]`},
		{`[[[[]]]]`, `{"a":[[[[]]]],"b":1}`, `"[redacted]"`},
		{`"","","",""`, `["","","",""]`, `"[redacted]"`},
	} {
		require.Equal(t, c.want, redactJSON(t, redactorOf(c.secret), c.document), "%q in %s", c.secret, c.document)
	}
}

func TestRule6_3_JSONUnchanged(t *testing.T) {
	r := redactorOf("hunter2-hunter2")
	data := []byte(`{"b":[1.0,"\u0041\/",{}],"a":"[redacted]","a":"[redacted]"} ` + "\n")
	out, n, err := r.JSON(data)
	require.NoError(t, err)
	require.Zero(t, n)
	require.Same(t, &data[0], &out[0])
}

func TestRule6_3_NotJSON(t *testing.T) {
	for _, text := range []string{"", " ", "{", `{"a":hunter2-hunter2}`, "[1,]", `"hunter2-hunter2`, "hunter2-hunter2", "1 2", "\ufeff1"} {
		out, n, err := redactorOf("hunter2-hunter2").JSON([]byte(text))
		require.ErrorIs(t, err, errNotJSON, text)
		require.NotContains(t, err.Error(), "hunter2")
		require.Nil(t, out)
		require.Zero(t, n)
	}
}

func TestRule6_3_Tree(t *testing.T) {
	r := redactorOf("820461937520", "nabcdefgh", `12345,67890`)
	tree := map[string]any{
		"a":            []any{"x 820461937520", json.Number("9820461937520"), json.Number("8.2046193752e11"), true, nil, json.Number("1.50")},
		"820461937520": map[string]any{"x820461937520": "ok"},
		"[redacted]":   "literal",
		"numbers":      []any{json.Number("12345"), json.Number("67890")},
		"line":         "x\nabcdefgh",
	}
	before, err := json.Marshal(tree)
	require.NoError(t, err)
	got, n := r.Tree(tree)
	require.Equal(t, 8, n)
	require.Equal(t, map[string]any{
		"a":            []any{"x [redacted]", Mark, Mark, true, nil, json.Number("1.50")},
		"[redacted]":   map[string]any{"x[redacted]": "ok"},
		"[redacted] 2": "literal",
		"numbers":      []any{Mark, Mark},
		"line":         "x[redacted]",
	}, got)
	after, err := json.Marshal(tree)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), "the argument is not changed")
	again, n := r.Tree(got)
	require.Zero(t, n)
	require.Equal(t, got, again)
}

func TestRule6_3_TreeUnchanged(t *testing.T) {
	r := redactorOf("hunter2-hunter2")
	tree := map[string]any{"a": []any{json.Number("1.50"), "\u2028<&>\x00\x7f", "\xff"}}
	got, n := r.Tree(tree)
	require.Zero(t, n)
	got.(map[string]any)["b"] = true
	require.Contains(t, tree, "b", "it is the same map")
	for _, scalar := range []any{nil, true, "text", json.Number("12")} {
		got, n = r.Tree(scalar)
		require.Zero(t, n)
		require.Equal(t, scalar, got)
	}
}

func TestRule6_3_TreeThatIsNoTreeIsWithheld(t *testing.T) {
	for _, v := range []any{json.Number("hunter2"), json.Number(""), json.Number("1,2"), json.Number("1 "), 3.5, []string{"hunter2-hunter2"}, map[string]any{"a": struct{ S string }{"hunter2-hunter2"}}} {
		got, n := redactorOf("hunter2-hunter2").Tree(v)
		require.Equal(t, Mark, got)
		require.Equal(t, 1, n)
	}
}

// FuzzJSON: a document stays a document of the same shape, and what is no document
// is refused as encoding/json refuses it.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-0.5e+3,"\ud83d\ude00\n",{"b":null}],"":true}`, `[[],{},"hunter2-hunter2"]`, "1e5", `"\u12"`, "nul", "01", "-", "[1 2]", `{"a":}`, `{1:2}`, "]", `{"a" 1}`, `{,}`} {
		f.Add([]byte(seed))
	}
	r := redactorOf("hunter2-hunter2", "12345678", `","a":"b`)
	f.Fuzz(func(t *testing.T, data []byte) {
		out, n, err := r.JSON(data)
		require.Equal(t, json.Valid(data), err == nil, "%s", data)
		if err != nil {
			return
		}
		require.True(t, json.Valid(out), "%s became %s", data, out)
		require.NotContains(t, string(out), "12345678")
		if n == 0 {
			require.Equal(t, string(data), string(out))
		}
	})
}

// TestUnits: what a string means is what encoding/json says.
func TestUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	pieces := []string{"a", "ş", "😀", `\n`, `\"`, `\\`, `\/`, `\u0041`, `\u015F`, `\ud83d\ude00`, `\ud83d`, `\ude00`, `\ud83dx`, `\u0000`, "\x7f"}
	for range 2000 {
		var b strings.Builder
		for range rng.IntN(8) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		var want string
		require.NoError(t, json.Unmarshal([]byte(`"`+b.String()+`"`), &want))
		require.Equal(t, want, string(unescape([]byte(b.String()))), b.String())
		at, to := 0, 0
		for here, meant := range units([]byte(b.String())) {
			require.Equal(t, at, here.start)
			require.Equal(t, to, meant.start)
			require.Equal(t, want[meant.start:meant.end], string(unescape([]byte(b.String()[here.start:here.end]))))
			at, to = here.end, meant.end
		}
		require.Equal(t, b.Len(), at)
		require.Equal(t, len(want), to)
	}
}

func TestOtherDigits(t *testing.T) {
	for _, number := range []string{"1.5", "-1.50", "12.5e1", "12.5e-1", "12.5e5", "1e3", "1E+3", "0.001e-3", "100e-2", "-0.0", "123456789.123456789e4"} {
		digits, plain := otherDigits([]byte(number))
		want, ok := new(big.Rat).SetString(strings.TrimPrefix(number, "-"))
		require.True(t, ok)
		got, ok := new(big.Rat).SetString(string(plain))
		require.True(t, ok, "%s", plain)
		require.Zero(t, want.Cmp(got), "%s is %s", number, plain)
		require.NotContains(t, string(plain), "e")
		require.False(t, bytes.ContainsAny(digits, ".-eE"))
	}
	digits, plain := otherDigits([]byte("-820461937520"))
	require.Nil(t, digits)
	require.Nil(t, plain)
}
