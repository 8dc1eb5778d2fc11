package bench

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/kervan-mcp/kervan/bench/internal/servers"
	"github.com/kervan-mcp/kervan/bench/internal/work"
)

// BenchmarkHTTP measures the HTTP handlers alone, without sockets and net/http's
// server, as scenario/era/peer. It is for counting allocations; cmd/httpbench
// measures whole servers.
func BenchmarkHTTP(b *testing.B) {
	b.Run("add", func(b *testing.B) { benchmarkHTTP(b, "call", work.Add) })
	b.Run("order", func(b *testing.B) { benchmarkHTTP(b, "call", work.Order) })
	b.Run("list-200", func(b *testing.B) { benchmarkHTTP(b, "200", nil) })
}

func benchmarkHTTP(b *testing.B, set string, call *work.Call) {
	tools, err := work.Set(set)
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range work.Eras {
		b.Run(string(e), func(b *testing.B) {
			for _, kind := range []string{servers.Kervan, servers.GoSDK, servers.GoSDKTyped, servers.MCPGo, servers.Echo} {
				b.Run(kind, func(b *testing.B) {
					handler, err := servers.New(kind, tools)
					if err != nil {
						b.Fatal(err)
					}
					newExchange(e, call).benchmark(b, handler)
				})
			}
		})
	}
}

// An exchange is a request to a handler, and its answer.
type exchange struct {
	message []byte
	header  http.Header
	check   func([]byte) error
}

func newExchange(e work.Era, call *work.Call) *exchange {
	x := &exchange{header: http.Header{
		"Content-Type":         {"application/json"},
		"Accept":               {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {string(e)},
	}}
	method := "tools/list"
	if call != nil {
		method, x.message, x.check = "tools/call", call.Request(e), call.Check
	} else {
		x.message, x.check = work.ListRequest(e, ""), func(answer []byte) error {
			_, err := new(work.List).Page(answer)
			return err
		}
	}
	if e == work.Modern {
		x.header["Mcp-Method"] = []string{method}
		if call != nil {
			x.header["Mcp-Name"] = []string{call.Tool.Name}
		}
	}
	return x
}

var endpoint = &url.URL{Path: "/mcp"}

// serve sends a new request each time, since handlers change what they get.
func (x *exchange) serve(h http.Handler, w *recorder) {
	clear(w.header)
	w.body.Reset()
	w.status = http.StatusOK
	r := &http.Request{
		Method: http.MethodPost, URL: endpoint, Host: "127.0.0.1:3000", RemoteAddr: "127.0.0.1:40000", RequestURI: "/mcp",
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: x.header, ContentLength: int64(len(x.message)), Body: io.NopCloser(bytes.NewReader(x.message)),
	}
	h.ServeHTTP(w, r)
}

func (x *exchange) benchmark(b *testing.B, h http.Handler) {
	w := &recorder{header: http.Header{}}
	x.serve(h, w)
	if err := x.check(w.body.Bytes()); err != nil {
		b.Fatal(err)
	}
	length := w.body.Len()
	b.ReportAllocs()
	for b.Loop() {
		x.serve(h, w)
		if w.status != http.StatusOK || w.body.Len() != length {
			b.Fatalf("status %d, %d bytes, %d expected", w.status, w.body.Len(), length)
		}
	}
}

// A recorder keeps an answer. It is used again, unlike httptest's.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(p []byte) (int, error) { return w.body.Write(p) }
func (w *recorder) Flush()                      {}
