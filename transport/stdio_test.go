package transport_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

func TestRule4_1_BadLinesOfAClient(t *testing.T) {
	p := start(t, "serve")
	p.begin()
	p.send("garbage\n")
	assert.Contains(t, p.next(), `"id":null,"error":{"code":-32700`)
	p.send("[]\n")
	assert.Contains(t, p.next(), `"id":null,"error":{"code":-32600`)
	p.send(strings.Repeat("x", 8<<20) + "\n")
	assert.Contains(t, p.next(), `"id":null,"error":{"code":-32600`)
	p.send(callTool("9007199254740993", "hello"))
	assert.Equal(t, answer("9007199254740993", "hello"), p.next())
	require.NoError(t, p.in.Close())
	assert.Equal(t, []string{"after serving"}, p.end())
}

func TestRule4_2_EndOfInput(t *testing.T) {
	p := start(t, "serve")
	p.send(hello + callTool("1", "slow") + strings.TrimSpace(callTool("2", "slow")))
	require.NoError(t, p.in.Close())
	rest := p.end()
	assert.Contains(t, rest, answer("1", "slow"))
	assert.Contains(t, rest, answer("2", "slow"))
	assert.Equal(t, "after serving", rest[len(rest)-1], "the exit status is 0 and output works again")
}

func TestRule4_2_OutputClosed(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=serve")
	cmd.Stdout = w
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	require.NoError(t, w.Close())
	require.NoError(t, r.Close())
	_, err = io.WriteString(in, hello)
	require.NoError(t, err)
	assert.Eventually(t, func() bool { _, err := io.WriteString(in, "\n"); return err != nil }, 10*time.Second, 10*time.Millisecond,
		"the server reads on though its output is closed")
	// Its last print, to the closed output, ends the process in the usual way.
	_ = cmd.Wait()
}

func TestRule4_3_PrintsLeaveTheStreamIntact(t *testing.T) {
	p := start(t, "serve")
	p.begin()
	p.send(callTool("1", "print"))
	assert.Equal(t, answer("1", "printed"), p.next())
	p.send(callTool("2", "stdin"))
	assert.Equal(t, answer("2", "read 0 bytes"), p.next())
	p.send(callTool("3", "second"))
	assert.Contains(t, p.next(), "are being served already")
	p.send(callTool("4", "hello"))
	assert.Equal(t, answer("4", "hello"), p.next())
	require.NoError(t, p.in.Close())
	assert.Equal(t, []string{"after serving"}, p.end())
	for _, line := range []string{"a print of the handler", "early logger line", "to stderr", "grandchild"} {
		assert.Contains(t, p.stderr.String(), line)
	}
}

func TestRule4_3_NobodyReadsStderr(t *testing.T) {
	for _, mode := range []string{"serve", "no stderr"} {
		t.Run(mode, func(t *testing.T) {
			r, w, err := os.Pipe()
			require.NoError(t, err)
			p := start(t, mode, func(cmd *exec.Cmd) { cmd.Stderr = w })
			require.NoError(t, w.Close())
			require.NoError(t, r.Close())
			p.begin()
			p.send(callTool("1", "print"))
			assert.Contains(t, p.next(), `"id":1,`)
			p.send(callTool("2", "hello"))
			assert.Equal(t, answer("2", "hello"), p.next())
			require.NoError(t, p.in.Close())
			assert.Equal(t, []string{"after serving"}, p.end())
		})
	}
}

func TestRule4_4_CancelledCallGetsNoAnswer(t *testing.T) {
	s := serve(t, t.Context(), newApp())
	s.send(hello)
	assert.Contains(t, s.next(), `"id":"init"`)
	s.send(callTool("1", "wait") + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n" + callTool("2", "hello"))
	assert.Equal(t, answer("2", "hello"), s.next())
	require.NoError(t, s.in.Close())
	assert.Empty(t, s.rest())
	assert.NoError(t, <-s.done)
}

func TestRule4_4_BothErasOnOneConnection(t *testing.T) {
	s := serve(t, t.Context(), newApp())
	s.send(strings.Replace(callTool("1", "hello"), `{"name"`, `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"name"`, 1))
	assert.Contains(t, s.next(), `"resultType":"complete"`)
	s.send(hello)
	assert.Contains(t, s.next(), `"id":"init"`)
	s.send(callTool("2", "hello"))
	assert.NotContains(t, s.next(), "resultType")
	require.NoError(t, s.in.Close())
	assert.NoError(t, <-s.done)
}

func TestHandlersSeeTheRequestID(t *testing.T) {
	s := serve(t, t.Context(), newApp())
	s.send(hello)
	s.next()
	for _, id := range []string{"7", "9007199254740993"} {
		s.send(callTool(id, "id"))
		assert.Equal(t, answer(id, id), s.next())
	}
	s.send(callTool(`"seven"`, "id"))
	assert.Equal(t, answer(`"seven"`, "seven"), s.next())
	require.NoError(t, s.in.Close())
	assert.NoError(t, <-s.done)
}

func TestContextEndsServingAfterTheCalls(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, ctx, newApp())
	s.send(hello)
	s.next()
	s.send(callTool("1", "slow"))
	s.send(callTool("2", "hello"))
	assert.Equal(t, answer("2", "hello"), s.next())
	cancel()
	assert.Equal(t, answer("1", "slow"), s.next())
	assert.NoError(t, <-s.done)
	assert.Empty(t, s.rest())
}

func TestDrainIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var out bytes.Buffer
		err := transport.ServeStdio(t.Context(), newApp(), transport.WithIO(strings.NewReader(hello+callTool("1", "wait")), &out), transport.WithDrain(2*time.Second))
		assert.NoError(t, err)
		assert.Equal(t, 2*time.Second, time.Since(begin))
		assert.NotContains(t, out.String(), `"id":1,"result"`)
	})
}

func TestReadErrors(t *testing.T) {
	err := transport.ServeStdio(t.Context(), newApp(), transport.WithIO(iotest.ErrReader(errTest), io.Discard))
	assert.EqualError(t, err, "cannot serve over stdio: the stream failed: test")
}

func TestMaxLine(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, transport.ServeStdio(t.Context(), newApp(), transport.WithIO(strings.NewReader(hello+strings.Repeat("x", 300)), &out), transport.WithMaxLine(250)))
	assert.Contains(t, out.String(), "message too large")
}

func TestDefinitionErrors(t *testing.T) {
	app := kervan.NewApp("", "")
	err := transport.ServeStdio(t.Context(), app, transport.WithIO(strings.NewReader(""), io.Discard))
	require.Error(t, err)
	assert.Equal(t, app.Err().Error(), err.Error())
}
