package wire

import (
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A call is a request of the client that the SDK has not answered yet.
type call struct {
	method    string
	to        *side
	cancelled bool // its answer is not sent
	counted   bool // it counts as running: not a listen stream, not cancelled
}

// A callTable knows the calls in flight of one connection. It decides which
// ids are taken, how many calls run, and when a draining connection is done.
type callTable struct {
	max int

	mu      sync.Mutex
	byID    map[jsonrpc.ID]*call
	running int // calls that count
	streams int // listen streams
	// answering counts the calls whose answer is being written: their places
	// are free, since the client may send the next call once it has the answer.
	answering int
	draining  bool
	ended     chan struct{} // closed when draining is over
	timer     *time.Timer
}

func newCallTable(max int) *callTable {
	return &callTable{max: max, byID: map[jsonrpc.ID]*call{}, ended: make(chan struct{})}
}

// maxStreams bounds the listen streams of one connection.
const maxStreams = 16

// add registers a call, or says why it is refused.
func (t *callTable) add(id jsonrpc.ID, method string, to *side) *Failure {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.byID[id] != nil:
		return &Failure{Code: CodeInvalidRequest, Message: textIDInUse}
	case t.draining:
		return &Failure{Code: CodeUnavailable, Message: textDraining, ID: appendID(nil, id)}
	case t.full(method):
		return &Failure{Code: CodeUnavailable, Message: textTooManyCalls, ID: appendID(nil, id)}
	}
	c := &call{method: method, to: to, counted: method != methodListen}
	if c.counted {
		t.running++
	} else {
		t.streams++
	}
	t.byID[id] = c
	return nil
}

// full also bounds what is not counted as running: pings, which answer while
// the server is busy, and cancelled calls whose handler has not returned.
func (t *callTable) full(method string) bool {
	switch {
	case len(t.byID) >= 4*t.max+maxStreams:
		return true
	case method == methodPing:
		return false
	case method == methodListen:
		return t.streams >= maxStreams
	}
	return t.running >= t.max
}

// has reports whether id belongs to a call that has not been answered.
func (t *callTable) has(id jsonrpc.ID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id] != nil
}

// cancel frees the place of a call at once and returns the side that is to hear
// of it. The id stays taken until the SDK has answered, so that a late answer is
// never sent for another call. Nil is returned for a call that is not running,
// and for initialize, which the protocol does not let a client cancel.
func (t *callTable) cancel(id jsonrpc.ID) *side {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.byID[id]
	if c == nil || c.cancelled || c.method == methodInitialize {
		return nil
	}
	c.cancelled = true
	t.release(c)
	return c.to
}

// take removes a call that is being answered, and reports whether its answer is
// to be sent. The table does not end before done.
func (t *callTable) take(id jsonrpc.ID) (send bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answering++
	c := t.byID[id]
	if c == nil {
		return true
	}
	delete(t.byID, id)
	if c.cancelled {
		return false
	}
	t.release(c)
	return true
}

// done follows take when the answer was written.
func (t *callTable) done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answering--
	t.endIfIdle()
}

func (t *callTable) release(c *call) {
	if !c.counted {
		t.streams--
		return
	}
	t.running--
	t.endIfIdle()
}

func (t *callTable) endIfIdle() {
	if t.draining && t.running == 0 && t.answering == 0 {
		t.end()
	}
}

// drain ends the table when no call is running, after limit at the latest.
func (t *callTable) drain(limit time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.draining {
		return
	}
	t.draining = true
	if limit <= 0 {
		t.end()
		return
	}
	t.timer = time.AfterFunc(limit, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.end()
	})
	t.endIfIdle()
}

// stop ends the table now.
func (t *callTable) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.draining = true
	t.end()
}

func (t *callTable) end() {
	if t.timer != nil {
		t.timer.Stop()
	}
	select {
	case <-t.ended:
	default:
		close(t.ended)
	}
}
