package bench

import (
	"sync"
	"testing"

	"github.com/kervan-mcp/kervan/bench/internal/work"
)

// A scenario is work that every peer can be given.
type scenario struct {
	name  string
	tools func() []work.Tool
	// peers are in the order of the tables; ratios refer to the first one.
	peers []peer
	// call is what is called; without it the tools are listed.
	call *work.Call
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

var (
	callPeers = []peer{kervanPeer, goSDKPeer, mcpGoPeer, mcpGoBothPeer}
	listPeers = []peer{kervanPeer, goSDKPeer, mcpGoPeer}
)

// The scenarios. callMany is callAdd in a server with many other tools.
var (
	callAdd   = scenario{name: "add", peers: callPeers, call: work.Add, calls: 1000, tools: oneTool(work.AddTool)}
	callOrder = scenario{name: "order", peers: callPeers, call: work.Order, calls: 300, tools: oneTool(work.OrderTool)}
	callMany  = scenario{name: "add-of-5000", peers: callPeers[:1], call: work.Add, calls: 3000,
		tools: func() []work.Tool { return append(work.Named(4999), work.AddTool) }}
	list200  = scenario{name: "200", peers: listPeers, calls: 30, tools: func() []work.Tool { return work.Named(200) }}
	list5000 = scenario{name: "5000", peers: listPeers, calls: 2, tools: func() []work.Tool { return work.Named(5000) }}
)

func oneTool(t work.Tool) func() []work.Tool { return func() []work.Tool { return []work.Tool{t} } }

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
	tools    func() []work.Tool
	serving  map[string]serveFunc
}

func newBed(s scenario) *bed {
	return &bed{scenario: s, tools: sync.OnceValue(s.tools), serving: map[string]serveFunc{}}
}

// workload returns the work for a peer in an era, with a client that lives as
// long as tb. It ends tb when an answer is wrong.
func (b *bed) workload(tb testing.TB, p peer, e work.Era) *workload {
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
	if e == work.Legacy {
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

func lineOf(message []byte) []byte { return append(message, '\n') }

// checkCall makes the request and checks its answer. Then it checks that wrong
// arguments are refused.
func (w *workload) checkCall(tb testing.TB, e work.Era, c *work.Call) {
	tb.Helper()
	line := lineOf(c.Request(e))
	answer := w.client.answer(tb, line)
	if err := c.Check(answer); err != nil {
		tb.Fatal(err)
	}
	w.requests, w.answers = [][]byte{line}, [][]byte{answer}
	if err := work.CheckRefused(w.client.answer(tb, lineOf(c.BrokenRequest(e)))); err != nil {
		tb.Fatal(err)
	}
}

// checkList walks through the pages and checks that together they have n tools.
func (w *workload) checkList(tb testing.TB, e work.Era, n int) {
	tb.Helper()
	var list work.List
	for cursor := ""; ; {
		line := lineOf(work.ListRequest(e, cursor))
		answer := w.client.answer(tb, line)
		next, err := list.Page(answer)
		if err != nil {
			tb.Fatal(err)
		}
		w.requests, w.answers = append(w.requests, line), append(w.answers, answer)
		if cursor = next; cursor == "" {
			break
		}
	}
	if list.Len() != n {
		tb.Fatalf("%d tools are listed, not %d", list.Len(), n)
	}
}

// TestAnswers checks what the benchmarks rely on without measuring anything.
func TestAnswers(t *testing.T) {
	for _, s := range []scenario{callAdd, callOrder, callMany, list200, list5000} {
		bed := newBed(s)
		for _, e := range work.Eras {
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
