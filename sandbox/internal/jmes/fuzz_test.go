package jmes

import (
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"strings"
	"testing"

	"github.com/jmespath/go-jmespath"
	"github.com/stretchr/testify/require"
)

// fuzzLimit keeps a fuzzed expression too short to double a value beyond what the fuzzer can hold.
const fuzzLimit = 100

var fuzzDocuments = []string{
	marked,
	`null`,
	`[3,1,2.50,9007199254740993,1e400,null,"tok_marker",{"a":"tok_marker","b":[1]},[["tok_marker"],[]],true]`,
	`{"a":{"b":{"c":[{"d":1,"e":"tok_marker"},{"d":2,"e":"tok_b"}]}},"foo":[{"a":1,"b":2},{"a":2,"b":1}],"tok_x":{"a":{"b":"tok_y"}}}`,
}

// FuzzCheck holds that Check never panics; that what it accepts is read as go-jmespath reads it; and that evaluating it
// gives JSON, the same each time, or an error that shows no data.
func FuzzCheck(f *testing.F) {
	for _, expression := range seedExpressions {
		f.Add(expression)
	}
	for _, r := range refused {
		f.Add(r.expression)
	}
	for _, w := range warned {
		f.Add(w.expression)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		if len(expression) > fuzzLimit {
			return
		}
		warnings, err := Check(expression)
		if err != nil {
			problem(t, err)
			require.Empty(t, warnings)
			return
		}
		requireSameTree(t, expression)
		requireSameResult(t, expression)
		var kept Evaluator
		for _, document := range fuzzDocuments {
			out, err := Evaluate(expression, []byte(document), 1<<16)
			again, errAgain := kept.Evaluate(expression, []byte(document), 1<<16)
			require.Equal(t, err, errAgain, expression)
			require.Equal(t, string(out), string(again), expression)
			if err == nil {
				require.True(t, json.Valid(out), "%s gives %s", expression, out)
				continue
			}
			require.NotEqual(t, Expression, problem(t, err).Kind, expression)
			if !strings.Contains(expression, "tok") {
				require.NotContains(t, err.Error(), "tok", expression)
			}
		}
	})
}

// requireSameResult holds that an expression without calls and without `*` on objects gives what go-jmespath gives.
func requireSameResult(t *testing.T, expression string) {
	t.Helper()
	root, err := parse(expression)
	require.NoError(t, err)
	differs := false
	root.walk(func(n *node) { differs = differs || n.kind == kindCall || n.kind == kindObject })
	if differs {
		return
	}
	for _, document := range []string{marked, `[1,2,null,{"a":[{"b":1},{"b":null}],"c":"d"},[[1],[null,2]],"a",true]`, `{"a":{"b":[3,{"c":null}]},"b":2,"c":[{"b":1},{"b":2}]}`} {
		var v any
		require.NoError(t, json.Unmarshal([]byte(document), &v))
		want, err := jmespath.Search(expression, v)
		require.NoError(t, err, expression)
		text, err := json.Marshal(want)
		require.NoError(t, err)
		require.JSONEq(t, string(text), evaluate(t, expression, document), expression)
	}
}

// FuzzEvaluate holds that @ gives a document back with every digit, that only JSON is accepted, and that whatever else
// is evaluated gives JSON, the same each time.
func FuzzEvaluate(f *testing.F) {
	for _, document := range fuzzDocuments {
		f.Add([]byte(document))
	}
	for _, document := range []string{
		`{"a":1.0,"b":-0,"c":[1e3,0.1,9007199254740993,1e400]}`, `"\u0000\ud83d\ude00\"\\"`, `[[[]],{"":{}}]`, `{"a":1,"a":2}`, "\"\xff\"", `"\ud800"`, `-`, `1e`, "\ufeff1", ` [ 1 , 2 ] `, `1.7976931348623159e308`,
	} {
		f.Add([]byte(document))
	}
	expressions := []string{
		"*", "values(@)", "keys(@)", "to_string(@)", "[*]", "[]", "[::-1]", "sort(@)", "sum(@)", "avg(@)", "max(@)", "sort_by(@, &@)", "*.*", "[?@ > `1`]", "[@, @] | [0] == [1]",
		"type(@)", "{b: @, a: @}", "contains(@, @[0])", "to_number(@)", "reverse(@)", "merge(@, {z: @})", "map(&abs(@), @)", "join(',', @)", "a.b || [0].a",
	}
	var kept Evaluator
	f.Fuzz(func(t *testing.T, document []byte) {
		const size = 1 << 20
		out, err := Evaluate("@", document, size)
		if err != nil {
			if kind := problem(t, err).Kind; kind != Document && kind != TooLarge {
				t.Fatalf("kind %d: %v", kind, err)
			}
			return
		}
		require.Equal(t, plainTree(t, document), plainTree(t, out))
		again, err := Evaluate("@", out, size)
		require.NoError(t, err)
		require.Equal(t, string(out), string(again))
		for _, expression := range expressions {
			out, err := Evaluate(expression, document, size)
			again, errAgain := kept.Evaluate(expression, document, size)
			require.Equal(t, err, errAgain, expression)
			require.Equal(t, string(out), string(again), expression)
			if err != nil {
				problem(t, err)
				continue
			}
			require.True(t, json.Valid(out), "%s gives %s", expression, out)
		}
		if text := evaluate(t, "to_string(@)", string(document)); out[0] != '"' && !strings.HasPrefix(text, "error") {
			var s string
			require.NoError(t, json.Unmarshal([]byte(text), &s))
			require.Equal(t, string(out), s)
		}
	})
}

// plainTree reads a document with encoding/json, which keeps the digits of numbers too.
func plainTree(t *testing.T, document []byte) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(document)))
	d.UseNumber()
	var tree any
	require.NoError(t, d.Decode(&tree), "%q", document)
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		t.Fatalf("%q has more than one value", document)
	}
	return tree
}

// FuzzSameNumber holds that two numbers are the same exactly when rational arithmetic says so.
func FuzzSameNumber(f *testing.F) {
	f.Add("1.0", "1")
	f.Add("-0", "0e5")
	f.Add("9007199254740993", "9007199254740992")
	f.Add("1e-3", "0.001")
	f.Add("12.50e+2", "1250")
	f.Fuzz(func(t *testing.T, a, b string) {
		const longest = 20 // with an exponent of at most three digits
		for _, s := range []string{a, b} {
			_, exponent, _ := strings.Cut(strings.ToLower(s), "e")
			if s == "" || len(s) > longest || len(exponent) > 3 || numberEnd(s, 0) != len(s) {
				return
			}
		}
		x, ok := new(big.Rat).SetString(a)
		require.True(t, ok, a)
		y, ok := new(big.Rat).SetString(b)
		require.True(t, ok, b)
		require.Equal(t, x.Cmp(y) == 0, sameNumber(a, b), "%s and %s", a, b)
		require.Equal(t, a, numberText(decodeNumber(a)))
		if v, exact := exactFloat(a); exact {
			require.True(t, sameNumber(a, string(appendFloat(nil, v))), a)
		}
	})
}
