package httptool_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/internal/httptool"
	"github.com/kervan-mcp/kervan/internal/template"
)

// hang waits until a request ends.
func hang(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func jsonAnswer(body io.Reader) *http.Response {
	return &http.Response{StatusCode: 200, ContentLength: -1, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(body)}
}

// Everything on the way has one budget.
func TestRule8_4_OneTimeBudget(t *testing.T) {
	answer := func(*http.Request) (*http.Response, error) { return jsonAnswer(strings.NewReader(`{}`)), nil }
	for name, change := range map[string]func(f *fixture){
		"no answer": func(f *fixture) { f.rt.Transport = transportFunc(hang) },
		"slow body": func(f *fixture) {
			f.rt.Transport = transportFunc(func(r *http.Request) (*http.Response, error) {
				resp := jsonAnswer(nil)
				resp.Body = &slowBody{ctx: r.Context(), every: time.Millisecond}
				return resp, nil
			})
		},
		"select": func(f *fixture) {
			f.rt.Select = func(ctx context.Context, _ string, _ []byte) ([]byte, error) {
				<-ctx.Done()
				return nil, errors.New("killed")
			}
		},
		"source of secrets": func(f *fixture) {
			f.uses("KEY", apiKey)
			f.rt.Secret = func(ctx context.Context, _, _, _ string) (string, error) {
				<-ctx.Done()
				return "", ctx.Err()
			}
		},
		"limiter": func(f *fixture) { f.rt.Limiter = limiterFunc(waitForEnd) },
		"redirects": func(f *fixture) {
			f.tool.FollowRedirects = 5
			f.rt.Transport = transportFunc(func(r *http.Request) (*http.Response, error) {
				select {
				case <-time.After(400 * time.Millisecond):
					return &http.Response{StatusCode: 302, Header: http.Header{"Location": {"/next"}}, Body: http.NoBody}, nil
				case <-r.Context().Done():
					return nil, r.Context().Err()
				}
			})
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := offline(t, answer)
			f.tool.Timeout = 1500 * time.Millisecond
			change(f)
			start := time.Now()
			require.Equal(t, "The request to api.example.com timed out after 1500 ms.", f.fails(httptool.OutcomeTimeout, `{}`), name)
			require.Equal(t, 1500*time.Millisecond, time.Since(start), name)
			require.Equal(t, 1500*time.Millisecond, f.event().Duration, name)
		})
	}
}

func TestRule8_4_CallersDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := offline(t, hang)
		ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
		defer cancel()
		_, err := f.tool.Call(ctx, f.rt, nil)
		require.EqualError(t, err, "The request to api.example.com timed out after 700 ms.")
		require.ErrorIs(t, err, context.DeadlineExceeded)

		_, err = f.tool.Call(ctx, f.rt, nil)
		require.EqualError(t, err, "The request to api.example.com timed out after 0 ms.", "it was over before it began")
	})
}

func TestRule8_4_DefaultTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := offline(t, hang)
		require.Equal(t, "The request to api.example.com timed out after 10000 ms.", f.fails(httptool.OutcomeTimeout, `{}`))
	})
}

func TestRule8_4_Cancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := offline(t, hang)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := f.tool.Call(ctx, f.rt, nil)
		require.EqualError(t, err, "The request to api.example.com was cancelled.")
		require.Equal(t, httptool.OutcomeCancelled, f.event().Outcome)
	})
}

// A timeout wins over a cancellation that came with it.
func TestRule8_4_TimeoutBeforeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := offline(t, func(r *http.Request) (*http.Response, error) {
			cancel()
			time.Sleep(2 * time.Second)
			return nil, r.Context().Err()
		})
		f.tool.Timeout = time.Second
		_, err := f.tool.Call(ctx, f.rt, nil)
		require.EqualError(t, err, "The request to api.example.com timed out after 1000 ms.")
	})
}

// What succeeded stays a success, even if its caller just left.
func TestRule8_4_SuccessStays(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := offline(t, func(*http.Request) (*http.Response, error) { return jsonAnswer(strings.NewReader(`{}`)), nil })
	f.rt.Select = func(_ context.Context, _ string, data []byte) ([]byte, error) { cancel(); return data, nil }
	res, err := f.tool.Call(ctx, f.rt, nil)
	require.NoError(t, err)
	require.Equal(t, "{}", res.Text)
}

func TestRule8_4_CancelClosesTheConnection(t *testing.T) {
	for _, when := range []string{"before the answer", "in the body"} {
		arrived, gone := make(chan struct{}), make(chan struct{})
		f := newFixture(t, func(w http.ResponseWriter, r *http.Request) {
			if when == "in the body" {
				respondJSON(`[`)(w, r)
				w.(http.Flusher).Flush()
			}
			close(arrived)
			<-r.Context().Done()
			close(gone)
		})
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-arrived; cancel() }()
		_, err := f.tool.Call(ctx, f.rt, nil)
		require.EqualError(t, err, "The request to "+f.at(host)+" was cancelled.", when)
		select {
		case <-gone:
		case <-time.After(10 * time.Second):
			t.Fatalf("the upstream's connection is still open: %s", when)
		}
	}
}

