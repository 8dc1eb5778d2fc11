package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"
)

// An era is a protocol version that stands for the ones that work alike.
type era string

const (
	legacy era = "2025-11-25" // a session that begins with initialize
	modern era = "2026-07-28" // every request tells its version in _meta
)

var eras = []era{legacy, modern}

// Each request begins with idStart and an id of seven digits, so that the id can
// be counted up in place and every request has the length of the first.
const (
	idStart = `{"jsonrpc":"2.0","id":`
	firstID = 1_000_000
)

// params are the parameters of the requests that are measured.
type params struct {
	Meta      map[string]any  `json:"_meta,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Cursor    string          `json:"cursor,omitempty"`
}

// request returns the line of a request, the same for every peer.
func (e era) request(method string, p params) []byte {
	if e == modern {
		p.Meta = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    string(e),
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "bench-client", "version": "1.0.0"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}
	}
	encoded, err := json.Marshal(p)
	if err != nil {
		panic(err) // what is measured is written in this package
	}
	return fmt.Appendf(nil, "%s%d,\"method\":%q,\"params\":%s}\n", idStart, firstID, method, encoded)
}

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
	c := &client{in: in, out: bufio.NewReaderSize(out, 64<<10), id: firstID, ended: make(chan error, 1)}
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
	line := fmt.Appendf(nil, `%s%d,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"bench-client","version":"1.0.0"}}}`+"\n",
		idStart, firstID, legacy)
	var result struct {
		ProtocolVersion era `json:"protocolVersion"`
	}
	if err := json.Unmarshal(c.ask(tb, line), &result); err != nil || result.ProtocolVersion != legacy {
		tb.Fatalf("initialize was answered with version %q (%v)", result.ProtocolVersion, err)
	}
	if _, err := io.WriteString(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
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
	n := c.id
	for i := len(idStart) + 6; i >= len(idStart); i-- {
		line[i] = byte('0' + n%10)
		n /= 10
	}
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
		tb.Fatalf("the request had the id %d (%v): %s", c.id, err, clip(answer))
	}
	return answer
}

// ask is answer for a request that succeeds; it returns the result.
func (c *client) ask(tb testing.TB, line []byte) json.RawMessage {
	tb.Helper()
	return resultOf(tb, c.answer(tb, line))
}

// resultOf returns the result of an answer that is not an error.
func resultOf(tb testing.TB, answer []byte) json.RawMessage {
	tb.Helper()
	var frame struct {
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(answer, &frame); err != nil || frame.Result == nil || frame.Error != nil {
		tb.Fatalf("not a result (%v): %s", err, clip(answer))
	}
	return frame.Result
}

func clip(text []byte) []byte {
	return bytes.TrimSpace(text[:min(len(text), 1000)])
}
