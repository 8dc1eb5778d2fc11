package kervan_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/invopop/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/kerventest"
)

// returning makes a tool without arguments that always returns out.
func returning[Out any](name string, out Out) *kervan.ToolDef {
	return tool(name, func(context.Context) (Out, error) { return out, nil })
}

// The types of results, as services have them.
type (
	severity string

	Position struct {
		Lat float64 `json:"lat"`
		Lon float64 `json:"lon"`
	}
	station struct {
		*Position
		Name string `json:"name"`
	}
	inventory struct {
		Count int            `json:"count"`
		Tags  []string       `json:"tags"`
		Stock map[string]int `json:"stock"`
		Note  *string        `json:"note"`
		Spare *Position      `json:"spare,omitempty"`
		Rows  [][]int        `json:"rows"`
	}
	catalog struct {
		Name string    `json:"name"`
		Sub  []catalog `json:"sub"`
		Next *catalog  `json:"next"`
	}

	// money has MarshalJSON and says nothing about its schema.
	money struct{ cents int64 }
	// serial has its methods on the pointer.
	serial struct{ n int }
	// rgb has MarshalJSON and a schema of its own.
	rgb struct{ r, g, b uint8 }
	// tally marshals to a scalar.
	tally int
)

func (m money) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"amount": "%d.%02d",  "currency": "TRY"}`, m.cents/100, m.cents%100), nil
}

func (s *serial) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%q", fmt.Sprint("SN-", s.n)), nil
}

func (c rgb) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "[%d,%d,%d]", c.r, c.g, c.b), nil }

func (rgb) JSONSchema() *jsonschema.Schema {
	three := uint64(3)
	return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "integer"}, MinItems: &three, MaxItems: &three}
}

func (t tally) MarshalJSON() ([]byte, error) { return []byte(strings.Repeat("1", int(t))), nil }

func bigInt(s string) *big.Int {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		panic(s)
	}
	return n
}

// An outputCase is a tool and what a client must see of its result.
type outputCase struct {
	def        *kervan.ToolDef
	structured string // "" = none
	text       string // "" = the same as structured
	noSchema   bool   // though it has structured content
}

func outputCases() map[string]outputCase {
	home := url.URL{Scheme: "https", Host: "example.com", Path: "/a b", RawQuery: "c=d&e=<f>"}
	seven := 7
	const huge = "1208925819614629174706176" // 2^80
	return map[string]outputCase{
		"string":       {returning("x", "plain <text> & more"), "", "plain <text> & more", false},
		"empty string": {returning("x", ""), "", "", false},
		"none":         {returning("x", kervan.None{}), "", "", false},
		"result":       {returning("x", kervan.ResultOf(kervan.Text("a"), kervan.Text("b"))), "", "a\nb", false},
		"empty result": {returning("x", kervan.ResultOf()), "", "", false},

		"struct":           {returning("x", Position{1.5, -2}), `{"lat":1.5,"lon":-2}`, "", false},
		"pointer":          {returning("x", &Position{1.5, -2}), `{"lat":1.5,"lon":-2}`, "", false},
		"struct of zeros":  {returning("x", inventory{}), `{"count":0,"tags":[],"stock":{},"note":null,"rows":[]}`, "", false},
		"nil inside":       {returning("x", inventory{Rows: [][]int{nil, {1}}}), `{"count":0,"tags":[],"stock":{},"note":null,"rows":[[],[1]]}`, "", false},
		"recursive":        {returning("x", catalog{Name: "a", Sub: []catalog{{Name: "b"}}}), `{"name":"a","sub":[{"name":"b","sub":[],"next":null}],"next":null}`, "", false},
		"embedded pointer": {returning("x", station{&Position{1, 2}, "n"}), `{"lat":1,"lon":2,"name":"n"}`, "", false},
		"embedded nil":     {returning("x", station{nil, "n"}), `{"name":"n"}`, "", false},
		"empty struct":     {returning("x", struct{ hidden int }{1}), `{}`, "", false},

		"slice":                  {returning("x", []Position{{1, 2}}), `{"items":[{"lat":1,"lon":2}]}`, "", false},
		"slice of pointers":      {returning("x", []*Position{nil, {1, 2}}), `{"items":[null,{"lat":1,"lon":2}]}`, "", false},
		"nil slice":              {returning("x", []Position(nil)), `{"items":[]}`, "", false},
		"empty slice":            {returning("x", []Position{}), `{"items":[]}`, "", false},
		"array":                  {returning("x", [2]bool{true}), `{"items":[true,false]}`, "", false},
		"map":                    {returning("x", map[string]int{"b": 2, "a": 1}), `{"a":1,"b":2}`, "", false},
		"map with integer keys":  {returning("x", map[int]string{-1: "x"}), `{"-1":"x"}`, "", false},
		"nil map":                {returning("x", map[string]int(nil)), `{}`, "", false},
		"map with a member item": {returning("x", map[string]any{"items": "mine"}), `{"items":"mine"}`, "", false},

		"integer":       {returning("x", 42), `{"value":42}`, "", false},
		"negative":      {returning("x", int64(math.MinInt64)), `{"value":-9223372036854775808}`, "", false},
		"unsigned":      {returning("x", uint64(math.MaxUint64)), `{"value":18446744073709551615}`, "", false},
		"float":         {returning("x", 0.1), `{"value":0.1}`, "", false},
		"whole float":   {returning("x", float64(1<<60)), `{"value":1152921504606846976}`, "", false},
		"boolean":       {returning("x", false), `{"value":false}`, "", false},
		"named string":  {returning("x", severity("high")), `{"value":"high"}`, "", false},
		"integer at *":  {returning("x", &seven), `{"value":7}`, "", false},
		"json.Number":   {returning("x", json.Number("1.50")), `{"value":1.50}`, "", false},
		"2^80":          {returning("x", bigInt(huge)), `{"value":` + huge + `}`, "", false},
		"big.Int value": {returning("x", *bigInt(huge)), `{"value":` + huge + `}`, "", false},
		"time":          {returning("x", time.Date(2024, 2, 29, 12, 0, 0, 5000, time.UTC)), `{"value":"2024-02-29T12:00:00.000005Z"}`, "", false},
		"duration":      {returning("x", 90*time.Minute), `{"value":"1h30m0s"}`, "", false},
		"bytes":         {returning("x", []byte("hi>")), `{"value":"aGk+"}`, "", false},
		"nil bytes":     {returning("x", []byte(nil)), `{"value":""}`, "", false},
		"address":       {returning("x", netip.MustParseAddr("2001:db8::1")), `{"value":"2001:db8::1"}`, "", false},
		"url":           {returning("x", home), `{"value":"https://example.com/a%20b?c=d&e=<f>"}`, "", false},
		"url at *":      {returning("x", &home), `{"value":"https://example.com/a%20b?c=d&e=<f>"}`, "", false},
		"fields": {returning("x", struct {
			When time.Time       `json:"when"`
			For  time.Duration   `json:"for"`
			Data []byte          `json:"data"`
			IP   netip.Addr      `json:"ip"`
			N    big.Int         `json:"n"`
			Home url.URL         `json:"home"`
			ID   int64           `json:"id,string"`
			Raw  json.RawMessage `json:"raw"`
			None json.RawMessage `json:"none"`
			Any  any             `json:"any"`
		}{time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC), time.Second, []byte{0xff}, netip.MustParseAddr("10.0.0.1"), *bigInt(huge), home, math.MaxInt64, rawJSON(` [ 1.0 , 9007199254740993 ] `), nil, nil}),
			`{"when":"2024-02-29T12:00:00Z","for":"1s","data":"/w==","ip":"10.0.0.1","n":` + huge + `,"home":"https://example.com/a%20b?c=d&e=<f>","id":"9223372036854775807","raw":[1.0,9007199254740993],"none":null,"any":null}`, "", false},

		"nil any":        {returning[any]("x", nil), `{"value":null}`, "", true},
		"any string":     {returning[any]("x", "s"), `{"value":"s"}`, "", true},
		"any integer":    {returning[any]("x", 1), `{"value":1}`, "", true},
		"any list":       {returning[any]("x", []int{1}), `{"items":[1]}`, "", true},
		"any nil list":   {returning[any]("x", []int(nil)), `{"items":[]}`, "", true},
		"any nil map":    {returning[any]("x", map[string]int(nil)), `{}`, "", true},
		"any struct":     {returning[any]("x", Position{1, 2}), `{"lat":1,"lon":2}`, "", true},
		"any pointer":    {returning[any]("x", &Position{1, 2}), `{"lat":1,"lon":2}`, "", true},
		"any number":     {returning[any]("x", json.Number("9007199254740993")), `{"value":9007199254740993}`, "", true},
		"any tree":       {returning[any]("x", map[string]any{"a": []any{nil, true, json.Number("1e2")}}), `{"a":[null,true,1e2]}`, "", true},
		"other iface":    {returning[fmt.Stringer]("x", netip.MustParseAddr("::1")), `{"value":"::1"}`, "", true},
		"raw object":     {returning("x", rawJSON(" {\n \"a\" : 1.0 }\n")), `{"a":1.0}`, "", true},
		"raw list":       {returning("x", rawJSON("\t[1]")), `{"items":[1]}`, "", true},
		"raw scalar":     {returning("x", rawJSON(`9007199254740993`)), `{"value":9007199254740993}`, "", true},
		"nil raw":        {returning("x", json.RawMessage(nil)), `{"value":null}`, "", true},
		"MarshalJSON":    {returning("x", money{1250}), `{"amount":"12.50","currency":"TRY"}`, "", true},
		"MarshalJSON *":  {returning("x", &money{1250}), `{"amount":"12.50","currency":"TRY"}`, "", true},
		"MarshalJSON 1":  {returning("x", tally(20)), `{"value":11111111111111111111}`, "", true},
		"pointer method": {returning("x", serial{5}), `{"value":"SN-5"}`, "", true},
		"inside any":     {returning("x", map[string]any{"a": serial{5}, "b": []any{serial{6}}}), `{"a":"SN-5","b":["SN-6"]}`, "", false},
		"negative zero":  {returning("x", math.Copysign(0, -1)), `{"value":-0}`, "", false},
		"inside a list":  {returning("x", []serial{{5}, {6}}), `{"items":["SN-5","SN-6"]}`, "", false},
		"inside a map":   {returning("x", map[string]serial{"a": {5}}), `{"a":"SN-5"}`, "", false},
		"own schema":     {returning("x", rgb{1, 2, 3}), `{"items":[1,2,3]}`, "", false},
		"own schema in":  {returning("x", map[string]rgb{"c": {1, 2, 3}}), `{"c":[1,2,3]}`, "", false},

		"html":             {returning("x", map[string]string{"<k>": "</script>&'"}), `{"<k>":"</script>&'"}`, "", false},
		"line separators":  {returning("x", map[string]string{"s": "a\u2028b\u2029c"}), `{"s":"a\u2028b\u2029c"}`, "", false},
		"in a text":        {returning("x", "a\u2028b\u2029c\r\n"), "", "a\u2028b\u2029c\r\n", false},
		"invalid UTF-8":    {returning("x", map[string]string{"s": "a\xffb"}), "{\"s\":\"a\uFFFDb\"}", "", false},
		"bad UTF-8 in raw": {returning("x", rawJSON("{\"a\":\"\xff\"}")), "{\"a\":\"\uFFFD\"}", "", true},
		"bad UTF-8 text":   {returning("x", "a\xff\xfeb"), "", "a\uFFFD\uFFFDb", false},
		"controls":         {returning("x", map[string]string{"s": "\x00\x1b\x7f"}), "{\"s\":\"\\u0000\\u001b\x7f\"}", "", false},
	}
}

// TestRule1_10_Outputs calls a tool of every kind of result in both eras: the
// structured content is as given, the text says the same byte for byte, and
// what is sent satisfies the schema that the list shows.
func TestRule1_10_Outputs(t *testing.T) {
	cases := outputCases()
	app, rec := newApp()
	names := map[string]string{}
	for name, tt := range cases {
		names[name] = fmt.Sprintf("t%d", len(names))
		app.Add(tt.def.Rename(names[name]))
	}
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		schemas := listedSchemas(t, c)
		for name, tt := range cases {
			t.Run(name, func(t *testing.T) {
				res := c.Call(names[name], nil)
				if res.IsError {
					t.Fatalf("an error: %s", res.Text)
				}
				if string(res.Structured) != tt.structured {
					t.Errorf("structured content\n got %s\nwant %s", res.Structured, tt.structured)
				}
				want := tt.text
				if want == "" {
					want = tt.structured
				}
				if res.Text != want {
					t.Errorf("text\n got %q\nwant %q", res.Text, want)
				}
				wantAbsent(t, string(res.Raw), "\u2028", "\u2029", `\u003c`, `\u003e`, `\u0026`, "\n")
				schema := schemas[names[name]].Output
				if hasSchema := tt.structured != "" && !tt.noSchema; hasSchema != (schema != nil) {
					t.Fatalf("output schema %s, want one: %v", schema, hasSchema)
				}
				if schema != nil {
					mustFit(t, schema, res.Structured)
				}
			})
		}
	})
	for _, e := range eventsOf[kervan.CallEvent](rec) {
		if e.Outcome != kervan.OutcomeOK {
			t.Errorf("event %+v", e)
		}
	}
}

// Schemas are what the list shows of a tool.
type schemas struct {
	Name   string          `json:"name"`
	Input  json.RawMessage `json:"inputSchema"`
	Output json.RawMessage `json:"outputSchema"`
}

// listedSchemas lists the tools and reads the bytes that came.
func listedSchemas(t *testing.T, c *kerventest.Client) map[string]schemas {
	t.Helper()
	c.Tools()
	found := map[string]schemas{}
	for line := range strings.Lines(c.Exchange()) {
		var msg struct {
			Result struct {
				Tools []schemas `json:"tools"`
			} `json:"result"`
		}
		if rest, ours := strings.CutPrefix(line, "server "); ours && json.Unmarshal([]byte(rest), &msg) == nil {
			for _, s := range msg.Result.Tools {
				found[s.Name] = s
			}
		}
	}
	return found
}

// mustFit validates a document by an implementation that is not Kervan's, as
// a client would.
func mustFit(t *testing.T, schema, doc []byte) {
	t.Helper()
	root, err := validator.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatalf("the schema is no JSON: %v\n%s", err, schema)
	}
	c := validator.NewCompiler()
	c.DefaultDraft(validator.Draft2020)
	c.AssertFormat()
	if err := c.AddResource("https://example.com/schema", root); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("https://example.com/schema")
	if err != nil {
		t.Fatalf("the schema does not compile: %v\n%s", err, schema)
	}
	value, err := validator.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		t.Fatalf("no JSON: %v\n%s", err, doc)
	}
	if err := compiled.Validate(value); err != nil {
		t.Errorf("%s does not satisfy the listed schema %s: %v", doc, schema, err)
	}
}

// TestRule1_4_ListedSchemas: no $schema, no $id, and closed objects.
func TestRule1_4_ListedSchemas(t *testing.T) {
	app, _ := newApp()
	app.Add(
		returning("catalog", catalog{}),
		returning("station", station{}),
		kervan.Tool("search", "d", func(context.Context, catalog) (string, error) { return "", nil }),
	)
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		all := listedSchemas(t, c)
		for _, s := range all {
			for _, text := range []string{string(s.Input), string(s.Output)} {
				wantAbsent(t, text, "$schema", "$id", "http")
				if text != "" && !strings.HasPrefix(text, `{"type":"object"`) {
					t.Errorf("%s: the root is no object: %s", s.Name, text)
				}
			}
		}
		wantContains(t, string(all["catalog"].Output), `"$defs":{"catalog":`, `"additionalProperties":false`)
		wantAbsent(t, string(all["station"].Output), "$defs", `"required":["lat"`)
		wantAbsent(t, string(all["search"].Input), `"null"`)
	})
}

// TestRule1_4_OpaqueResult: a result type with MarshalJSON and without
// JSONSchema has no schema, and one event says so.
func TestRule1_4_OpaqueResult(t *testing.T) {
	app, rec := newApp()
	app.Add(returning("money", money{1}), returning("rgb", rgb{1, 2, 3}), returning("purse", struct {
		A money `json:"a"`
		B money `json:"b"`
	}{}))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		s := listedSchemas(t, c)
		if s["money"].Output != nil {
			t.Errorf("money: %s", s["money"].Output)
		}
		wantContains(t, string(s["purse"].Output), `"a":{},"b":{}`)
		mustFit(t, s["purse"].Output, c.Call("purse", nil).Structured)
	})
	told := map[string]int{}
	for _, e := range eventsOf[kervan.DefinitionEvent](rec) {
		told[e.Tool+" "+e.OpaqueType]++
	}
	if want := map[string]int{"money kervan_test.money": 1, "purse kervan_test.money": 1}; !maps.Equal(told, want) {
		t.Errorf("events %v, want %v", told, want)
	}
}

type brokenJSON struct{ fail func() error }

func (b brokenJSON) MarshalJSON() ([]byte, error) { return []byte("{}"), b.fail() }

type brokenText struct{ fail func() error }

func (b brokenText) MarshalText() ([]byte, error) { return []byte("x"), b.fail() }

type loop struct {
	Next *loop `json:"next"`
}

// TestRule1_10_Unencodable: what cannot be sent exactly is a masked error, and
// nothing of it reaches the client.
func TestRule1_10_Unencodable(t *testing.T) {
	fails := func() error { return errors.New(secret) }
	panics := func() error { panic(secret) }
	endless := &loop{}
	endless.Next = endless
	bad := map[string]*kervan.ToolDef{
		"nil pointer":         returning("x", (*Position)(nil)),
		"nil pointer in any":  returning[any]("x", (*Position)(nil)),
		"nil *Result":         returning("x", (*kervan.Result)(nil)),
		"NaN":                 returning("x", math.NaN()),
		"infinity":            returning("x", Position{math.Inf(1), 0}),
		"infinity in a list":  returning("x", []float64{1, math.Inf(-1)}),
		"NaN in any":          returning[any]("x", map[string]any{"a": float32(math.NaN())}),
		"channel":             returning[any]("x", map[string]any{"a": make(chan int)}),
		"function":            returning[any]("x", func() {}),
		"cycle":               returning("x", endless),
		"year 10000":          returning("x", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)),
		"bad json.Number":     returning("x", json.Number("1e")),
		"number in disguise":  returning("x", json.Number(`1,"admin":true`)),
		"bad raw":             returning("x", rawJSON(`{"a":`)),
		"two raw values":      returning("x", rawJSON(`{} {}`)),
		"duplicate in raw":    returning("x", rawJSON(`{"a":1,"a":2}`)),
		"MarshalJSON fails":   returning("x", brokenJSON{fails}),
		"MarshalJSON panics":  returning("x", []brokenJSON{{panics}}),
		"MarshalText fails":   returning("x", brokenText{fails}),
		"MarshalText panics":  returning("x", map[string]brokenText{"a": {panics}}),
		"structured of raw":   returning("x", &kervan.Result{StructuredContent: make(chan int)}),
		"nil block":           returning("x", kervan.ResultOf(kervan.Text("a"), nil)),
		"typed nil block":     returning("x", kervan.ResultOf((*mcp.TextContent)(nil))),
		"meta of a block":     returning("x", kervan.ResultOf(&mcp.TextContent{Text: "a", Meta: mcp.Meta{"x": make(chan int)}})),
		"bad JSON in a block": returning("x", kervan.ResultOf(&mcp.TextContent{Text: "a", Meta: mcp.Meta{"x": brokenJSON{panics}}})),
	}
	app, rec := newApp()
	names := map[string]string{}
	for name, def := range bad {
		names[name] = fmt.Sprintf("t%d", len(names))
		app.Add(def.Rename(names[name]))
	}
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		for name := range bad {
			t.Run(name, func(t *testing.T) {
				res := c.Call(names[name], nil)
				if !res.IsError || !maskedText.MatchString(res.Text) || res.Structured != nil {
					t.Errorf("want a masked error, got %s", res.Raw)
				}
			})
		}
		wantAbsent(t, c.Exchange(), "hunter2", "kervan_test", "marshal")
	})
	wantContains(t, rec.logs(), "hunter2") // the log has what the client has not
}

// answerWithin bounds what a test waits for that must come soon. It is long,
// since a test only gets there when it fails.
const answerWithin = 5 * time.Second

// callSoon calls a tool that a fault might leave without an answer.
func callSoon(c *kerventest.Client, name string) (*kerventest.Result, error) {
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	return c.CallContext(ctx, name, nil)
}

// TestRule1_10_UnencodableMeta: the _meta of a result is checked like the rest
// of it; the SDK would never answer.
func TestRule1_10_UnencodableMeta(t *testing.T) {
	app, _ := newApp()
	for name, value := range map[string]any{"channel": make(chan int), "NaN": math.NaN(), "failing": brokenJSON{func() error { return errors.New(secret) }}} {
		app.Add(returning(name, &kervan.Result{Meta: mcp.Meta{"example.com/x": value}, Content: []mcp.Content{kervan.Text("a")}}))
	}
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		var wg sync.WaitGroup
		for _, name := range c.ToolNames() {
			wg.Go(func() {
				res, err := callSoon(c, name)
				switch {
				case err != nil:
					t.Errorf("%s: no answer: %v", name, err)
				case !res.IsError || !maskedText.MatchString(res.Text):
					t.Errorf("%s: want a masked error, got %s", name, res.Raw)
				}
			})
		}
		wg.Wait()
		wantAbsent(t, c.Exchange(), "hunter2")
	})
}

// inChild runs the test that calls it in a process of its own, and reports
// true there: for what ends the process if it goes wrong.
func inChild(t *testing.T) bool {
	t.Helper()
	const key = "KERVAN_TEST_CHILD"
	if os.Getenv(key) == t.Name() {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout=60s")
	cmd.Env = append(os.Environ(), key+"="+t.Name(), "GORACE=atexit_sleep_ms=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		if len(out) > 1500 {
			out = out[:1500]
		}
		t.Errorf("the process of the test: %v\n%s", err, out)
	}
	return false
}

// TestRule1_12_PanicInMeta: a value in the _meta of a result is user code too.
func TestRule1_12_PanicInMeta(t *testing.T) {
	if !inChild(t) {
		return
	}
	app, _ := newApp()
	c := serve(t, app, returning("x", &kervan.Result{Meta: mcp.Meta{"example.com/x": brokenJSON{func() error { panic(secret) }}}}))
	res, err := callSoon(c, "x")
	if err != nil || !maskedText.MatchString(res.Text) {
		t.Errorf("want a masked error, got %v %v", res, err)
	}
	c.ToolNames() // the server lives
}

// TestRule1_10_OutputValidation: the model is told that the tool is at fault,
// and the log has the pointers and none of the values.
func TestRule1_10_OutputValidation(t *testing.T) {
	closed := rawJSON(`{"type":"object","properties":{"name":{"type":"string","maxLength":3},"n":{"type":"integer"}},"required":["name"],"additionalProperties":false}`)
	type level struct {
		Level string `json:"level" jsonschema:"enum=low,enum=high"`
		Next  *level `json:"next,omitempty"`
	}
	tests := map[string]struct {
		def      *kervan.ToolDef
		pointers []string
	}{
		"enum":               {returning("x", level{Level: "hunter2"}), []string{"/level"}},
		"nested":             {returning("x", level{Level: "low", Next: &level{Level: "hunter2"}}), []string{"/next/level"}},
		"two":                {returning("x", map[string]any{"name": "hunter2", "n": "hunter2"}).OutputSchema(closed), []string{"/name", "/n"}},
		"unknown member":     {returning[any]("x", map[string]any{"name": "n", "extra": "hunter2"}).OutputSchema(closed), []string{"/extra"}},
		"raw message":        {returning("x", rawJSON(`{"name":5}`)).OutputSchema(closed), []string{"/name"}},
		"list for an object": {returning("x", []string{"hunter2"}).OutputSchema(closed), []string{"/items"}},
		"raw tool": {kervan.RawTool("x", "d", nil, func(context.Context, *kervan.Call) (*kervan.Result, error) {
			return &kervan.Result{StructuredContent: map[string]any{"name": "hunter2"}}, nil
		}).OutputSchema(closed), []string{"/name"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			app, rec := newApp()
			app.Add(tt.def)
			kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
				res := c.Call("x", nil)
				if !res.IsError || !strings.HasPrefix(res.Text, "Output validation error") || res.Structured != nil || len(res.Content) != 1 {
					t.Errorf("got %s", res.Raw)
				}
				wantContains(t, res.Text, tt.pointers...)
			})
			wantContains(t, rec.logs(), tt.pointers...)
			wantAbsent(t, rec.logs(), "hunter2")
			for _, e := range eventsOf[kervan.CallEvent](rec) {
				if e.Outcome != kervan.OutcomeBadOutput || e.Problems == 0 {
					t.Errorf("event %+v", e)
				}
			}
		})
	}
}

// TestRule1_10_DeclaredOutputIsSent: a success of a tool with an output schema
// has structured content, whoever builds the result; an error needs none.
func TestRule1_10_DeclaredOutputIsSent(t *testing.T) {
	object := rawJSON(`{"type":"object"}`)
	app, _ := newApp()
	text := func(isError bool) *kervan.Result {
		return &kervan.Result{Content: []mcp.Content{kervan.Text("only text")}, IsError: isError}
	}
	app.Add(
		returning("lacks", text(false)).OutputSchema(object),
		returning("fails", text(true)).OutputSchema(object),
		returning("string", "only text").OutputSchema(object),
		returning("none", kervan.None{}).OutputSchema(object),
	)
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		for _, name := range []string{"lacks", "string", "none"} {
			if text := c.CallErr(name, nil); !strings.HasPrefix(text, "Output validation error") {
				t.Errorf("%s: %q", name, text)
			}
		}
		if res := c.Call("fails", nil); !res.IsError || res.Text != "only text" {
			t.Errorf("an error is sent as it is: %s", res.Raw)
		}
	})
}

// TestRule1_10_ErrorsHaveNoStructuredContent, however they come about.
func TestRule1_10_ErrorsHaveNoStructuredContent(t *testing.T) {
	app, _ := newApp()
	app.Add(
		tool("tool_error", func(context.Context) (Position, error) { return Position{1, 2}, kervan.ToolErrorf("no position") }),
		tool("error", func(context.Context) (Position, error) { return Position{1, 2}, errors.New(secret) }),
		tool("panic", func(context.Context) (Position, error) { panic(secret) }),
		tool("timeout", func(ctx context.Context) (Position, error) { <-ctx.Done(); return Position{}, nil }).Timeout(time.Millisecond),
		returning("result", &kervan.Result{IsError: true, StructuredContent: Position{1, 2}, Content: []mcp.Content{kervan.Text("no")}}),
		returning("bare", &kervan.Result{IsError: true, StructuredContent: Position{1, 2}}),
		kervan.Tool("refused", "d", func(context.Context, Position) (Position, error) { return Position{}, nil }),
	)
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		for _, name := range c.ToolNames() {
			res := c.Call(name, nil)
			if !res.IsError {
				t.Errorf("%s: no error: %s", name, res.Raw)
			}
			wantAbsent(t, string(res.Raw), "structuredContent")
		}
	})
}

// TestRule1_10_Blocks: images, sounds and resources pass as they are.
func TestRule1_10_Blocks(t *testing.T) {
	size := int64(9007199254740993)
	res := kervan.ResultOf(
		kervan.Text("<b>"),
		kervan.Image([]byte("\x89PNG>?"), "image/png"),
		kervan.Audio([]byte{0, 1, 2}, "audio/wav"),
		&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///a", MIMEType: "text/html", Text: "<p>&</p>"}},
		&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///b", Blob: []byte("blob")}},
		&mcp.ResourceLink{URI: "https://example.com/?a=1&b=2", Name: "link", Size: &size},
		&mcp.TextContent{Text: "noted\u2028", Meta: mcp.Meta{"k": "<v>"}, Annotations: &mcp.Annotations{Audience: []mcp.Role{"user"}, Priority: 0.5}},
		kervan.Image(nil, "image/png"),
		kervan.Text(""),
	)
	app, _ := newApp()
	app.Add(returning("x", res))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		got := c.Call("x", nil)
		if len(got.Content) != len(res.Content) {
			t.Fatalf("got %s", got.Raw)
		}
		for i := range res.Content {
			a, errA := res.Content[i].MarshalJSON()
			b, errB := got.Content[i].MarshalJSON()
			if errA != nil || errB != nil || string(a) != string(b) {
				t.Errorf("block %d\n got %s %v\nwant %s %v", i, b, errB, a, errA)
			}
		}
		wantContains(t, string(got.Raw), `"size":9007199254740993`, `"<p>&</p>"`, `"https://example.com/?a=1&b=2"`, `{"type":"text","text":""}`)
		wantAbsent(t, string(got.Raw), `\u003c`, `\u0026`, "\u2028")
	})
}

// TestRule1_10_ContentBesideStructured: a result that has both keeps both.
func TestRule1_10_ContentBesideStructured(t *testing.T) {
	app, _ := newApp()
	app.Add(
		returning("both", &kervan.Result{StructuredContent: Position{1, 2}, Content: []mcp.Content{kervan.Text("north of here")}}),
		returning("list", &kervan.Result{StructuredContent: []int{1}}),
		returning("meta", &kervan.Result{Meta: mcp.Meta{"example.com/n": json.Number("9007199254740993"), "example.com/<x>": "a\u2028"}}),
	)
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		if res := c.Call("both", nil); string(res.Structured) != `{"lat":1,"lon":2}` || res.Text != "north of here" {
			t.Errorf("both: %s", res.Raw)
		}
		if res := c.Call("list", nil); string(res.Structured) != `{"items":[1]}` || res.Text != `{"items":[1]}` {
			t.Errorf("list: %s", res.Raw)
		}
		raw := string(c.Call("meta", nil).Raw)
		wantContains(t, raw, `"example.com/n":9007199254740993`, `"example.com/<x>":"a\u2028"`, `"content":[]`)
	})
}

// shared is a result that many calls return, as a package may keep one.
var shared = &kervan.Result{
	Content:           []mcp.Content{kervan.Text("same"), kervan.Image([]byte{1}, "image/png")},
	StructuredContent: map[string]any{"n": 1},
	Meta:              mcp.Meta{"example.com/k": map[string]any{"a": "b"}},
}

// TestRule1_10_OneResultForEver returns one value from 1,000 calls at once.
func TestRule1_10_OneResultForEver(t *testing.T) {
	t.Parallel()
	before := fmt.Sprintf("%#v %#v", *shared, shared.Content[0])
	app, _ := newApp()
	app.Add(returning("x", shared), kervan.RawTool("raw", "d", nil, func(context.Context, *kervan.Call) (*kervan.Result, error) { return shared, nil }))
	clients := []*kerventest.Client{kerventest.New(t, app), kerventest.New(t, app, kerventest.InEra(kerventest.Legacy))}
	var wg sync.WaitGroup
	for i := range 40 {
		c := clients[i%2]
		wg.Go(func() {
			for j := range 25 {
				res, err := c.CallContext(context.Background(), []string{"x", "raw"}[j%2], nil)
				if err != nil {
					t.Error(err)
					return
				}
				if res.Text != "same" || len(res.Content) != 2 || string(res.Structured) != `{"n":1}` || !strings.Contains(string(res.Raw), `"example.com/k":{"a":"b"}`) {
					t.Errorf("got %s", res.Raw)
				}
			}
		})
	}
	wg.Wait()
	if after := fmt.Sprintf("%#v %#v", *shared, shared.Content[0]); after != before {
		t.Errorf("the value changed\n from %s\n to   %s", before, after)
	}
}

// TestRule1_10_OneResultUnderMiddleware: middleware may change the result that
// it gets, and a value that is returned again must not show it.
func TestRule1_10_OneResultUnderMiddleware(t *testing.T) {
	kept := func() *kervan.Result {
		return &kervan.Result{Content: []mcp.Content{kervan.Text("one"), kervan.Text("two")}, Meta: mcp.Meta{"k": "v"}}
	}
	typed, raw := kept(), kept()
	app, _ := newApp()
	app.Use(func(next kervan.Handler) kervan.Handler {
		return func(ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
			res, err := next(ctx, call)
			if err == nil {
				res.Content[0] = kervan.Text("***")
				res.Content = append(res.Content[:1], kervan.Text("three"))
				res.Meta["seen"] = true
				res.StructuredContent = map[string]any{"mine": true}
			}
			return res, err
		}
	})
	app.Add(returning("typed", typed), kervan.RawTool("raw", "d", nil, func(context.Context, *kervan.Call) (*kervan.Result, error) { return raw, nil }))
	c := kerventest.New(t, app)
	for name, value := range map[string]*kervan.Result{"typed": typed, "raw": raw} {
		if got := c.Call(name, nil).Text; got != "***\nthree" {
			t.Errorf("%s: %q", name, got)
		}
		if !reflect.DeepEqual(value, kept()) {
			t.Errorf("%s: the handler's own value was changed: %+v", name, value)
		}
	}
}
