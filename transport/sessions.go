package transport

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan/internal/wire"
)

// Defaults of SessionOptions.
const (
	defaultIdleTimeout = 30 * time.Minute
	defaultMaxSessions = 1000
)

// SessionOptions bound the sessions of [WithSessions]. The zero value means the
// defaults.
type SessionOptions struct {
	// IdleTimeout is how long a session without a running request or an open
	// stream is kept. 0 means 30 minutes.
	IdleTimeout time.Duration
	// Max is how many sessions there are at most. One more takes the place of the
	// one that is idle longest, and is answered with 503 when none is idle. 0 means
	// 1,000.
	Max int
}

// WithSessions keeps sessions for clients older than protocol 2026-07-28, which
// can then be told of changes, be asked for input by a tool, and cancel calls.
// A session belongs to the caller and the registry that it was opened with;
// others, and unknown ids, are answered with 404. It lives in this process only:
// several behind one address need a load balancer that keeps a client with its
// process.
//
// By default there are no sessions, and a session id that a client still has is
// ignored. Clients of 2026-07-28 never have one.
func WithSessions(bounds SessionOptions) Option {
	return optionFunc(func(o *options) error {
		switch {
		case bounds.IdleTimeout < 0:
			return badOption("SessionOptions.IdleTimeout", bounds.IdleTimeout)
		case bounds.Max < 0:
			return badOption("SessionOptions.Max", bounds.Max)
		}
		if bounds.IdleTimeout == 0 {
			bounds.IdleTimeout = defaultIdleTimeout
		}
		if bounds.Max == 0 {
			bounds.Max = defaultMaxSessions
		}
		o.sessions = &bounds
		return nil
	})
}

// A session is what the SDK keeps of one client.
type session struct {
	id     string
	owner  string
	server *mcp.Server // of the registry that it was opened with

	http *mcp.StreamableServerTransport
	conn mcp.Connection // the SDK's
	sdk  *mcp.ServerSession

	mu     sync.Mutex
	extras map[string]*mcp.RequestExtra // of messages that the SDK has not read yet

	// The table's lock guards these.
	active int // requests and streams
	idleAt time.Time
	timer  *time.Timer
}

// openSession begins a session for the caller of q.
func (q *request) openSession() (*session, error) {
	id := rand.Text()
	s := &session{
		id: id, owner: q.owner(), server: q.server,
		http:   &mcp.StreamableServerTransport{SessionID: id},
		extras: map[string]*mcp.RequestExtra{},
	}
	var err error
	s.sdk, err = q.server.Connect(q.ctx, s, nil)
	return s, err
}

// Connect makes the session the SDK's transport: it is the SDK's own, but for
// what goes in and out.
func (s *session) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := s.http.Connect(ctx)
	if err != nil {
		return nil, err
	}
	s.conn = conn
	return &sessionConn{conn, s}, nil
}

// SupportsProtocolVersion reports the versions that have sessions.
func (s *session) SupportsProtocolVersion(version string) bool { return version < firstModern }

// end ends the session and cancels what runs in it.
func (s *session) end() {
	_ = s.conn.Close()
	go func() { _ = s.sdk.Close() }() // waits for handlers that do not return
}

// A sessionConn is the SDK's connection with Kervan's knowledge of the caller,
// and with errors that say no more than they may.
type sessionConn struct {
	mcp.Connection
	s *session
}

// headerExchange joins an HTTP request and the message that the SDK reads of it.
const headerExchange = "Kervan-Exchange"

func (s *session) keepExtra(extra *mcp.RequestExtra) {
	key := rand.Text()
	extra.Header[headerExchange] = []string{key}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.extras[key] = extra
}

func (s *session) dropExtra(extra *mcp.RequestExtra) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.extras, headerOf(extra.Header, headerExchange))
}

func (c *sessionConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if req, ok := msg.(*jsonrpc.Request); ok && err == nil {
		if extra, ok := req.Extra.(*mcp.RequestExtra); ok {
			req.Extra = c.s.takeExtra(extra)
		}
	}
	return msg, err
}

func (s *session) takeExtra(sdk *mcp.RequestExtra) *mcp.RequestExtra {
	key := headerOf(sdk.Header, headerExchange)
	s.mu.Lock()
	defer s.mu.Unlock()
	extra := s.extras[key]
	if extra == nil {
		return &mcp.RequestExtra{}
	}
	delete(s.extras, key)
	delete(extra.Header, headerExchange)
	return extra
}

func (c *sessionConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if m, ok := msg.(*jsonrpc.Response); ok && m.Error != nil {
		copied := *m
		copied.Error = wire.Sanitize(m.Error)
		msg = &copied
	}
	return c.Connection.Write(ctx, msg)
}

// A sessionTable knows the sessions of a handler. A nil one has none.
type sessionTable struct {
	bounds SessionOptions

	mu   sync.Mutex
	byID map[string]*session
	over bool
}

func newSessionTable(bounds SessionOptions) *sessionTable {
	return &sessionTable{bounds: bounds, byID: map[string]*session{}}
}

// use returns the session of an id for one request, which calls done when it is
// through. Somebody else's session is not found.
func (t *sessionTable) use(id, owner string, server *mcp.Server) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byID[id]
	if s == nil || s.owner != owner || s.server != server {
		return nil
	}
	s.active++
	s.timer.Stop()
	return s
}

// done ends a use.
func (t *sessionTable) done(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.active--; s.active == 0 && t.byID[s.id] == s {
		s.idleAt = time.Now()
		s.timer.Reset(t.bounds.IdleTimeout)
	}
}

// add takes a new session in, in use. It reports false when there is no place.
func (t *sessionTable) add(s *session) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || len(t.byID) >= t.bounds.Max && !t.evict() {
		return false
	}
	s.active = 1
	s.timer = time.AfterFunc(t.bounds.IdleTimeout, func() { t.expire(s) })
	s.timer.Stop()
	t.byID[s.id] = s
	return true
}

// evict ends the session that is idle longest; mu is held.
func (t *sessionTable) evict() bool {
	var oldest *session
	for _, s := range t.byID {
		if s.active == 0 && (oldest == nil || s.idleAt.Before(oldest.idleAt)) {
			oldest = s
		}
	}
	if oldest == nil {
		return false
	}
	oldest.timer.Stop()
	delete(t.byID, oldest.id)
	oldest.end()
	return true
}

// expire ends a session that is idle.
func (t *sessionTable) expire(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.active == 0 && t.byID[s.id] == s {
		delete(t.byID, s.id)
		s.end()
	}
}

// remove ends a session.
func (t *sessionTable) remove(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID[s.id] == s {
		s.timer.Stop()
		delete(t.byID, s.id)
	}
	s.end()
}

// end ends all sessions, and those to come.
func (t *sessionTable) end() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	for id, s := range t.byID {
		s.timer.Stop()
		delete(t.byID, id)
		s.end()
	}
}
