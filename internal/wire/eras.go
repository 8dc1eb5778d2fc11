package wire

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A side is one SDK session on a connection. The SDK gives a session the era of
// what it meets first: after a call or a server/discover of protocol 2026-07-28
// it refuses initialize, treats calls of older clients as new ones, and no
// longer sends list_changed unasked. So a connection on which both eras are
// spoken has two sessions, see [Options.Second].
type side struct {
	c      *Conn
	in     chan jsonrpc.Message
	second bool
}

// secondIDs is added to the ids of the second session's own requests, to tell
// the client's answers apart.
const secondIDs = 1 << 40

// Connect returns the side itself.
func (s *side) Connect(context.Context) (mcp.Connection, error) { return s, nil }

// SessionID returns the empty string.
func (s *side) SessionID() string { return "" }

// Close closes the whole connection.
func (s *side) Close() error { return s.c.Close() }

func (s *side) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case msg := <-s.in:
		return msg, nil
	case <-s.c.calls.ended:
		return nil, s.c.endOfInput()
	case <-s.c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *side) Write(_ context.Context, msg jsonrpc.Message) error {
	switch m := msg.(type) {
	case *jsonrpc.Response:
		return s.c.answer(m)
	case *jsonrpc.Request:
		if s.second {
			msg = shiftRequest(m)
		}
	}
	return s.c.send(msg)
}

// shiftRequest returns a request of the second session with an id of its own.
func shiftRequest(m *jsonrpc.Request) *jsonrpc.Request {
	shifted := *m
	if n, ok := m.ID.Raw().(int64); ok {
		shifted.ID, _ = jsonrpc.MakeID(float64(n + secondIDs))
	}
	if m.Method == methodCancelled && isObject(m.Params) {
		var patches []patch
		for p := range members(m.Params) {
			if n, ok := exactInt(p.value); ok && string(p.key) == "requestId" {
				patches = append(patches, patch{p.at, p.at + len(p.value), string(appendInt(nil, n+secondIDs))})
			}
		}
		shifted.Params = applyPatches(m.Params, patches)
	}
	return &shifted
}

// A switchboard finds the session for a message. Only the reading goroutine
// uses it.
type switchboard struct {
	first, second *side
	known, modern bool // the era of the first session
}

func (c *Conn) sideOf(msg jsonrpc.Message) *side {
	b := &c.board
	switch m := msg.(type) {
	case *jsonrpc.Response:
		n, ok := m.ID.Raw().(int64)
		if b.second == nil || !ok || n < secondIDs {
			return b.first
		}
		m.ID, _ = jsonrpc.MakeID(float64(n - secondIDs))
		return b.second
	case *jsonrpc.Request:
		if m.IsCall() && c.opts.Second != nil {
			return c.sideOfCall(isModern(m))
		}
		// Notifications belong to the older protocols, but for cancellations,
		// which go where their call went.
		if b.second != nil && b.modern {
			return b.second
		}
	}
	return b.first
}

func (c *Conn) sideOfCall(modern bool) *side {
	b := &c.board
	if !b.known {
		b.known, b.modern = true, modern
	}
	if modern == b.modern {
		return b.first
	}
	if b.second == nil {
		s := &side{c: c, in: make(chan jsonrpc.Message), second: true}
		if c.opts.Second(s) != nil {
			return b.first
		}
		b.second = s
	}
	return b.second
}

// isModern reports a call that names protocol 2026-07-28 or later for itself.
func isModern(req *jsonrpc.Request) bool {
	for m := range members(req.Params) {
		if string(m.key) != "_meta" || !isObject(m.value) {
			continue
		}
		for n := range members(m.value) {
			if string(n.key) == "io.modelcontextprotocol/protocolVersion" && isString(n.value) {
				return text(n.value) >= "2026-07-28"
			}
		}
	}
	return false
}
