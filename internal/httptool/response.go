package httptool

import (
	"context"
	"errors"
	"net/http"
)

// A body is that of a response that succeeded, as valid UTF-8.
type body struct {
	text  []byte // empty: there is none
	media media
}

// fetch sends a request and reads its response. The connection is free for the
// next request when it returns.
func (c *call) fetch(ctx context.Context, req *request) (*body, error) {
	a, err := c.send(ctx, req)
	if err != nil {
		return nil, err
	}
	defer a.close()
	if a.StatusCode < 200 || a.StatusCode > 399 {
		return nil, &failure{OutcomeStatus, textStatus(a.StatusCode), nil}
	}
	if hasNoBody(a.Response) {
		return &body{}, nil
	}
	data, err := c.read(ctx, a)
	if err != nil {
		return nil, c.readFailure(a, err)
	}
	c.bytes = int64(len(data))
	m := parseMedia(a.Header.Get("Content-Type"))
	text, err := m.utf8Text(data)
	if err != nil {
		return nil, &failure{OutcomeResponse, textNotText(m, err), err}
	}
	return &body{text, m}, nil
}

// hasNoBody reports whether there is nothing to read, whatever the headers say.
func hasNoBody(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusNoContent, http.StatusResetContent, http.StatusNotModified:
		return true
	}
	return resp.Request.Method == http.MethodHead
}

// read reads and decodes the body, once there is room for all it may become.
func (c *call) read(ctx context.Context, a *answer) ([]byte, error) {
	limit := c.tool.maxResponseBytes()
	coding, err := parseCoding(a.Header.Values("Content-Encoding"))
	if err != nil {
		return nil, err
	}
	if a.ContentLength > limit {
		return nil, errTooLarge
	}
	room := limit
	if coding == "" && a.ContentLength >= 0 {
		room = a.ContentLength
	}
	release, err := c.rt.Budget.reserve(ctx, room)
	if err != nil {
		return nil, err
	}
	c.releaseBudget = release
	return readBody(a.Body, coding, a.ContentLength, limit)
}

func (c *call) readFailure(a *answer, err error) error {
	var coding *codingError
	var decoding *decodeError
	switch {
	case errors.Is(err, errTooLarge):
		return &failure{OutcomeResponse, textTooLarge(c.tool.maxResponseBytes()), nil}
	case errors.As(err, &coding):
		return &failure{OutcomeResponse, textCoding(coding.name), err}
	case errors.As(err, &decoding):
		return &failure{OutcomeResponse, textDecode(decoding.coding), err}
	}
	return networkFailure(a.Request.URL, err)
}
