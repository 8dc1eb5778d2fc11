package spec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/internal/httptool"
	"github.com/kervan-mcp/kervan/internal/schema"
	"github.com/kervan-mcp/kervan/sandbox"
)

// A tool is one entry of tools, ready to be registered.
type tool struct {
	http               *httptool.Tool
	title, description string
	hints              hints
	input, output      json.RawMessage
	fingerprint        fingerprint

	// While the file is loaded:
	node    *node
	origin  string // where the request goes
	secrets []*declaration
}

// forget lets go of the file.
func (t *tool) forget() { t.node, t.secrets = nil, nil }

// hints are the annotations that are set.
type hints struct {
	readOnly, idempotent bool
	destructive          *bool
	openWorld            bool
}

// A toolCheck reads one tool.
type toolCheck struct {
	references
	out    *tool
	target *target // nil if the URL has a fault
}

// tool reads one entry of tools and reports all that is wrong with it.
func (m *meaning) tool(n *node) *tool {
	t := &toolCheck{references: references{meaning: m}}
	t.out = &tool{
		node:        n,
		title:       textOf(n.get("title")),
		description: n.get("description").text,
		hints:       readHints(n.get("annotations")),
		http:        &httptool.Tool{Name: n.get("name").text, AllowInsecureSecrets: m.options.AllowInsecureSecrets},
	}
	if t.out.title == "" {
		t.out.title = textOf(n.get("annotations").get("title"))
	}
	t.readInput(n)
	t.limits(n)
	t.request(n.get("http"))
	t.transport(n.get("http"))
	t.readOutput(n)
	t.bind(n.get("http").get("url"))
	t.out.fingerprint = fingerprintOf(t.out)
	return t.out
}

func readHints(n *node) hints {
	h := hints{
		readOnly:   isTrue(n.get("readOnlyHint")),
		idempotent: isTrue(n.get("idempotentHint")),
		openWorld:  n.get("openWorldHint") == nil || isTrue(n.get("openWorldHint")),
	}
	if hint := n.get("destructiveHint"); hint != nil {
		h.destructive = new(isTrue(hint))
	}
	return h
}

// readInput reads the schema of the arguments, to which templates refer.
func (t *toolCheck) readInput(n *node) {
	input := n.get("input")
	if input == nil {
		return
	}
	if fault := rootFault(input); fault != "" {
		t.add(input, textInputRoot(fault))
		t.anyInput = true
		return
	}
	read := readSchema(input, false, t.issues)
	if read == nil {
		t.anyInput = true
		return
	}
	t.out.input, t.input.root = read.text, read.tree
	if bytes.Contains(read.text, []byte(`"x-mcp-header"`)) {
		t.checkHeaderParams(input)
	}
}

// checkHeaderParams has package kervan judge the members that are bound to
// headers of the client's requests.
func (t *toolCheck) checkHeaderParams(input *node) {
	nothing := func(context.Context, *kervan.Call) (*kervan.Result, error) { return nil, nil }
	_, err := kervan.Compile(kervan.RawTool("tool", "Description.", t.out.input, nothing))
	var bad *kervan.DefinitionError
	if errors.As(err, &bad) {
		t.add(input, visible(bad.Message+"; "+bad.Hint))
	}
}

// rootFault is the type of a schema's root where that is not object.
func rootFault(n *node) string {
	kind := n.get("type")
	switch {
	case kind == nil:
		return "no type"
	case kind.kind != scalarNode:
		return "a list of types"
	case kind.text != "object":
		return "type " + quote(kind.text)
	}
	return ""
}

// limits reads what bounds a call.
func (t *toolCheck) limits(n *node) {
	request, rate := n.get("http"), n.get("rateLimit")
	read := func(own *node, section string, f *field) int64 {
		value, _ := t.limit(own, section, f)
		return value
	}
	h := t.out.http
	h.Timeout = time.Duration(read(request, "http", fieldTimeout)) * time.Millisecond
	h.MaxResponseBytes = read(request, "http", fieldMaxResponse)
	h.MaxOutputChars = int(read(request, "http", fieldMaxOutput))
	h.FollowRedirects = int(read(request, "http", fieldRedirects))
	h.PerMinute = int(read(rate, "rateLimit", fieldPerMinute))
	h.Concurrency = int(read(rate, "rateLimit", fieldConcurrency))
}

// transport judges the scheme, now that it is known which secrets are sent.
func (t *toolCheck) transport(n *node) {
	if t.target == nil || t.target.scheme == "https" {
		return
	}
	url, secret := n.get("url"), len(t.usedSecrets) > 0
	switch {
	case !t.flag(n, fieldInsecure) && secret:
		t.add(url, textSecretNeedsHTTPS(t.usedSecrets[0].name))
	case !t.flag(n, fieldInsecure):
		t.add(url, textNeedsHTTPS)
	case secret && !t.options.AllowInsecureSecrets:
		t.add(url, textSecretOverHTTP(t.usedSecrets[0].name))
	}
}

// readOutput reads what becomes of the response.
func (t *toolCheck) readOutput(n *node) {
	output := n.get("output")
	if output.get("raw") != nil {
		t.out.http.Raw = true
		return
	}
	expression := output.get("select")
	t.out.http.Select = expression.text
	t.checkSelect(expression)
	if size, at := t.limit(n.get("http"), "http", fieldMaxResponse); size > maxSelectResponse {
		t.add(at, textSelectResponse(t.out.http.Name))
	}
	if s := output.get("schema"); s != nil {
		t.readOutputSchema(s, expression.text)
	}
}

func (t *toolCheck) checkSelect(n *node) {
	warnings, err := sandbox.Check(n.text)
	for _, warning := range warnings {
		t.warn(n, clause(warning))
	}
	if err == nil {
		return
	}
	message := err.Error()
	var e *sandbox.ExpressionError
	if errors.As(err, &e) {
		message = e.Message
		if e.Hint != "" {
			message += "; " + e.Hint
		}
	}
	t.add(n, textSelect(clause(message)))
}

func (t *toolCheck) readOutputSchema(n *node, expression string) {
	if fault := rootFault(n); fault != "" {
		t.add(n, textOutputRoot(fault, n.get("type"), strings.TrimSpace(expression)))
		return
	}
	read := readSchema(n, true, t.issues)
	if read == nil {
		return
	}
	t.out.output = read.text
	t.out.http.Fits = fits(read.validator)
}

func fits(v *schema.Validator) func(any) bool {
	return func(tree any) bool { return len(v.Validate(tree)) == 0 }
}

// bind notes which names the tool sends, and checks that each secret may go
// to its host (rule 6.4).
func (t *toolCheck) bind(url *node) {
	t.out.secrets = t.usedSecrets
	if t.target != nil {
		t.out.origin = t.target.origin()
	}
	t.out.http.Vars = namesOf(t.usedVars)
	t.out.http.Secrets = namesOf(t.usedSecrets)
	t.out.http.Hosts = map[string][]string{}
	for _, secret := range t.usedSecrets {
		if secret.hosts == nil {
			continue
		}
		t.out.http.Hosts[secret.name] = secret.hosts
		if t.target != nil && !slices.Contains(secret.hosts, t.out.origin) {
			t.add(url, textNotBound(secret.name, t.out.origin, secret.hosts))
		}
	}
}
