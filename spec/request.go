package spec

import (
	"strings"

	"github.com/kervan-mcp/kervan/internal/httptool"
	"github.com/kervan-mcp/kervan/internal/template"
)

// This file reads the http object of a tool.

// request fills in what of t.http is sent, and where.
func (t *toolCheck) request(n *node) {
	t.out.http.Method = fieldMethod.def.(string)
	if method := n.get("method"); method != nil {
		t.out.http.Method = method.text
	}
	t.url(n.get("url"))
	t.out.http.QueryFields = t.fields(n.get("query"))
	t.out.http.Headers = t.headers(n.get("headers"))
	for _, name := range []string{"body", "form"} {
		if sent := n.get(name); sent != nil && (t.out.http.Method == "GET" || t.out.http.Method == "HEAD") {
			t.add(sent, textNoBody(name, t.out.http.Method))
		}
	}
	t.out.http.Form = t.fields(n.get("form"))
	if body := n.get("body"); body != nil {
		t.out.http.Body = t.body(body)
	}
}

func (t *toolCheck) url(n *node) {
	target, fault := parseURL(n.text)
	if fault != "" {
		t.add(n, fault)
		return
	}
	t.target = &target
	t.out.http.Scheme, t.out.http.Host, t.out.http.Port = target.scheme, target.host, target.port
	t.out.http.Query = target.query
	if err := template.CheckQuery(target.query); err != nil {
		t.add(n, syntaxFault(err))
	}
	path := t.parse(n, target.path)
	if path == nil {
		return
	}
	if err := path.CheckPath(); err != nil {
		t.add(n, syntaxFault(err))
		return
	}
	t.out.http.Path = path
}

// fields reads a query or a form.
func (t *toolCheck) fields(n *node) []template.Field {
	if n == nil {
		return nil
	}
	var fields []template.Field
	for _, m := range n.members {
		f := template.Field{Name: t.literalName(n, m)}
		items := []*node{m.value}
		if f.IsList = m.value.kind == listNode; f.IsList {
			items = m.value.items
		}
		for _, item := range items {
			if text := t.parse(item, item.text); text != nil {
				f.Items = append(f.Items, text)
			}
		}
		fields = append(fields, f)
	}
	return fields
}

// literalName is the name of a member, in which no template may stand.
func (t *toolCheck) literalName(object *node, m member) string {
	name, err := template.ParseName(m.name)
	if err != nil {
		place := &node{parent: object, name: m.name, line: m.line, column: m.column}
		t.add(place, syntaxFault(err))
	}
	return name
}

func (t *toolCheck) headers(n *node) []httptool.Header {
	if n == nil {
		return nil
	}
	var headers []httptool.Header
	seen := map[string]string{}
	for _, m := range n.members {
		place := &node{parent: n, name: m.name, line: m.line, column: m.column}
		lower := strings.ToLower(m.name)
		if err := template.CheckHeaderName(m.name); err != nil {
			t.add(place, visible(err.Error()))
		} else if first, twice := seen[lower]; twice {
			t.add(place, textHeaderTwice(m.name, first))
		}
		seen[lower] = m.name
		value := t.parse(m.value, m.value.text)
		if value == nil {
			continue
		}
		if err := value.CheckHeader(m.name); err != nil {
			t.add(m.value, syntaxFault(err))
		}
		headers = append(headers, httptool.Header{Name: m.name, Value: value})
	}
	return headers
}

// body reads a body; nil if it reported a problem.
func (t *toolCheck) body(n *node) *template.Body {
	before := t.errors
	tree := t.bodyTree(n)
	if t.errors > before {
		return nil
	}
	body, err := template.ParseBody(tree)
	if err != nil {
		t.add(n, syntaxFault(err))
		return nil
	}
	return body
}

// bodyTree is a body as package template takes it. Every template in it is
// parsed here too, so that each problem has its own place.
func (t *toolCheck) bodyTree(n *node) any {
	switch n.kind {
	case listNode:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = t.bodyTree(item)
		}
		return list
	case objectNode:
		object := make(template.Object, len(n.members))
		for i, m := range n.members {
			t.literalName(n, m)
			object[i] = template.Member{Name: m.name, Value: t.bodyTree(m.value)}
		}
		return object
	}
	value := scalarValue(n, t.issues)
	if text, ok := value.(string); ok {
		t.parse(n, text)
	}
	return value
}
