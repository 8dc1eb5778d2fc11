package spec

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// HTTP is a tool that is defined by code instead of a file: one entry of tools
// and what it needs of the rest of a kervan.yaml, under the same rules. A zero
// value is a field that is absent, so that its default counts.
type HTTP struct {
	Name        string // what clients call it by: 1 to 128 of A-Z a-z 0-9 _ - .
	Title       string // what people see; derived from the name by default
	Description string // what a model chooses it by

	ReadOnly, Idempotent   bool
	Destructive, OpenWorld *bool // nil: not said for Destructive, true for OpenWorld

	// Input is the JSON Schema of the arguments. Nil: there are none.
	Input json.RawMessage

	Method string // "" means GET
	// URL is absolute, and literal but for templates in its path.
	URL string
	// Query and Form hold texts, numbers, booleans, or lists of them. They are
	// sent in the order of their names. Texts may be templates, here as in
	// Headers and Body.
	Query, Form map[string]any
	Headers     map[string]string
	// Body is any value that marshals to JSON. A json.RawMessage keeps the order
	// of its members. Nil: there is none; for a null use json.RawMessage("null").
	Body any

	// Select picks the result out of a JSON response, and OutputSchema, if not
	// nil, describes it. With Raw instead, the text of the response is the result.
	Select       string
	OutputSchema json.RawMessage
	Raw          bool

	Secrets []Secret // what templates may name as secrets
	Vars    []string // what they may name as vars

	Timeout           time.Duration // 100 ms to 2 minutes; 0 means 10 seconds
	MaxResponseBytes  int64         // 0 means 1 MiB
	MaxOutputChars    int           // 0 means 20,000
	FollowRedirects   int           // up to 5; 0: none is followed
	AllowInsecureHTTP bool          // accepts an http URL
	PerMinute         int           // calls that begin in a minute; 0 means 60
	Concurrency       int           // calls that run at once; 0 means 10
}

// A Secret is a secret that an [HTTP] tool may send.
type Secret struct {
	Name  string
	Hosts []string // host or host:port; nil: only the tool's own host
}

// HTTPTool makes a Spec of one tool that is defined by code. Errors are those
// of [Load]; paths in them are those that the tool would have in a file. With
// [Options].Name empty it is known as "tool" and its name.
func HTTPTool(ctx context.Context, t HTTP, o Options) (*Spec, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	if o.Name == "" {
		o.Name = "tool " + t.Name
	}
	data, err := jsonx.Encode(t.file())
	if err != nil {
		return nil, badTool(t.Name, err)
	}
	tree, err := nodeOfJSON(data)
	if err != nil {
		return nil, badTool(t.Name, err)
	}
	return build(ctx, tree, o)
}

// These types spell a file as the table does.
type (
	fileJSON struct {
		SpecVersion int        `json:"specVersion"`
		Name        string     `json:"name"`
		Version     string     `json:"version"`
		Vars        []string   `json:"vars"`
		Secrets     []any      `json:"secrets"` // a name, or a secretJSON
		Tools       []toolJSON `json:"tools"`
	}
	secretJSON struct {
		Name  string   `json:"name"`
		Hosts []string `json:"hosts"`
	}
	toolJSON struct {
		Name        string          `json:"name"`
		Title       string          `json:"title,omitempty"`
		Description string          `json:"description"`
		Annotations annotationsJSON `json:"annotations"`
		Input       json.RawMessage `json:"input,omitempty"`
		HTTP        httpJSON        `json:"http"`
		Output      outputJSON      `json:"output"`
		RateLimit   rateJSON        `json:"rateLimit"`
	}
	annotationsJSON struct {
		ReadOnly    bool  `json:"readOnlyHint"`
		Idempotent  bool  `json:"idempotentHint"`
		Destructive *bool `json:"destructiveHint,omitempty"`
		OpenWorld   *bool `json:"openWorldHint,omitempty"`
	}
	httpJSON struct {
		Method            string            `json:"method,omitempty"`
		URL               string            `json:"url"`
		Query             map[string]any    `json:"query"`
		Headers           map[string]string `json:"headers"`
		Form              map[string]any    `json:"form,omitempty"`
		Body              any               `json:"body,omitempty"`
		Timeout           *int64            `json:"timeoutMs,omitempty"`
		MaxResponseBytes  int64             `json:"maxResponseBytes,omitempty"`
		MaxOutputChars    int               `json:"maxOutputChars,omitempty"`
		FollowRedirects   int               `json:"followRedirects,omitempty"`
		AllowInsecureHTTP bool              `json:"allowInsecureHttp,omitempty"`
	}
	outputJSON struct {
		Select string          `json:"select,omitempty"`
		Schema json.RawMessage `json:"schema,omitempty"`
		Raw    bool            `json:"raw,omitempty"`
	}
	rateJSON struct {
		PerMinute   int `json:"perMinute,omitempty"`
		Concurrency int `json:"concurrency,omitempty"`
	}
)

// file is the file that would hold the tool.
func (t HTTP) file() fileJSON {
	f := fileJSON{SpecVersion: 1, Name: "HTTPTool", Version: "1", Vars: t.Vars}
	for _, s := range t.Secrets {
		if s.Hosts == nil {
			f.Secrets = append(f.Secrets, s.Name)
			continue
		}
		f.Secrets = append(f.Secrets, secretJSON(s))
	}
	request := httpJSON{
		Method: t.Method, URL: t.URL, Query: t.Query, Headers: t.Headers, Form: t.Form, Body: t.Body,
		MaxResponseBytes: t.MaxResponseBytes, MaxOutputChars: t.MaxOutputChars, FollowRedirects: t.FollowRedirects,
		AllowInsecureHTTP: t.AllowInsecureHTTP,
	}
	if t.Timeout != 0 {
		request.Timeout = new(t.Timeout.Milliseconds())
	}
	f.Tools = []toolJSON{{
		Name: t.Name, Title: t.Title, Description: t.Description, Input: t.Input, HTTP: request,
		Annotations: annotationsJSON{t.ReadOnly, t.Idempotent, t.Destructive, t.OpenWorld},
		Output:      outputJSON{Select: t.Select, Schema: t.OutputSchema, Raw: t.Raw},
		RateLimit:   rateJSON{t.PerMinute, t.Concurrency},
	}}
	return f
}

// nodeOfJSON makes a tree of JSON that is known to be strict.
func nodeOfJSON(data []byte) (*node, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	n := &node{}
	return n, n.read(dec)
}

// read fills n, whose place in the tree is set, with the next value.
func (n *node) read(dec *json.Decoder) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case json.Delim:
		if v == '[' {
			return n.readList(dec)
		}
		return n.readObject(dec)
	case string:
		n.text = v
	case json.Number:
		n.text, n.plain = v.String(), true
	case bool:
		n.text, n.plain = "false", true
		if v {
			n.text = "true"
		}
	case nil:
		n.text, n.plain = "null", true
	}
	return nil
}

func (n *node) readList(dec *json.Decoder) error {
	n.kind = listNode
	for dec.More() {
		item := &node{parent: n, index: len(n.items)}
		if err := item.read(dec); err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	_, err := dec.Token()
	return err
}

func (n *node) readObject(dec *json.Decoder) error {
	n.kind = objectNode
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		value := &node{parent: n, name: name}
		if err := value.read(dec); err != nil {
			return err
		}
		n.members = append(n.members, member{name: name, value: value})
	}
	_, err := dec.Token()
	return err
}
