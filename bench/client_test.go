package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/kervan-mcp/kervan/bench/internal/work"
)

// A client speaks to a server of its own over pipes in memory, one request at a
// time.
type client struct {
	in    *io.PipeWriter
	out   *bufio.Reader
	id    int
	ended chan error
}

// connect starts serve with a new client, which lives as long as tb.
func connect(tb testing.TB, serve serveFunc) *client {
	tb.Helper()
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	c := &client{in: in, out: bufio.NewReaderSize(out, 64<<10), id: work.FirstID, ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		err := serve(ctx, requests, answers)
		_ = answers.CloseWithError(errors.Join(io.ErrUnexpectedEOF, err))
		_ = requests.Close()
		c.ended <- err
	}()
	tb.Cleanup(func() {
		defer cancel()
		_ = c.in.Close()
		select {
		case err := <-c.ended:
			if err != nil {
				tb.Errorf("the server ended with: %v", err)
			}
		case <-time.After(10 * time.Second):
			tb.Error("the server does not end")
		}
	})
	return c
}

// initialize does the handshake of the legacy era.
func (c *client) initialize(tb testing.TB) {
	tb.Helper()
	var result struct {
		ProtocolVersion work.Era `json:"protocolVersion"`
	}
	raw, err := work.ResultOf(c.answer(tb, lineOf(work.InitializeRequest())))
	if err == nil {
		err = json.Unmarshal(raw, &result)
	}
	if err != nil || result.ProtocolVersion != work.Legacy {
		tb.Fatalf("initialize was answered with version %q (%v)", result.ProtocolVersion, err)
	}
	if _, err := io.WriteString(c.in, work.Initialized+"\n"); err != nil {
		tb.Fatal(err)
	}
}

// exchange sends a request with a new id and reads the answer, whose length it
// returns. It keeps nothing of the answer, since it is what is measured.
func (c *client) exchange(line []byte) (int, error) {
	c.number(line)
	if _, err := c.in.Write(line); err != nil {
		return 0, err
	}
	n := 0
	for {
		part, err := c.out.ReadSlice('\n')
		n += len(part)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return n, err
		}
	}
}

// number writes the next id into a request.
func (c *client) number(line []byte) {
	c.id++
	work.Number(line, c.id)
}

// answer sends a request with a new id and returns the line of the answer, after
// it has been seen to belong to the request.
func (c *client) answer(tb testing.TB, line []byte) []byte {
	tb.Helper()
	c.number(line)
	if _, err := c.in.Write(line); err != nil {
		tb.Fatal(err)
	}
	answer, err := c.out.ReadBytes('\n')
	if err != nil {
		tb.Fatalf("no answer: %v", err)
	}
	var frame struct {
		ID int `json:"id"`
	}
	if err := json.Unmarshal(answer, &frame); err != nil || frame.ID != c.id {
		tb.Fatalf("the request had the id %d (%v): %s", c.id, err, work.Clip(answer))
	}
	return answer
}
