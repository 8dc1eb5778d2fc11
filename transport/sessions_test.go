package transport_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

func itoa(n int) string { return strconv.Itoa(n) }

const hi = `{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}`

// A sessionOf is a session that the tests speak for by hand.
type sessionOf struct {
	*httpServer
	id string
}

func (s *httpServer) initialize(changes ...change) *sessionOf {
	s.t.Helper()
	r := s.do(rpc("0", "initialize", hi), changes...)
	require.Equal(s.t, 200, r.status, r.body)
	require.Contains(s.t, r.body, `"id":0,"result"`)
	session := &sessionOf{s, r.header.Get("Mcp-Session-Id")}
	require.NotEmpty(s.t, session.id)
	r = session.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, changes...)
	require.Equal(s.t, 202, r.status, r.body)
	return session
}

func (s *sessionOf) send(body string, changes ...change) reply {
	s.t.Helper()
	return s.do(body, append([]change{set("Mcp-Session-Id", s.id), set("Mcp-Protocol-Version", legacy)}, changes...)...)
}

func (s *sessionOf) stream(changes ...change) (*stream, reply) {
	s.t.Helper()
	return s.open("", append([]change{method("GET"), set("Mcp-Session-Id", s.id)}, changes...)...)
}

func sessions(max int) transport.Option {
	return transport.WithSessions(transport.SessionOptions{Max: max})
}

func TestRule3_4_Sessions(t *testing.T) {
	box := newToolbox()
	s := newHTTP(t, box.App, sessions(0))
	session := s.initialize()
	assert.Equal(t, 1, s.handler.Sessions())
	r := session.send(toolCall("add", `{"a":1,"b":2}`))
	assert.Contains(t, r.body, `{"sum":3}`)
	assert.Equal(t, "application/json", r.header.Get("Content-Type"), "an answer alone needs no stream")

	r = session.send(rpc("5", "tools/call", `{"name":"steps","_meta":{"progressToken":"p"}}`))
	assert.Equal(t, "text/event-stream", r.header.Get("Content-Type"))
	assert.Equal(t, 4, strings.Count(r.body, "data: "))
	r = session.send(rpc("5", "tools/call", `{"name":"steps","_meta":{"progressToken":"p"}}`), set("Accept", "application/json"))
	assert.Equal(t, 200, r.status)

	st, _ := session.stream()
	require.NotNil(t, st)
	assert.True(t, strings.HasPrefix(st.next(), ":"))
	changeTools(box.App)
	assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}`, st.next())
	_, r = session.stream()
	refused(t, r, 409, -32600)

	r = session.send("", method("DELETE"))
	assert.Equal(t, 204, r.status)
	st.ended()
	refused(t, session.send(ping), 404, -32600)
	refused(t, session.send("", method("DELETE")), 404, -32600)
	assert.Zero(t, s.handler.Sessions())
}

func TestRule3_4_SessionMethods(t *testing.T) {
	s := newHTTP(t, newToolbox().App, sessions(0))
	r := s.do("", method("PUT"))
	refused(t, r, 405, -32600)
	assert.Equal(t, "GET, POST, DELETE", r.header.Get("Allow"))
	refused(t, s.do("", method("GET"), set("Mcp-Protocol-Version", modern)), 405, -32600)
	for _, m := range []string{"GET", "DELETE"} {
		refused(t, s.do("", method(m)), 400, -32600)
		refused(t, s.do("", method(m), set("Mcp-Session-Id", "unknown")), 404, -32600)
	}
	for _, body := range []string{ping, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`} {
		refused(t, s.do(body, set("Mcp-Session-Id", "unknown")), 404, -32600)
	}
	assert.Equal(t, 200, s.do(ping).status, "without a session")
	assert.Equal(t, 200, s.do(rpc("1", "initialize", hi), set("Mcp-Session-Id", "stale")).status, "a new session in place of a stale one")
	assert.Equal(t, 200, s.call(modern, "add", `{"a":1,"b":2}`, set("Mcp-Session-Id", "unknown")).status, "newer clients have no sessions")
	refused(t, s.do("[]", set("Mcp-Session-Id", s.initialize().id)), 400, -32600)
}

