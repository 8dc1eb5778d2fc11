package httptool

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/internal/template"
)

// userAgent names the program and nothing of how it was built.
const userAgent = "kervan/1"

// A request is what is sent in one hop.
type request struct {
	method string
	url    *url.URL
	header http.Header
	body   []byte         // nil: none
	via    *http.Response // the redirect that led here; nil for the first request
}

// render builds the first request. Whatever holds a secret is redacted from now
// on, also as a whole.
func (c *call) render(input any, secrets map[string]string) (*request, error) {
	var taint template.Taint
	values := template.Values{Input: input, Vars: c.rt.Vars, Secrets: secrets}
	req, err := c.tool.render(values, &taint)
	for _, value := range taint.Values {
		c.rt.Vault.AddRendered(value)
	}
	var fault *template.Error
	if errors.As(err, &fault) {
		return nil, &failure{OutcomeInvalid, fault.Message, nil}
	}
	return req, err
}

func (t *Tool) render(v template.Values, taint *template.Taint) (*request, error) {
	u, err := t.renderURL(v, taint)
	if err != nil {
		return nil, err
	}
	header, err := t.renderHeader(v, taint)
	if err != nil {
		return nil, err
	}
	req := &request{method: t.method(), url: u, header: header}
	var contentType string
	if req.body, contentType, err = t.renderBody(v, taint); err != nil {
		return nil, err
	}
	if contentType != "" && header.Get("Content-Type") == "" {
		header.Set("Content-Type", contentType)
	}
	return req, nil
}

// renderBody returns no content type where there is no body: none is declared,
// or it is one argument that was not given.
func (t *Tool) renderBody(v template.Values, taint *template.Taint) (body []byte, contentType string, err error) {
	switch {
	case t.Body != nil:
		if body, err = t.Body.JSON(v, taint); body != nil {
			contentType = "application/json"
		}
	case len(t.Form) > 0:
		var form string
		form, err = template.Form(t.Form, v, taint)
		body, contentType = []byte(form), "application/x-www-form-urlencoded"
	}
	return body, contentType, err
}

func (t *Tool) renderURL(v template.Values, taint *template.Taint) (*url.URL, error) {
	u := &url.URL{Scheme: t.Scheme, Host: t.authority(), Path: "/"}
	if t.Path != nil {
		escaped, err := t.Path.Path(v, taint)
		if err != nil {
			return nil, err
		}
		if u.Path, err = url.PathUnescape(escaped); err != nil {
			return nil, err
		}
		u.RawPath = escaped
		if u.EscapedPath() != escaped {
			return nil, errors.New("httptool: the path would not be sent as it was rendered")
		}
	}
	var err error
	u.RawQuery, err = template.Query(t.Query, t.QueryFields, v, taint)
	return u, err
}

func (t *Tool) renderHeader(v template.Values, taint *template.Taint) (http.Header, error) {
	header := http.Header{"User-Agent": {userAgent}, "Accept": {t.accept()}}
	for _, h := range t.Headers {
		value, given, err := h.Value.Header(h.Name, v, taint)
		if err != nil {
			return nil, err
		}
		if given {
			header.Set(h.Name, value)
		}
	}
	header.Set("Accept-Encoding", acceptEncoding)
	return header, nil
}

// accept asks for what the tool can show. It leaves room for other types: a
// server that knows only those would answer 406, one that does not care sends
// what it always sends.
func (t *Tool) accept() string {
	if t.Raw {
		return "application/json, text/*;q=0.9, */*;q=0.1"
	}
	return "application/json, */*;q=0.1"
}

// authority is the host, with its port where it is not the scheme's own: some
// servers know themselves only so.
func (t *Tool) authority() string {
	if t.Port != "" && t.Port != DefaultPort(t.Scheme) {
		return net.JoinHostPort(t.Host, t.Port)
	}
	if strings.Contains(t.Host, ":") {
		return "[" + t.Host + "]"
	}
	return t.Host
}

// redirected returns the request of the next hop. Only what says nothing of the
// caller leaves the origin: Accept and User-Agent, unless they hold a secret.
func (t *Tool) redirected(r *request, via *http.Response, hop *guard.Hop) *request {
	next := &request{method: hop.Method, url: hop.URL, header: r.header.Clone(), via: via}
	if !hop.SameOrigin {
		next.header = http.Header{
			"Accept":          {t.impersonal(r, "Accept", t.accept())},
			"User-Agent":      {t.impersonal(r, "User-Agent", userAgent)},
			"Accept-Encoding": {acceptEncoding},
		}
		return next
	}
	if hop.KeepBody {
		next.body = r.body
		return next
	}
	for name := range next.header {
		if strings.HasPrefix(name, "Content-") {
			next.header.Del(name)
		}
	}
	return next
}

// impersonal returns a header's value unless a secret is in its template.
func (t *Tool) impersonal(r *request, name, standIn string) string {
	for _, h := range t.Headers {
		if strings.EqualFold(h.Name, name) && usesSecret(h.Value) {
			return standIn
		}
	}
	return or(r.header.Get(name), standIn)
}

func usesSecret(text *template.Text) bool {
	for _, ref := range text.Refs() {
		if ref.Root == template.Secrets {
			return true
		}
	}
	return false
}

// http returns the request for a transport.
func (r *request) http(ctx context.Context) *http.Request {
	req := &http.Request{
		Method: r.method, URL: r.url, Header: r.header, Host: r.url.Host, Response: r.via,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if r.body != nil {
		req.ContentLength = int64(len(r.body))
		// A transport asks for the body again where a pooled connection was
		// found closed.
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.body)), nil }
		req.Body, _ = req.GetBody()
	}
	return req.WithContext(ctx)
}
