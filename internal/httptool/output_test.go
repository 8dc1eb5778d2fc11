package httptool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/httptool"
	"github.com/kervan-mcp/kervan/sandbox"
)

func TestRule8_6_WithoutSchema(t *testing.T) {
	for _, c := range []struct{ body, selected, want string }{
		{`"a\"b"`, "@", `"a\"b"`},
		{`{"a":"x"}`, "a", `"x"`},
		{`{"a":"x"}`, "missing", `null`},
		{`{ "b": 1.50, "a": [ 12345678901234567890 ] }`, "@", `{"b":1.50,"a":[12345678901234567890]}`},
		{`{"a":"<&>"}`, "@", `{"a":"<&>"}`},
		{`{"a":"\u2028"}`, "@", `{"a":"\u2028"}`},
		{`{"a":1,"a":2}`, "@", `{"a":2}`},
		{`[{"id":1},{"id":2}]`, "[*].id", `[1,2]`},
	} {
		f := newFixture(t, respondJSON(c.body))
		f.tool.Select = c.selected
		require.Equal(t, httptool.Result{Text: c.want}, *f.ok(`{}`), "%s of %s", c.selected, c.body)
	}
}

func TestRule8_6_TextIsCut(t *testing.T) {
	long := strings.Repeat("ç", 30)
	f := newFixture(t, respondJSON(`"`+long+`"`))
	f.tool.MaxOutputChars = 10
	require.Equal(t, `"`+strings.Repeat("ç", 9)+"\n[truncated: 22 more characters]", f.ok(`{}`).Text)
	f.tool.Raw, f.tool.Select = true, ""
	require.Equal(t, `"`+strings.Repeat("ç", 9)+"\n[truncated: 22 more characters]", f.ok(`{}`).Text)
	f.tool.MaxOutputChars = 32
	require.Equal(t, `"`+long+`"`, f.ok(`{}`).Text)
	f = newFixture(t, respond("text/plain", strings.Repeat("x", 20_001)))
	f.tool.Raw, f.tool.Select = true, ""
	require.True(t, strings.HasSuffix(f.ok(`{}`).Text, "x\n[truncated: 1 more characters]"), "the default limit is 20,000")
}

// itemsSchema wants an object whose items, if any, are a list of at least so
// many elements.
func itemsSchema(least int) func(any) bool {
	return func(tree any) bool {
		object, ok := tree.(map[string]any)
		items, given := object["items"]
		list, isList := items.([]any)
		return ok && (!given || isList && len(list) >= least)
	}
}

func TestRule8_6_WithSchema(t *testing.T) {
	f := newFixture(t, respondJSON(`{ "items": [ 1.0, 2 ], "n": 12345678901234567890 }`))
	f.tool.Fits = itemsSchema(0)
	res := f.ok(`{}`)
	require.Equal(t, `{"items":[1.0,2],"n":12345678901234567890}`, string(res.Structured))
	require.Equal(t, string(res.Structured), res.Text)
	require.Empty(t, res.Notes)
	for selected, kind := range map[string]string{"items": "an array", "n": "a number", "missing": "null", "'text'": "a string", "n == n": "a boolean"} {
		f.tool.Select = selected
		message := f.fails(httptool.OutcomeOutput, `{}`)
		require.Contains(t, message, "returned "+kind, selected)
		require.Contains(t, message, "{items: …}", selected)
	}
}

func TestRule8_6_StructuredIsShortened(t *testing.T) {
	var items []string
	for i := range 100 {
		items = append(items, fmt.Sprintf(`{"id":%d,"name":"çay %d"}`, i, i))
	}
	f := newFixture(t, respondJSON(`{"items":[`+strings.Join(items, ",")+`],"total":100}`))
	f.tool.Fits = itemsSchema(3)
	f.tool.MaxOutputChars = 500
	res := f.ok(`{}`)
	require.LessOrEqual(t, utf8.RuneCount(res.Structured), 500)
	require.Greater(t, utf8.RuneCount(res.Structured), 470, "no more is left out than needed")
	require.Equal(t, string(res.Structured), res.Text)
	var out struct {
		Items []json.RawMessage
		Total int
	}
	require.NoError(t, json.Unmarshal(res.Structured, &out))
	require.Equal(t, 100, out.Total)
	require.Equal(t, items[0], string(out.Items[0]))
	require.Equal(t, []string{fmt.Sprintf("Arrays were shortened to keep the output within 500 characters:\n- /items: the first %d of 100 elements", len(out.Items))}, res.Notes)

	f.tool.Fits = itemsSchema(90)
	message := f.fails(httptool.OutcomeOutput, `{}`)
	require.Contains(t, message, "more than 500 characters")
	require.Contains(t, message, "narrow the select expression")

	// What does not fit anyway is not shortened: whoever validates it says why.
	f.tool.Fits = itemsSchema(101)
	require.Greater(t, utf8.RuneCount(f.ok(`{}`).Structured), 500)
}

