package transport_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/transport"
)

// A sink is a response that nobody reads.
type sink struct {
	header http.Header
	status int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Write(p []byte) (int, error) { return len(p), nil }

type bodyReader struct{ strings.Reader }

func (*bodyReader) Close() error { return nil }

// BenchmarkCall measures a call through the handler, without net/http.
func BenchmarkCall(b *testing.B) {
	for _, era := range []string{legacy, modern} {
		b.Run(era, func(b *testing.B) {
			h, err := transport.NewHandler(newToolbox().App, transport.NoRateLimit())
			require.NoError(b, err)
			body := toolCall("add", `{"a":1,"b":2}`)
			r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "http://localhost/mcp", nil)
			require.NoError(b, err)
			r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {era}}
			if era == modern {
				body = inModern(body)
				modernHeaders("tools/call", "add")(r)
			}
			reader := new(bodyReader)
			r.Body, r.ContentLength = reader, int64(len(body))
			b.ReportAllocs()
			for b.Loop() {
				reader.Reset(body)
				w := &sink{header: http.Header{}}
				h.ServeHTTP(w, r)
				if w.status != http.StatusOK {
					b.Fatal(w.status)
				}
			}
		})
	}
}
