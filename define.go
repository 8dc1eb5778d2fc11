package kervan

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan/internal/bridge"
	"github.com/kervan-mcp/kervan/internal/jsonx"
	"github.com/kervan-mcp/kervan/internal/schema"
)

// A RegisteredTool is a checked and compiled definition, immutable and safe
// for concurrent use. [Compile] and the methods of a [MemoryRegistry] are the
// only makers of one.
type RegisteredTool struct {
	info          ToolInfo
	def           *ToolDef // what it was made from
	advertised    []byte   // the tool as tools/list shows it
	input, output *schema.Validator
	decode        func([]byte) (any, error)
	handler       Handler
	middleware    []Middleware
	timeout       time.Duration // 0 = the app's

	headers   []bridge.HeaderParam
	known     *schemas // of the registry, while it compiles
	opaque    []string // Go types whose schema admits anything
	noted     atomic.Bool
	abandoned atomic.Int64 // handlers that still run after their answer
}

// Info describes the tool. The slices and maps in it are shared: read only.
func (t *RegisteredTool) Info() ToolInfo { return t.info }

// ToolInfo describes a tool to [WithVisibility] and to whoever lists a
// registry.
type ToolInfo struct {
	Name         string
	Title        string
	Description  string
	Scopes       []string
	Meta         map[string]any
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage // nil if none is declared
	Owner        any             // as given to MemoryRegistry.Sync, else nil; clients never see it
}

// Compile checks def and makes what a [Registry] holds. It is for registries
// of one's own; [MemoryRegistry.Add] calls it. The error is a
// *[DefinitionError], the first that is found. From then on def is in use.
func Compile(def *ToolDef) (*RegisteredTool, error) {
	t, err := compile(def, nil)
	if err == nil {
		def.inUse.Store(true)
	}
	return t, err
}

// compile is Compile without taking def into use.
// Schemas come from known if they are there.
func compile(def *ToolDef, known *schemas) (*RegisteredTool, error) {
	if def == nil {
		return nil, &DefinitionError{Code: InvalidHandler, Message: "the definition is nil", Hint: "make one with kervan.Tool or kervan.RawTool"}
	}
	if err := def.takeMisuse(); err != nil {
		return nil, err
	}
	t := &RegisteredTool{def: def, known: known, decode: def.decode, handler: def.handler, middleware: slices.Clone(def.middleware)}
	steps := []func(*ToolDef) *DefinitionError{
		checkName, checkDescription, t.compileInput, t.compileOutput, checkHandler, t.setTimeout, checkMiddleware, t.advertise,
	}
	for _, step := range steps {
		if err := step(def); err != nil {
			err.Tool = def.name
			return nil, err
		}
	}
	t.known = nil
	return t, nil
}

var (
	toolName     = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)
	portableName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
)

func checkName(d *ToolDef) *DefinitionError {
	if toolName.MatchString(d.name) && !strings.HasSuffix(d.name, "\n") {
		return nil
	}
	return &DefinitionError{Code: InvalidToolName, Message: "the name is not allowed", Hint: "use 1 to 128 of A-Z a-z 0-9 _ - . and nothing else"}
}

func checkDescription(d *ToolDef) *DefinitionError {
	if strings.TrimSpace(d.description) != "" {
		return nil
	}
	return &DefinitionError{Code: MissingDescription, Message: "the description is blank", Hint: "say in a sentence what the tool does; it is what a model chooses by"}
}

func checkHandler(d *ToolDef) *DefinitionError {
	if d.handler != nil {
		return nil
	}
	return &DefinitionError{Code: InvalidHandler, Message: "the handler is nil", Hint: "pass a function"}
}

func checkMiddleware(d *ToolDef) *DefinitionError {
	for i, m := range d.middleware {
		if m == nil {
			return &DefinitionError{Code: InvalidMiddleware, Message: fmt.Sprintf("middleware %d is nil", i+1), Hint: "remove it"}
		}
	}
	return nil
}

func (t *RegisteredTool) setTimeout(d *ToolDef) *DefinitionError {
	if d.timeout == nil {
		return nil
	}
	if *d.timeout <= 0 {
		return &DefinitionError{Code: InvalidTimeout, Message: fmt.Sprintf("the timeout is %v", *d.timeout), Hint: "give Timeout a positive duration, or leave it out for the app's default"}
	}
	t.timeout = *d.timeout
	return nil
}

// noArguments is the input schema of a tool that takes none.
const noArguments = `{"type":"object","properties":{},"additionalProperties":false}`

func (t *RegisteredTool) compileInput(d *ToolDef) *DefinitionError {
	text := []byte(d.inputSchema)
	if !d.raw {
		r, err := schema.Reflect(d.in, schema.Input)
		if err != nil {
			return schemaError(InvalidInputSchema, fmt.Sprintf("the argument type %v has no schema", d.in), err)
		}
		text = r.Schema
		t.opaque = append(t.opaque, r.Opaque...)
	} else if len(text) == 0 {
		text = []byte(noArguments)
	}
	var err error
	if t.input, t.info.InputSchema, err = t.compileSchema(text, schema.Options{}); err != nil {
		return schemaError(InvalidInputSchema, "the input schema is not usable", err)
	}
	var bad *DefinitionError
	t.headers, bad = headerParams(t.info.InputSchema)
	return bad
}