func TestRule8_6_ManyOmissions(t *testing.T) {
	var members []string
	for i := range 30 {
		members = append(members, fmt.Sprintf(`"list%02d":[1,2,3,4,5,6,7,8,9]`, i))
	}
	f := newFixture(t, respondJSON("{"+strings.Join(members, ",")+"}"))
	f.tool.Fits = func(any) bool { return true }
	f.tool.MaxOutputChars = 450
	notes := f.ok(`{}`).Notes
	require.Len(t, notes, 1)
	require.Equal(t, 22, strings.Count(notes[0], "\n")+1)
	require.Contains(t, notes[0], "more arrays")
}

func TestRule8_7_SelectGetsTheExpression(t *testing.T) {
	f := newFixture(t, respondJSON(` { "a" : [ 1 ] , "a" : 2 } `))
	f.tool.Select = "the expression"
	f.rt.Select = func(ctx context.Context, expression string, data []byte) ([]byte, error) {
		require.Equal(t, "the expression", expression)
		require.Equal(t, `{"a":2}`, string(data))
		deadline, ok := ctx.Deadline()
		require.True(t, ok)
		require.LessOrEqual(t, time.Until(deadline), f.tool.Timeout, "queueing counts")
		return []byte(`1`), nil
	}
	require.Equal(t, "1", f.ok(`{}`).Text)
}

// A select that breaks its contract fails its call only.
func TestRule8_7_SelectReturnsNoJSON(t *testing.T) {
	f := newFixture(t, respondJSON(`{}`))
	for _, out := range []string{"", "{", "undefined"} {
		f.rt.Select = func(context.Context, string, []byte) ([]byte, error) { return []byte(out), nil }
		_, err := f.call(`{}`)
		require.Error(t, err, "%q", out)
		require.Equal(t, httptool.OutcomeFault, f.event().Outcome)
	}
}

func TestRule8_7_InTheSandbox(t *testing.T) {
	pool := sandbox.New(sandbox.Options{Children: 1, ProcessOnly: true})
	defer func() { require.NoError(t, pool.Close()) }()
	f := newFixture(t, respondJSON(`{"a":1,"b":12345678901234567890,"c":"x"}`))
	f.rt.Select = pool.Select
	f.tool.Select = "{z: a, id: b, a: c}"
	require.Equal(t, `{"z":1,"id":12345678901234567890,"a":"x"}`, f.ok(`{}`).Text)
	f.tool.Select = "abs(c)"
	message := f.fails(httptool.OutcomeSelect, `{}`)
	require.Contains(t, message, "abs")
	require.NotContains(t, message, `"x"`)
	f.tool.Select = "length(@)"
	f.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
	f.tool.Select = "not_null(@, 'nothing')"
	require.Equal(t, `"nothing"`, f.ok(`{}`).Text)
	f.tool.Select = "@"
	require.Equal(t, `null`, f.ok(`{}`).Text)
}

func TestRule8_7_SelectOfManyCallers(t *testing.T) {
	f := newFixture(t, respondJSON(`{"a":[1,2,3]}`))
	f.tool.Select = "a[1]"
	done := make(chan string)
	for range 20 {
		go func() {
			res, err := f.tool.Call(t.Context(), f.rt, nil)
			if err != nil {
				done <- err.Error()
				return
			}
			done <- res.Text
		}()
	}
	for range 20 {
		require.Equal(t, "2", <-done)
	}
}

func TestEventsHoldNoData(t *testing.T) {
	f := newFixture(t, respondJSON(`{"private":"value"}`))
	f.tool.Path = text(t, "/private")
	f.ok(`{"private":1}`)
	e := f.event()
	require.Positive(t, e.Duration)
	e.Duration = 0
	require.Equal(t, httptool.Event{Tool: "test", Host: f.at(host), Status: 200, Bytes: 19, Outcome: httptool.OutcomeOK}, e)
	f.rt.Events = func(httptool.Event) { panic("sink") }
	f.ok(`{}`)
	f.rt.Events = nil
	f.ok(`{}`)
}
