package bench

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// A scenario is work that every peer can be given.
type scenario struct {
	name  string
	tools func() []tool
	// peers are in the order of the tables; ratios refer to the first one.
	peers []peer
	// call is the tool that is called; without it the tools are listed.
	call *call
	// calls is how often a round of TestRatios does the work.
	calls int
}

// title names the scenario with its method.
func (s scenario) title() string {
	if s.call == nil {
		return "list/" + s.name
	}
	return "call/" + s.name
}

// A call is a tools/call, and one that has to be refused.
type call struct {
	tool      tool
	arguments string
	broken    string
}

var addCall = &call{tool: addTool, arguments: `{"a":1.5,"b":2.25}`, broken: `{"a":1.5,"b":"2.25"}`}

var orderCall = newOrderCall()

// newOrderCall breaks the type of the last item's quantity.
func newOrderCall() *call {
	arguments, err := json.Marshal(orderArguments())
	if err != nil {
		panic(err) // plain data of this package
	}
	broken := strings.Replace(string(arguments), `"quantity":2}]}`, `"quantity":"2"}]}`, 1)
	return &call{tool: orderTool, arguments: string(arguments), broken: broken}
}

var (
	callPeers = []peer{kervanPeer, goSDKPeer, mcpGoPeer, mcpGoBothPeer}
	listPeers = []peer{kervanPeer, goSDKPeer, mcpGoPeer}
)

// The scenarios. callMany is callAdd in a server with many other tools.
var (
	callAdd   = scenario{name: "add", peers: callPeers, call: addCall, calls: 1000, tools: oneTool(addTool)}
	callOrder = scenario{name: "order", peers: callPeers, call: orderCall, calls: 300, tools: oneTool(orderTool)}
	callMany  = scenario{name: "add-of-5000", peers: callPeers[:1], call: addCall, calls: 3000,
		tools: func() []tool { return append(manyTools(4999), addTool) }}
	list200  = scenario{name: "200", peers: listPeers, calls: 30, tools: func() []tool { return manyTools(200) }}
	list5000 = scenario{name: "5000", peers: listPeers, calls: 2, tools: func() []tool { return manyTools(5000) }}
)

func oneTool(t tool) func() []tool { return func() []tool { return []tool{t} } }

// A workload is a scenario in one era with one server, checked and ready to be
// repeated.
type workload struct {
	client   *client
	requests [][]byte
	answers  [][]byte
}

// once does the work one time. An answer that has not the length of the one that
// was checked is an error.
func (w *workload) once(tb testing.TB) {
	for i, line := range w.requests {
		n, err := w.client.exchange(line)
		if err != nil || n != len(w.answers[i]) {
			tb.Fatalf("%d bytes were answered, %d expected: %v", n, len(w.answers[i]), err)
		}
	}
}

// A bed has the servers of a scenario. Each is built when it is first needed, and
// all of them are garbage with the bed, so that no scenario pays for the heap of
// another.
type bed struct {
	scenario scenario
	tools    func() []tool
	serving  map[string]serveFunc
}

func newBed(s scenario) *bed {
	return &bed{scenario: s, tools: sync.OnceValue(s.tools), serving: map[string]serveFunc{}}
}

// workload returns the work for a peer in an era, with a client that lives as
// long as tb. It ends tb when an answer is wrong.
func (b *bed) workload(tb testing.TB, p peer, e era) *workload {
	tb.Helper()
	serve := b.serving[p.name]
	if serve == nil {
		var err error
		if serve, err = p.start(b.tools()); err != nil {
			tb.Fatal(err)
		}
		b.serving[p.name] = serve
	}
	c := connect(tb, serve)
	if e == legacy {
		c.initialize(tb)
	}
	w := &workload{client: c}
	if b.scenario.call != nil {
		w.checkCall(tb, e, b.scenario.call)
	} else {
		w.checkList(tb, e, len(b.tools()))
	}
	return w
}

// replayed returns the work for a server that only repeats the answers of w.
func (w *workload) replayed(tb testing.TB) *workload {
	return &workload{client: connect(tb, replay(w.answers)), requests: w.requests, answers: w.answers}
}