func TestRule8_4_NetworkFailures(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"refused":     {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, "connection refused"},
		"reset":       {&net.OpError{Op: "read", Err: syscall.ECONNRESET}, "the connection was reset"},
		"broken pipe": {&net.OpError{Op: "write", Err: syscall.EPIPE}, "the connection was reset"},
		"unreachable": {&net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH}, "the host cannot be reached"},
		"network":     {&net.OpError{Op: "dial", Err: syscall.ENETUNREACH}, "the host cannot be reached"},
		"name":        {&net.DNSError{Err: "no such host", Name: "x", Server: "10.0.0.53:53"}, "its name could not be resolved"},
		"timeout":     {&net.OpError{Op: "dial", Addr: &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3)}, Err: timeoutError{}}, "the connection timed out"},
		"end":         {io.EOF, "the connection ended before the response did"},
		"early end":   {io.ErrUnexpectedEOF, "the connection ended before the response did"},
		"TLS record":  {tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, "TLS failed"},
		"TLS alert":   {tls.AlertError(40), "TLS failed"},
		"else":        {errors.New("malformed HTTP response \"\\x1b password=hunter2 10.1.2.3\""), "the exchange broke off or was not valid HTTP"},
	} {
		f := offline(t, func(*http.Request) (*http.Response, error) { return nil, c.err })
		message := f.fails(httptool.OutcomeFailed, `{}`)
		require.Contains(t, message, "The request to api.example.com failed: "+c.want, name)
		require.NotContains(t, message, "10.", name)
		_, err := f.call(`{}`)
		require.ErrorIs(t, err, c.err, "%s: the log has the reason", name)

		f.rt.Transport = transportFunc(func(*http.Request) (*http.Response, error) {
			return jsonAnswer(io.MultiReader(strings.NewReader(`{"a":`), errReader{c.err})), nil
		})
		if !errors.Is(c.err, io.EOF) {
			require.Contains(t, f.fails(httptool.OutcomeFailed, `{}`), "failed: "+c.want, name)
		}
	}
}

type timeoutError struct{}

func (timeoutError) Error() string   { return "i/o timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

func TestRule8_4_NotListening(t *testing.T) {
	f := newFixture(t, respondJSON(`{}`))
	f.tool.Path, f.tool.Query = text(t, "/private/path"), "q=private"
	f.server.Close()
	require.Equal(t, "The request to "+f.at(host)+" failed: connection refused.", f.fails(httptool.OutcomeFailed, `{}`))
}

func TestRule8_4_TLSFailure(t *testing.T) {
	f := newFixture(t, respondJSON(`{}`))
	f.rt.Transport = newTransport(t, guard.Policy{AllowPrivate: true, Resolver: resolver{}})
	require.Equal(t, "The request to "+f.at(host)+" failed: TLS failed, or its certificate is not trusted.", f.fails(httptool.OutcomeFailed, `{}`))
	require.Empty(t, f.requests())

	f = newPlainFixture(t, respondJSON(`{}`))
	f.tool.Scheme = "https"
	require.Contains(t, f.fails(httptool.OutcomeFailed, `{}`), "TLS failed")
}

func TestRule7_1_Blocked(t *testing.T) {
	f := newFixture(t, respondJSON(`{}`))
	f.rt.Transport = newTransport(t, guard.Policy{Resolver: resolver{}, TLS: insecureTLS()})
	message := f.fails(httptool.OutcomeBlocked, `{}`)
	require.Contains(t, message, host)
	require.Contains(t, message, "blocked")
	require.NotContains(t, message, "127.0.0.1", "never the address")
	require.Empty(t, f.requests())

	f.rt.Transport = newTransport(t, guard.Policy{AllowPrivate: true, Resolver: noAnswer{}})
	require.Contains(t, f.fails(httptool.OutcomeBlocked, `{}`), "no address")
}

type noAnswer struct{}

func (noAnswer) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) { return nil, nil }

// A body that ends before its announced length is no success.
func TestRule8_4_ShortBody(t *testing.T) {
	f := newFixture(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		respondJSON(`{"a":1}`)(w, r)
	})
	require.Contains(t, f.fails(httptool.OutcomeFailed, `{}`), "ended before the response did")
	f.tool.Raw, f.tool.Select = true, ""
	require.Contains(t, f.fails(httptool.OutcomeFailed, `{}`), "ended before the response did")
}

func TestRule8_4_SelectFails(t *testing.T) {
	f := newFixture(t, respondJSON(`{}`))
	f.tool.Select = "abs('x')"
	require.Equal(t, "The response was received, but the tool's select expression failed: the expression failed.", f.fails(httptool.OutcomeSelect, `{}`))
	f.rt.Select = nil
	_, err := f.call(`{}`)
	var e *httptool.Error
	require.False(t, errors.As(err, &e))
	require.Equal(t, httptool.OutcomeFault, f.event().Outcome)
}

// No message shows what the arguments put into path, query, header or body.
func TestRule8_4_MessagesNameHostOnly(t *testing.T) {
	for _, answer := range []http.HandlerFunc{
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) },
		func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/PRIVATE", http.StatusFound) },
		func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) },
		respondJSON(`PRIVATE`), respond("text/html", "PRIVATE"),
	} {
		f := newFixture(t, answer)
		f.tool.Method = "POST"
		f.tool.Path = text(t, "/{{input.v}}")
		f.tool.QueryFields = []template.Field{field(t, "q", "{{input.v}}")}
		f.tool.Headers = []httptool.Header{{Name: "X-V", Value: text(t, "{{input.v}}")}}
		f.tool.Body = bodyOf(t, "{{input.v}}")
		_, err := f.call(`{"v":"PRIVATE"}`)
		for ; err != nil; err = errors.Unwrap(err) {
			require.NotContains(t, err.Error(), "PRIVATE")
		}
	}
}
