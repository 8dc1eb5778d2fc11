package wire_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kervan-mcp/kervan/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newServer has the tools echo (answers with its arguments), wait (returns when
// release is closed or the call is cancelled) and notify (sends progress).
func newServer(release <-chan struct{}) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	object := json.RawMessage(`{"type":"object"}`)
	add := func(name string, h mcp.ToolHandler) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: object}, h)
	}
	text := func(s string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
	}
	add("echo", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(string(req.Params.Arguments)), nil
	})
	add("wait", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return text("done"), nil
	})
	add("notify", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: 1})
		return text("ok"), nil
	})
	return s
}

const (
	hello = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` +
		"\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	ping = `{"jsonrpc":"2.0","id":"ping","method":"ping"}`
	pong = `{"jsonrpc":"2.0","id":"ping","result":{}}`
)

// exchange sends input after a handshake and returns the lines that come back
// until the server ends, without the handshake's.
func exchange(t *testing.T, input string, opts wire.Options) []string {
	t.Helper()
	var out strings.Builder
	release := make(chan struct{})
	close(release)
	serve(t, newServer(release), strings.NewReader(hello+input), &out, opts)
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, `"id":"init"`) })
	require.GreaterOrEqual(t, i, 0)
	return slices.Delete(lines, i, i+1)
}

func serve(t *testing.T, s *mcp.Server, r io.Reader, w io.Writer, opts wire.Options) {
	t.Helper()
	conn := wire.NewConn(r, w, opts)
	ss, err := s.Connect(t.Context(), conn, nil)
	require.NoError(t, err)
	_ = ss.Wait()
}

// A talk is a conversation line by line with a server that keeps running.
type talk struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	conn  *wire.Conn
	done  chan error
}

func newTalk(t *testing.T, s *mcp.Server, opts wire.Options) *talk {
	t.Helper()
	k := newTalkWithout(t, s, opts)
	k.send(strings.TrimSuffix(hello, "\n"))
	require.Contains(t, k.next(), `"id":"init"`)
	return k
}

// newTalkWithout begins without a handshake, as a client of 2026-07-28 does.
func newTalkWithout(t *testing.T, s *mcp.Server, opts wire.Options) *talk {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	opts.Close = func() error { _ = inR.Close(); return outW.Close() }
	k := &talk{t: t, in: inW, lines: make(chan string, 1000), done: make(chan error, 1)}
	k.conn = wire.NewConn(inR, outW, opts)
	go func() {
		defer close(k.lines)
		for sc := bufio.NewScanner(outR); sc.Scan(); {
			k.lines <- sc.Text()
		}
	}()
	ss, err := s.Connect(context.Background(), k.conn, nil)
	require.NoError(t, err)
	go func() { k.done <- ss.Wait() }()
	t.Cleanup(func() {
		_ = k.in.Close()
		_ = k.conn.Close()
		<-k.done
	})
	return k
}

func (k *talk) send(line string) {
	k.t.Helper()
	_, err := io.WriteString(k.in, line+"\n")
	require.NoError(k.t, err)
}

func (k *talk) next() string {
	k.t.Helper()
	select {
	case line, ok := <-k.lines:
		require.True(k.t, ok, "the server ended")
		return line
	case <-time.After(10 * time.Second):
		k.t.Fatal("no answer")
		return ""
	}
}

func callTool(id, name string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `"}}`
}

func refusal(code, id, message string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + code + `,"message":` + quote(message) + `}}`
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func requireObjectLines(t *testing.T, out string) {
	t.Helper()
	for line := range strings.Lines(out) {
		assert.True(t, strings.HasSuffix(line, "\n"), "line without end: %q", line)
		var object map[string]json.RawMessage
		assert.NoError(t, json.Unmarshal([]byte(line), &object), "line %q", line)
		assert.Equal(t, `"2.0"`, string(object["jsonrpc"]))
	}
}
