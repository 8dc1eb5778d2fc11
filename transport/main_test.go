package transport_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

// childEnv makes this test binary a server over its own stdio.
const childEnv = "KERVAN_TEST_CHILD"

// earlyLog holds os.Stdout as it was before serving.
var earlyLog = log.New(os.Stdout, "early logger ", 0)

func TestMain(m *testing.M) {
	switch mode := os.Getenv(childEnv); mode {
	case "":
		goleak.VerifyTestMain(m)
	case "print":
		fmt.Println("grandchild")
	default:
		os.Exit(child(mode))
	}
}

// child serves, and after that prints to its standard output.
func child(mode string) int {
	if mode == "no stderr" {
		_ = os.Stderr.Close()
	}
	in, out := identity(os.Stdin), identity(os.Stdout)
	err := transport.Serve(context.Background(), newApp())
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	if !os.SameFile(in, identity(os.Stdin)) || !os.SameFile(out, identity(os.Stdout)) {
		fmt.Println("not restored")
		return 1
	}
	fmt.Println("after serving")
	return 0
}

func identity(f *os.File) os.FileInfo {
	info, _ := f.Stat()
	return info
}

type none = kervan.None

func newApp() *kervan.App {
	app := kervan.NewApp("test", "1")
	tool := func(name string, f func(context.Context) (string, error)) {
		app.Add(kervan.Tool(name, "A tool of the tests.", func(ctx context.Context, _ none) (string, error) { return f(ctx) }))
	}
	tool("hello", func(context.Context) (string, error) { return "hello", nil })
	tool("id", func(ctx context.Context) (string, error) { return kervan.CallFromContext(ctx).RequestID(), nil })
	tool("slow", func(ctx context.Context) (string, error) {
		time.Sleep(300 * time.Millisecond)
		return "slow", nil
	})
	tool("wait", func(ctx context.Context) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	})
	tool("print", func(context.Context) (string, error) { return "printed", printEverywhere() })
	tool("stdin", func(context.Context) (string, error) {
		data, err := io.ReadAll(os.Stdin)
		return fmt.Sprintf("read %d bytes", len(data)), err
	})
	tool("second", func(ctx context.Context) (string, error) {
		err := transport.ServeStdio(ctx, kervan.NewApp("second", "1"))
		return fmt.Sprint(err), nil
	})
	return app
}

func printEverywhere() error {
	fmt.Println("a print of the handler")
	earlyLog.Println("line")
	_, _ = fmt.Fprintln(os.Stderr, "to stderr")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=print")
	cmd.Stdout = os.Stdout
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("running a child process: %w", err)
	}
	return nil
}

const hello = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` +
	"\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

func callTool(id, name string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `"}}` + "\n"
}

func answer(id, text string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"` + text + `"}]}}`
}

// A process is a server in a child process.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  *bufio.Scanner
	stderr *bytes.Buffer
}

func start(t *testing.T, mode string, prepare ...func(*exec.Cmd)) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(os.Args[0]), stderr: new(bytes.Buffer)}
	p.cmd.Env = append(os.Environ(), childEnv+"="+mode)
	p.cmd.Stderr = p.stderr
	for _, f := range prepare {
		f(p.cmd)
	}
	var err error
	p.in, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	p.lines = bufio.NewScanner(out)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

func (p *process) send(lines string) {
	p.t.Helper()
	_, err := io.WriteString(p.in, lines)
	require.NoError(p.t, err)
}

// begin does the handshake.
func (p *process) begin() {
	p.t.Helper()
	p.send(hello)
	require.Contains(p.t, p.next(), `"id":"init"`)
}

func (p *process) next() string {
	p.t.Helper()
	require.True(p.t, p.lines.Scan(), "the output ended; stderr: %s", p.stderr)
	return p.lines.Text()
}

// end waits for the process and returns the output that was not read yet.
func (p *process) end() []string {
	p.t.Helper()
	var rest []string
	for p.lines.Scan() {
		rest = append(rest, p.lines.Text())
	}
	assert.NoError(p.t, p.cmd.Wait(), "stderr: %s", p.stderr)
	return rest
}

// serve serves an app over a pair of pipes in this process.
func serve(t *testing.T, ctx context.Context, app *kervan.App, opts ...transport.Option) *session {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &session{t: t, in: inW, lines: bufio.NewScanner(outR), done: make(chan error, 1)}
	go func() {
		s.done <- transport.Serve(ctx, app, append(opts, transport.WithIO(inR, outW), transport.WithoutSignals(), transport.Stdio())...)
		_ = outW.Close()
	}()
	t.Cleanup(func() {
		_ = inW.Close()
		_ = outR.Close()
	})
	return s
}

type session struct {
	t     *testing.T
	in    *io.PipeWriter
	lines *bufio.Scanner
	done  chan error
}

func (s *session) send(lines string) {
	s.t.Helper()
	_, err := io.WriteString(s.in, lines)
	require.NoError(s.t, err)
}

func (s *session) next() string {
	s.t.Helper()
	require.True(s.t, s.lines.Scan(), "the output ended")
	return s.lines.Text()
}

func (s *session) rest() string {
	var b strings.Builder
	for s.lines.Scan() {
		b.WriteString(s.lines.Text() + "\n")
	}
	return b.String()
}

var errTest = errors.New("test")