func TestRule3_4_SessionErrors(t *testing.T) {
	s := newHTTP(t, newToolbox().App, sessions(0))
	session := s.initialize()
	refused(t, session.send(rpc("1", "unknown/method", "{}")), 200, -32601)
	refused(t, session.send(rpc("1", "prompts/get", `{"name":{}}`)), 200, -32602)
	message := refused(t, session.send(toolCall("nothing", "{}")), 200, -32602)
	assert.NotContains(t, message, "mcp.")
}

func TestRule1_6_IDsInSessions(t *testing.T) {
	s := newHTTP(t, newToolbox().App, sessions(0))
	session := s.initialize()
	for _, id := range []string{"0", "-1", "9007199254740993", "18446744073709551617", `"x"`, `""`} {
		r := session.send(rpc(id, "tools/call", `{"name":"whoami"}`))
		assert.Contains(t, r.body, `{"jsonrpc":"2.0","id":`+id+`,"result"`)
		assert.Contains(t, r.body, "anonymous "+strings.Trim(id, `"`)+`"`)
		r = session.send(rpc(id, "tools/call", `{"name":"steps","_meta":{"progressToken":`+id+`}}`))
		assert.Contains(t, r.body, `"progressToken":`+id)
		assert.NotContains(t, r.body, "kervan:int")
	}
}

func TestRule3_4_SessionsHaveOwners(t *testing.T) {
	who := func(r *http.Request) (*auth.TokenInfo, error) {
		switch u := r.Header.Get("X-User"); u {
		case "":
			return nil, nil
		case "nameless":
			return &auth.TokenInfo{}, nil
		default:
			return &auth.TokenInfo{UserID: u}, nil
		}
	}
	a, b := registryWith(t, "alpha"), registryWith(t, "alpha")
	s := tenantServer(t, map[string]kervan.Registry{"a": a, "b": b}, transport.Authenticate(who), sessions(0))
	as := func(user, key, tenant string) change {
		return func(r *http.Request) {
			r.Header.Set("X-User", user)
			r.Header.Set("Authorization", key)
			r.URL.Path = "/s/" + tenant + "/mcp"
		}
	}
	owners := []change{as("ada", "k", "a"), as("", "k", "a"), as("nameless", "k1", "a")}
	all := append(owners, as("bob", "k", "a"), as("ada", "k", "b"), as("nameless", "k2", "a"), as("nameless", "k1", "b"))
	for i, owner := range owners {
		session := s.initialize(owner)
		for j, other := range all {
			for _, use := range []func() reply{
				func() reply { return session.send(ping, other) },
				func() reply {
					return session.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, other)
				},
				func() reply { return session.send(`{"jsonrpc":"2.0","id":1,"result":{}}`, other) },
			} {
				if r := use(); i == j {
					assert.Less(t, r.status, 300, r.body)
				} else {
					refused(t, r, 404, -32600)
				}
			}
			if i != j {
				refused(t, session.send("", method("DELETE"), other), 404, -32600)
				_, r := session.stream(other)
				refused(t, r, 404, -32600)
			}
		}
		assert.Equal(t, 200, session.send(ping, owner).status, "still there")
	}
}

func TestRule3_4_SessionCredentialsAreOfEachRequest(t *testing.T) {
	app := newToolbox().App
	app.Add(kervan.Tool("scopes", "Tells the scopes.", func(ctx context.Context, _ none) (string, error) {
		call := kervan.CallFromContext(ctx)
		return strings.Join(call.Auth().Scopes, "+") + " " + call.RequestID(), nil
	}))
	s := newHTTP(t, app, sessions(0), transport.Authenticate(func(r *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: "ada", Scopes: []string{r.Header.Get("X-Scope")}}, nil
	}))
	session := s.initialize(set("X-Scope", "first"))
	r := session.send(rpc("8", "tools/call", `{"name":"scopes"}`), set("X-Scope", "second"), set("Kervan-Exchange", "x"), set("Kervan-Request-Id", "y"))
	assert.Contains(t, r.body, "second 8")
}