func (t *RegisteredTool) compileOutput(d *ToolDef) *DefinitionError {
	text := []byte(d.outputSchema)
	if len(text) == 0 && !d.raw && isStructured(d.out) {
		r, err := schema.Reflect(d.out, schema.Output)
		if err != nil {
			return schemaError(InvalidOutputSchema, fmt.Sprintf("the result type %v has no schema", d.out), err)
		}
		text = r.Schema // nil for a type that says nothing about its JSON
		t.opaque = append(t.opaque, r.Opaque...)
	}
	if len(text) == 0 {
		return nil
	}
	var err error
	if t.output, t.info.OutputSchema, err = t.compileSchema(text, schema.Options{Output: true}); err != nil {
		return schemaError(InvalidOutputSchema, "the output schema is not usable", err)
	}
	return nil
}

func (t *RegisteredTool) compileSchema(text []byte, o schema.Options) (*schema.Validator, json.RawMessage, error) {
	compact, err := jsonx.AppendCanonical(nil, text)
	if err != nil {
		return nil, nil, err
	}
	v, err := t.known.compile(compact, o)
	return v, compact, err
}

func schemaError(code ErrorCode, message string, err error) *DefinitionError {
	var e *schema.Error
	hint := "correct the schema"
	if errors.As(err, &e) {
		if e.Pointer != "" {
			message += ": at " + e.Pointer
		}
		message += ": " + e.Message
		if e.Hint != "" {
			hint = e.Hint
		}
	} else {
		message += ": " + err.Error()
	}
	return &DefinitionError{Code: code, Message: message, Hint: hint, Err: err}
}

// advertise encodes the tool as lists show it, once.
func (t *RegisteredTool) advertise(d *ToolDef) *DefinitionError {
	t.info.Name = d.name
	t.info.Description = d.description
	t.info.Scopes = slices.Clone(d.scopes)
	t.info.Meta = d.meta
	if t.info.Title = d.title; strings.TrimSpace(d.title) == "" {
		t.info.Title = titleOf(d.name)
	}
	b := append([]byte(`{"name":`), jsonx.AppendString(nil, d.name)...)
	b = jsonx.AppendString(append(b, `,"title":`...), t.info.Title)
	b = jsonx.AppendString(append(b, `,"description":`...), d.description)
	b = append(append(b, `,"inputSchema":`...), t.info.InputSchema...)
	if t.info.OutputSchema != nil {
		b = append(append(b, `,"outputSchema":`...), t.info.OutputSchema...)
	}
	b = d.hints.append(b)
	if len(d.icons) > 0 {
		icons, err := jsonx.Encode(d.icons)
		if err != nil {
			return &DefinitionError{Code: InvalidHandler, Message: "the icons do not marshal to JSON", Hint: "correct them", Err: err}
		}
		b = append(append(b, `,"icons":`...), icons...)
	}
	if len(d.meta) > 0 {
		meta, err := jsonx.Encode(mcp.Meta(d.meta))
		if err != nil {
			return &DefinitionError{Code: InvalidHandler, Message: "a value given to Meta does not marshal to JSON", Hint: "use plain values", Err: err}
		}
		b = append(append(b, `,"_meta":`...), meta...)
	}
	t.advertised = append(b, '}')
	return nil
}

// append writes the annotations that are set.
func (h hints) append(b []byte) []byte {
	start := len(b)
	for _, hint := range []struct {
		name  string
		value *bool
	}{
		{"readOnlyHint", h.readOnly}, {"destructiveHint", h.destructive},
		{"idempotentHint", h.idempotent}, {"openWorldHint", h.openWorld},
	} {
		if hint.value == nil {
			continue
		}
		if len(b) == start {
			b = append(b, `,"annotations":{`...)
		} else {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, "%q:%t", hint.name, *hint.value)
	}
	if len(b) > start {
		b = append(b, '}')
	}
	return b
}

// titleOf derives a title from a name: get_currentWeather is Get current
// weather.
func titleOf(name string) string {
	var words []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, string(word))
			word = nil
		}
	}
	var last rune
	for _, r := range name {
		if r == '_' || r == '-' || r == '.' {
			flush()
		} else {
			if unicode.IsUpper(r) && unicode.IsLower(last) {
				flush()
			}
			word = append(word, r)
		}
		last = r
	}
	flush()
	for i, w := range words {
		if w != strings.ToUpper(w) {
			words[i] = strings.ToLower(w)
		}
	}
	title := strings.Join(words, " ")
	if title == "" {
		return name
	}
	first, size := utf8.DecodeRuneInString(title)
	return string(unicode.ToUpper(first)) + title[size:]
}
