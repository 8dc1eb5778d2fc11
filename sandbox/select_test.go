package sandbox

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRule8_7_Results(t *testing.T) {
	p := newTestPool(t, Options{})
	for _, c := range []struct{ expression, data, want string }{
		{"@", "null", "null"},
		{"missing", `{"a":1}`, "null"},
		{"@", `9007199254740993`, "9007199254740993"},
		{"a", `{"a":123456789012345678901234567890}`, "123456789012345678901234567890"},
		{"{temperatureC: a, windKmh: b, weatherCode: c}", `{"a":1.5,"b":2,"c":3}`, `{"temperatureC":1.5,"windKmh":2,"weatherCode":3}`},
		{"@", `{"b":1,"a":{"d":1,"c":2}}`, `{"a":{"c":2,"d":1},"b":1}`},
		{"text", `{"text":"<&>\u2028é"}`, "\"<&>\u2028é\""},
		{"sort(keys(@))", `{"__proto__":1,"constructor":2}`, `["__proto__","constructor"]`},
	} {
		// Twice: nothing of a call is left for the next one.
		for range 2 {
			assert.Equal(t, c.want, mustSelect(t, p, c.expression, c.data), c.expression)
		}
	}
}

// Upstream names that mean something in other languages are plain names.
func TestRule8_7_NoCallLeavesAnythingToTheNext(t *testing.T) {
	p := newTestPool(t, Options{Children: 1})
	const polluted = `{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"prototype":{"admin":true}}`
	assert.Equal(t, "true", mustSelect(t, p, `"__proto__".admin`, polluted))
	for _, expression := range []string{"admin", `"__proto__"`, "constructor", "a.admin", "a.constructor"} {
		assert.Equal(t, "null", mustSelect(t, p, expression, `{"a":{}}`), expression)
	}
	data := strings.Repeat("z", 5000)
	mustSelect(t, p, "@", `"`+data+`"`)
	_, err := p.Select(within(t, 20*time.Second), "abs(@)", []byte(`""`))
	assert.NotContains(t, err.Error(), "z")
}

func TestRule8_7_ErrorsNameTheProblemNeverTheData(t *testing.T) {
	p := newTestPool(t, Options{Children: 1})
	const secret = "s3cr3t-s3cr3t"
	for _, c := range []struct {
		expression, data string
		kind             Kind
		want             []string
	}{
		{"abs(a)", `{"a":"` + secret + `"}`, KindEvaluation, []string{"abs", "number", "string"}},
		{"sum(a)", `{"a":["` + secret + `"]}`, KindEvaluation, []string{"sum", "number"}},
		{"join(',', a)", `{"a":[{"` + secret + `":1}]}`, KindEvaluation, []string{"join", "string"}},
		{"sort_by(@, &a)", `[{"a":"` + secret + `"},{"a":1}]`, KindEvaluation, []string{"sort_by"}},
		{"to_number(a) | abs(@)", `{"a":"` + secret + `"}`, KindEvaluation, []string{"abs"}},
		{"@", secret, KindEvaluation, []string{"not JSON"}},
		{"@", `{"a":"` + secret + `"`, KindEvaluation, []string{"cannot be read"}},
		{"@", `{"` + secret + `":1,"` + secret + `":2}`, KindEvaluation, []string{"twice"}},
		{"@", `"` + secret + "\x00" + `"`, KindEvaluation, []string{"control character"}},
		{"@", `"` + secret + "\xff" + `"`, KindEvaluation, []string{"UTF-8"}},
		{"a[", `"` + secret + `"`, KindInvalidExpression, []string{"["}},
		{"nope(@)", `"` + secret + `"`, KindInvalidExpression, []string{"nope"}},
		{"abs(@, @)", `"` + secret + `"`, KindInvalidExpression, []string{"abs"}},
		{"", `"` + secret + `"`, KindInvalidExpression, []string{"empty"}},
		{strings.Repeat("a", 1001), `"` + secret + `"`, KindInvalidExpression, []string{"1,000 characters"}},
		{strings.Repeat("a", maxExpression+1), `"` + secret + `"`, KindInvalidExpression, []string{"1,000 characters"}},
		{"attack:panic", `"` + secret + `"`, KindCrashed, []string{"ended"}},
	} {
		_, err := p.Select(within(t, 20*time.Second), c.expression, []byte(c.data))
		if !assert.Error(t, err, c.expression) {
			continue
		}
		assert.Equal(t, c.kind, kindOf(t, err), "%s: %v", c.expression, err)
		for _, want := range c.want {
			assert.ErrorContains(t, err, want, c.expression)
		}
		assert.NotContains(t, err.Error(), "s3cr3t", c.expression)
		assert.Empty(t, strings.IndexFunc(err.Error(), unicode.IsControl)+1)
	}
}

func TestRule8_7_Compile(t *testing.T) {
	for _, good := range []string{"@", "a.b[*].c", "items[?price > `5`].{id: id, n: name}[:10]", "sort_by(@, &a)"} {
		warnings, err := Check(good)
		assert.NoError(t, err, good)
		assert.Empty(t, warnings, good)
		assert.NoError(t, Compile(good), good)
	}
	for _, bad := range []string{"", " ", "a[", "a b", "nope(@)", "@(foo)", "a.*.type(@)", "a > `9007199254740993`", strings.Repeat("a", 1001)} {
		err := Compile(bad)
		var e *ExpressionError
		require.ErrorAs(t, err, &e, bad)
		assert.NotEmpty(t, e.Message)
		assert.LessOrEqual(t, e.Offset, len(bad))
		assert.Equal(t, withHint(e.Message, e.Hint), err.Error())
		warnings, again := Check(bad)
		assert.Equal(t, err, again)
		assert.Empty(t, warnings)
	}
	warnings, err := Check("items[?a][0]")
	require.NoError(t, err)
	assert.NotEmpty(t, warnings)
}

func TestErrorsReadTheSame(t *testing.T) {
	for _, text := range []string{
		textClosed, textMemory, textCrashed, textLongExpression, textNoMessage, textNotExecutable, textReplaced,
		textTimeout(doingWaiting), textCancelled(doingEvaluating), textInputTooLarge(2, 1),
		textUnavailable(textStartTimeout(time.Second, "x"), textCureImport), textUnavailable(textStartFailed("x", "y"), textCureProcess),
	} {
		assert.True(t, unicode.IsLower(rune(text[0])), text)
		assert.False(t, strings.HasSuffix(text, "."), text)
	}
}

func TestOneLine(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"", 10, ""},
		{" a\r\n\tb\x00c ", 10, "a bc"},
		{"éé", 3, "é"},
		{"\x1b[31mred", 10, "[31mred"},
		{"a\u202eb\u200bc", 10, "abc"},
		{"\xff", 10, "\uFFFD"},
	} {
		assert.Equal(t, c.want, oneLine(c.in, c.limit), "%q", c.in)
	}
}