func TestRule3_4_SessionBounds(t *testing.T) {
	box := newToolbox()
	s := newHTTP(t, box.App, sessions(2))
	first, second := s.initialize(), s.initialize()
	assert.Equal(t, 200, first.send(ping).status) // second is idle longer now
	third := s.initialize()
	assert.Equal(t, 2, s.handler.Sessions())
	assert.Equal(t, 200, first.send(ping).status)
	refused(t, second.send(ping), 404, -32600)

	var running []<-chan reply
	for _, session := range []*sessionOf{first, third} {
		running = append(running, later(func() reply { return session.send(toolCall("wait", "{}")) }))
	}
	soon(t, "both are busy", func() bool { return box.started.Load() == 2 })
	r := s.do(rpc("1", "initialize", hi))
	refused(t, r, 503, -32000)
	assert.Contains(t, r.body, `"id":1,`)
	close(box.release)
	for _, c := range running {
		assert.Contains(t, (<-c).body, "released")
	}
}

func TestRule3_4_IdleSessionsEnd(t *testing.T) {
	opts := []transport.Option{transport.WithSessions(transport.SessionOptions{IdleTimeout: time.Minute}), transport.NoRateLimit()}
	inFakeTime(t, func() *kervan.App { return newToolbox().App }, opts, func(t *testing.T, s *httpServer) {
		session := s.initialize()
		for range 5 {
			time.Sleep(50 * time.Second)
			assert.Equal(t, 200, session.send(ping).status)
		}
		st, _ := session.stream()
		time.Sleep(10 * time.Minute)
		assert.Equal(t, 200, session.send(ping).status, "a session with a stream is in use")
		st.close()
		time.Sleep(59 * time.Second)
		synctest.Wait()
		assert.Equal(t, 1, s.handler.Sessions())
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Zero(t, s.handler.Sessions())
		refused(t, session.send(ping), 404, -32600)
	})
}

// TestSessionAsksTheClient has a tool that asks its client for input.
func TestSessionAsksTheClient(t *testing.T) {
	app := kervan.NewApp("test", "1")
	app.Add(kervan.RawTool("ask", "Asks.", nil, func(ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
		req := call.Request()
		res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Name?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)})
		if err != nil {
			return nil, err
		}
		return kervan.ResultOf(kervan.Text(fmt.Sprint("hello ", res.Content["name"]))), nil
	}))
	s := newHTTP(t, app, sessions(0))
	c := s.connect(legacy, &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
	}})
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask"})
	require.NoError(t, err)
	assert.Equal(t, "hello Ada", textOf(t, res))
}

func TestRule3_12_SessionsEnd(t *testing.T) {
	box := newToolbox()
	s := newHTTP(t, box.App, sessions(0), transport.WithDrain(50*time.Millisecond))
	session := s.initialize()
	st, _ := session.stream()
	assert.True(t, strings.HasPrefix(st.next(), ":"))
	running := later(func() reply { return session.send(toolCall("wait", "{}")) })
	soon(t, "the call runs", func() bool { return box.started.Load() == 1 })
	assert.NoError(t, s.handler.Shutdown(t.Context()))
	st.ended()
	refused(t, <-running, 503, -32000)
	soon(t, "the handler is cancelled", func() bool { return box.cancelled.Load() == 1 })
	assert.Zero(t, s.handler.Sessions())
}

func TestRule3_10_CancelledInASession(t *testing.T) {
	box := newToolbox()
	s := newHTTP(t, box.App, sessions(0))
	session := s.initialize()
	running := later(func() reply { return session.send(rpc("9007199254740993", "tools/call", `{"name":"wait"}`)) })
	soon(t, "the call runs", func() bool { return box.started.Load() == 1 })
	assert.Equal(t, 202, session.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740993}}`).status)
	soon(t, "the handler is cancelled", func() bool { return box.cancelled.Load() == 1 })
	<-running
}
