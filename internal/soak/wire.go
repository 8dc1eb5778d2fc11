package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	modern = "2026-07-28"
	legacy = "2025-11-25"
)

// patience is how long anything may take that should be at once.
const patience = 30 * time.Second

// A conn is a keep-alive connection that sends one request at a time.
type conn struct {
	net.Conn
	in   *bufio.Reader
	body bytes.Buffer
}

func dial(addr string) (*conn, error) {
	c, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, in: bufio.NewReader(c)}, nil
}

// tokenMember is the member of _meta that asks for progress.
const tokenMember = `"progressToken":7`

// message returns a request of an era; params has no braces. With a token it asks
// for progress.
func message(era, id, method, params string, token bool) string {
	var meta []string
	if era == modern {
		meta = append(meta, `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},`+
			`"io.modelcontextprotocol/clientInfo":{"name":"soak","version":"1"}`)
	}
	if token {
		meta = append(meta, tokenMember)
	}
	var members []string
	if meta != nil {
		members = append(members, `"_meta":{`+strings.Join(meta, ",")+`}`)
	}
	if params != "" {
		members = append(members, params)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":%q,"params":{%s}}`, id, method, strings.Join(members, ","))
}

// send writes a request with the headers of its era.
func (c *conn) send(era, method, name, message string) error {
	b := &c.body
	b.Reset()
	fmt.Fprintf(b, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n", c.RemoteAddr())
	fmt.Fprintf(b, "Mcp-Protocol-Version: %s\r\nContent-Length: %d\r\n", era, len(message))
	if era == modern {
		fmt.Fprintf(b, "Mcp-Method: %s\r\n", method)
		if name != "" {
			fmt.Fprintf(b, "Mcp-Name: %s\r\n", name)
		}
	}
	b.WriteString("\r\n")
	b.WriteString(message)
	_ = c.SetDeadline(time.Now().Add(patience))
	_, err := c.Write(b.Bytes())
	return err
}

// receive reads an answer into a value, counting the events before it. Closing
// says that the server closes the connection.
func (c *conn) receive(into any) (before int, closing bool, err error) {
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return 0, true, err
	}
	defer resp.Body.Close()
	c.body.Reset()
	if _, err := io.Copy(&c.body, resp.Body); err != nil {
		return 0, true, err
	}
	data := c.body.Bytes()
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		data, before = lastEvent(data)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return before, true, fmt.Errorf("HTTP status %d: %w: %.200s", resp.StatusCode, err, data)
	}
	return before, resp.Close, nil
}

// lastEvent returns the data of the last event and how many were before it.
func lastEvent(stream []byte) (data []byte, before int) {
	before = -1
	for line := range bytes.Lines(stream) {
		if rest, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			data = bytes.TrimSpace(rest)
			before++
		}
	}
	return data, max(0, before)
}
