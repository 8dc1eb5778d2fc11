package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/kervan-mcp/kervan/bench/internal/work"
)

// A request is an HTTP request as it goes over the wire. The id of the message in
// it is written in place.
type request struct {
	bytes []byte
	body  int // where the message begins
}

// newRequest wraps a message of an era in the headers that its clients send.
func newRequest(u *url.URL, e work.Era, method, name string, message []byte) request {
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: %s\r\n", u.Path, u.Host)
	b.WriteString("Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n")
	fmt.Fprintf(&b, "Content-Length: %d\r\nMcp-Protocol-Version: %s\r\n", len(message), e)
	if e == work.Modern {
		fmt.Fprintf(&b, "Mcp-Method: %s\r\n", method)
		if name != "" {
			fmt.Fprintf(&b, "Mcp-Name: %s\r\n", name)
		}
	}
	b.WriteString("\r\n")
	head := b.Len()
	b.Write(message)
	return request{b.Bytes(), head}
}

// copied returns a request that another connection may number.
func (r request) copied() request { return request{bytes.Clone(r.bytes), r.body} }

// responseTime is how long a server may take for one request.
const responseTime = time.Minute

// A conn is a keep-alive connection that sends one request at a time. It reads
// answers with as little work as that takes, since it shares the machine with
// what is measured.
type conn struct {
	net.Conn
	in *bufio.Reader
	id int
}

func dial(ctx context.Context, u *url.URL) (*conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, in: bufio.NewReaderSize(c, 64<<10), id: work.FirstID}, nil
}

// send numbers a request and sends it.
func (c *conn) send(r request) error {
	if c.id++; c.id > 9_999_999 {
		c.id = work.FirstID
	}
	work.Number(r.bytes[r.body:], c.id)
	_, err := c.Write(r.bytes)
	return err
}

// exchange sends a request and returns the length of the answer's body. A status
// other than 200 is an error.
func (c *conn) exchange(r request) (int, error) {
	if err := c.send(r); err != nil {
		return 0, err
	}
	h, err := c.readHead()
	if err != nil {
		return 0, err
	}
	n, err := c.readBody(h, io.Discard)
	if err == nil && h.status != 200 {
		err = fmt.Errorf("HTTP status %d", h.status)
	}
	return n, err
}

// ask sends a request and returns the message of the answer, whatever its status,
// and the length of the body.
func (c *conn) ask(r request) (message []byte, length int, err error) {
	_ = c.SetDeadline(time.Now().Add(responseTime))
	defer func() { _ = c.SetDeadline(time.Time{}) }()
	if err := c.send(r); err != nil {
		return nil, 0, err
	}
	h, err := c.readHead()
	if err != nil {
		return nil, 0, err
	}
	var body bytes.Buffer
	if length, err = c.readBody(h, &body); err != nil {
		return nil, 0, err
	}
	message = body.Bytes()
	if h.events {
		message = lastEvent(message)
	}
	if id := fmt.Appendf(nil, `"id":%d`, c.id); !bytes.Contains(message, id) {
		return nil, 0, fmt.Errorf("status %d, no answer to request %d: %s", h.status, c.id, work.Clip(message))
	}
	return message, length, nil
}

// lastEvent returns the data of the last event of a stream.
func lastEvent(stream []byte) []byte {
	var data []byte
	for line := range bytes.Lines(stream) {
		if rest, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = bytes.TrimSpace(rest)
		}
	}
	return data
}

// A head is what has to be known of the headers of an answer.
type head struct {
	status  int
	length  int // -1: chunked
	events  bool
	closing bool
}

var (
	errNoHTTP  = errors.New("this is no HTTP response")
	errClosing = errors.New("the server closes the connection")
)

func (c *conn) readHead() (head, error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return head{}, err
	}
	if len(line) < 12 {
		return head{}, errNoHTTP
	}
	h := head{length: -1}
	if h.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return head{}, errNoHTTP
	}
	for {
		if line, err = c.in.ReadSlice('\n'); err != nil {
			return head{}, err
		}
		if len(line) <= 2 {
			break
		}
		h.add(line)
	}
	if h.closing {
		return h, errClosing
	}
	return h, nil
}

// add takes a header line in.
func (h *head) add(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimSpace(value)
	switch {
	case bytes.EqualFold(name, []byte("content-length")):
		if n, err := strconv.Atoi(string(value)); err == nil {
			h.length = n
		}
	case bytes.EqualFold(name, []byte("content-type")):
		h.events = bytes.HasPrefix(value, []byte("text/event-stream"))
	case bytes.EqualFold(name, []byte("connection")):
		h.closing = strings.EqualFold(string(value), "close")
	}
}

// readBody reads the body into w and returns its length.
func (c *conn) readBody(h head, w io.Writer) (int, error) {
	if h.length >= 0 {
		return c.copyN(w, h.length)
	}
	total := 0
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		size, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 31)
		if err != nil {
			return 0, errNoHTTP
		}
		n, err := c.copyN(w, int(size))
		if err != nil {
			return 0, err
		}
		if _, err := c.in.Discard(2); err != nil {
			return 0, err
		}
		if total += n; size == 0 {
			return total, nil
		}
	}
}

func (c *conn) copyN(w io.Writer, n int) (int, error) {
	if w == io.Discard {
		return c.in.Discard(n)
	}
	copied, err := io.CopyN(w, c.in, int64(n))
	return int(copied), err
}