// checkCall makes the request and checks its answer: it is what the function
// returns, as structured content and as text. Then it checks that wrong
// arguments are refused.
func (w *workload) checkCall(tb testing.TB, e era, c *call) {
	tb.Helper()
	request := func(arguments string) []byte {
		return e.request("tools/call", params{Name: c.tool.name, Arguments: json.RawMessage(arguments)})
	}
	var result struct {
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	line := request(c.arguments)
	answer := w.client.answer(tb, line)
	if err := json.Unmarshal(resultOf(tb, answer), &result); err != nil {
		tb.Fatal(err)
	}
	out, err := c.tool.direct([]byte(c.arguments))
	if err != nil {
		tb.Fatal(err)
	}
	want, err := json.Marshal(out)
	if err != nil {
		tb.Fatal(err)
	}
	if result.IsError || len(result.Content) != 1 || result.Content[0].Type != "text" ||
		!sameJSON(want, result.StructuredContent) || !sameJSON(want, []byte(result.Content[0].Text)) {
		tb.Fatalf("want %s\nhave %s", clip(want), clip(answer))
	}
	w.requests, w.answers = [][]byte{line}, [][]byte{answer}

	if c.broken == c.arguments {
		tb.Fatal("the broken arguments are not broken")
	}
	var refusal struct {
		Result struct{ IsError bool }
		Error  json.RawMessage
	}
	refused := w.client.answer(tb, request(c.broken))
	if err := json.Unmarshal(refused, &refusal); err != nil || !refusal.Result.IsError && refusal.Error == nil {
		tb.Fatalf("wrong arguments were accepted (%v): %s", err, clip(refused))
	}
}

// checkList walks through the pages and checks that together they have n
// different tools, each with a description and both schemas.
func (w *workload) checkList(tb testing.TB, e era, n int) {
	tb.Helper()
	type object struct {
		Type       string
		Properties map[string]any
		Required   []string
	}
	type page struct {
		NextCursor string
		Tools      []struct {
			Name, Description string
			InputSchema       object
			OutputSchema      object
		}
	}
	seen := map[string]bool{}
	for cursor := ""; ; {
		var p page
		line := e.request("tools/list", params{Cursor: cursor})
		answer := w.client.answer(tb, line)
		if err := json.Unmarshal(resultOf(tb, answer), &p); err != nil {
			tb.Fatal(err)
		}
		for _, t := range p.Tools {
			in, out := t.InputSchema, t.OutputSchema
			if seen[t.Name] || t.Description == "" || in.Type != "object" || len(in.Properties) != 2 || len(in.Required) != 2 ||
				out.Type != "object" || len(out.Properties) != 1 || len(out.Required) != 1 {
				tb.Fatalf("tool %q is listed twice or not whole: %+v", t.Name, t)
			}
			seen[t.Name] = true
		}
		w.requests, w.answers = append(w.requests, line), append(w.answers, answer)
		if cursor = p.NextCursor; cursor == "" {
			break
		}
	}
	if len(seen) != n {
		tb.Fatalf("%d tools are listed, not %d", len(seen), n)
	}
}

func sameJSON(a, b []byte) bool {
	var values [2]any
	for i, data := range [][]byte{a, b} {
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		if d.Decode(&values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

// TestAnswers checks what the benchmarks rely on without measuring anything.
func TestAnswers(t *testing.T) {
	for _, s := range []scenario{callAdd, callOrder, callMany, list200, list5000} {
		bed := newBed(s)
		for _, e := range eras {
			for _, p := range s.peers {
				t.Run(s.title()+"/"+string(e)+"/"+p.name, func(t *testing.T) {
					w := bed.workload(t, p, e)
					w.once(t)
					w.replayed(t).once(t)
				})
			}
		}
	}
}

// TestSizes holds the realistic call to the sizes that README.md tells.
func TestSizes(t *testing.T) {
	out, err := orderTool.direct([]byte(orderCall.arguments))
	if err != nil {
		t.Fatal(err)
	}
	result, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(orderCall.arguments); n < 850 || n > 950 {
		t.Errorf("the arguments have %d bytes, not about 900", n)
	}
	if n := len(result); n < 1900 || n > 2200 {
		t.Errorf("the result has %d bytes, not about 2,000", n)
	}
}
