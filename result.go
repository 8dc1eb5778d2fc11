package kervan

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan/internal/jsonx"
	"github.com/kervan-mcp/kervan/internal/schema"
)

// Text makes a block of text content.
func Text(text string) *mcp.TextContent { return &mcp.TextContent{Text: text} }

// Image makes a block of image content from raw bytes, such as PNG data with
// the MIME type image/png.
func Image(data []byte, mimeType string) *mcp.ImageContent {
	return &mcp.ImageContent{Data: data, MIMEType: mimeType}
}

// Audio makes a block of audio content from raw bytes, such as WAV data with
// the MIME type audio/wav.
func Audio(data []byte, mimeType string) *mcp.AudioContent {
	return &mcp.AudioContent{Data: data, MIMEType: mimeType}
}

// ResultOf makes a result of content blocks, for a tool whose Out is *[Result].
func ResultOf(content ...mcp.Content) *Result {
	return &Result{Content: content}
}

var (
	stringType = reflect.TypeFor[string]()
	resultType = reflect.TypeFor[*Result]()
	noneType   = reflect.TypeFor[None]()
)

// isStructured reports whether an Out of type t becomes structured content.
func isStructured(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer && t != resultType {
		t = t.Elem()
	}
	return t != stringType && t != resultType && t != noneType
}

// resultOf makes the result that middleware sees of what a typed handler
// returned. Structured content stays a Go value until the chain has ended.
func resultOf(declared reflect.Type, out any) (*Result, error) {
	if r, ok := out.(*Result); ok {
		if r == nil {
			return nil, errors.New("the handler returned a nil *Result")
		}
		return copyResult(r), nil
	}
	if declared.Kind() == reflect.Pointer { // *T is as T
		v := reflect.ValueOf(out)
		if v.IsNil() {
			return nil, fmt.Errorf("the handler returned a nil %T", out)
		}
		if e := declared.Elem(); e == stringType || e == noneType {
			return resultOf(e, v.Elem().Interface())
		}
	}
	switch {
	case declared == stringType:
		return ResultOf(Text(out.(string))), nil
	case declared == noneType:
		return &Result{}, nil
	case out == nil: // an interface type: null is a value, nil would be none
		return &Result{StructuredContent: json.RawMessage("null")}, nil
	}
	if v := reflect.ValueOf(out); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, fmt.Errorf("the handler returned a nil %T", out)
	}
	return &Result{StructuredContent: out}, nil
}

// copyResult protects a result that its owner may return again.
func copyResult(r *Result) *Result {
	c := *r
	c.Meta = maps.Clone(r.Meta)
	c.Content = slices.Clone(r.Content)
	c.InputRequests = maps.Clone(r.InputRequests)
	return &c
}

// An answer is a call's outcome as bytes: what a transport frames for the
// client's era.
type answer struct {
	content    []byte // a JSON array
	structured []byte // a JSON object, or nil
	isError    bool
	meta       []byte   // members of _meta, without braces
	interim    *interim // instead of all else
	outcome    Outcome
	ref        string // of a masked error
	problems   int    // violations of a schema
}

// textAnswer is an error result of one text.
func textAnswer(outcome Outcome, text string) *answer {
	return &answer{content: appendText([]byte{'['}, text, true), isError: true, outcome: outcome}
}

// appendText writes a text block, and the end of the list if last.
func appendText(b []byte, text string, last bool) []byte {
	b = append(b, `{"type":"text","text":`...)
	b = append(jsonx.AppendString(b, text), '}')
	if last {
		b = append(b, ']')
	}
	return b
}

// errUnencodable is a result that cannot be sent; its text is for the log.
type errUnencodable struct{ err error }

func (e errUnencodable) Error() string {
	return "the result does not marshal to JSON: " + e.err.Error()
}
func (e errUnencodable) Unwrap() error { return e.err }

// encodeResult makes the answer of what the outermost middleware returned.
// Violations are those of the output schema.
func encodeResult(t *RegisteredTool, r *Result) (*answer, []schema.Violation, error) {
	meta, err := encodeMeta(r.Meta)
	if err != nil {
		return nil, nil, errUnencodable{err}
	}
	a := &answer{isError: r.IsError, meta: meta, outcome: OutcomeOK}
	if r.IsError {
		a.outcome = OutcomeToolError
	} else if r.StructuredContent != nil {
		data, err := jsonx.Encode(r.StructuredContent)
		if err != nil {
			return nil, nil, errUnencodable{err}
		}
		a.structured = wrapRoot(data)
		if violations := checkOutput(t, a.structured); violations != nil {
			return nil, violations, nil
		}
	}
	if a.structured != nil && len(r.Content) == 0 {
		a.content = appendText([]byte{'['}, string(a.structured), true)
	} else if a.content, err = encodeContent(r.Content); err != nil {
		return nil, nil, errUnencodable{err}
	}
	return a, nil, nil
}

// wrapRoot puts a list under items and a scalar under value, since the root
// of structured content is always an object.
func wrapRoot(data []byte) []byte {
	switch data[0] {
	case '{':
		return data
	case '[':
		return append(append([]byte(`{"items":`), data...), '}')
	}
	return append(append([]byte(`{"value":`), data...), '}')
}

func checkOutput(t *RegisteredTool, structured []byte) []schema.Violation {
	if t.output == nil {
		return nil
	}
	tree, err := jsonx.Parse(structured, jsonx.Limits{})
	if err != nil {
		return []schema.Violation{violationOf(err)}
	}
	return t.output.Validate(tree)
}

// violationOf makes a violation of a document that could not be read.
func violationOf(err error) schema.Violation {
	var e *jsonx.Error
	if errors.As(err, &e) {
		return schema.Violation{Pointer: e.Pointer, Message: e.Detail}
	}
	return schema.Violation{Message: "could not be read"}
}

func encodeContent(blocks []mcp.Content) ([]byte, error) {
	b := []byte{'['}
	for i, c := range blocks {
		if i > 0 {
			b = append(b, ',')
		}
		if isNil(c) {
			return nil, fmt.Errorf("content block %d is nil", i+1)
		}
		if t, ok := c.(*mcp.TextContent); ok && t.Meta == nil && t.Annotations == nil {
			b = appendText(b, t.Text, false)
			continue
		}
		data, err := c.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("content block %d: %w", i+1, err)
		}
		if b, err = jsonx.AppendCanonical(b, data); err != nil {
			return nil, fmt.Errorf("content block %d: %w", i+1, err)
		}
	}
	return append(b, ']'), nil
}

// encodeMeta encodes the members of a _meta. It runs where user code may
// panic; the SDK marshals later, where it may not.
func encodeMeta(meta map[string]any) ([]byte, error) {
	if len(meta) == 0 {
		return nil, nil
	}
	data, err := json.Marshal(meta)
	if err != nil {
		return nil, err
	}
	if data, err = jsonx.AppendCanonical(nil, data); err != nil {
		return nil, err
	}
	return data[1 : len(data)-1], nil
}

// isNil reports whether v is nil or holds a nil pointer, map, slice, func or
// channel.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch rv := reflect.ValueOf(v); rv.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		return rv.IsNil()
	}
	return false
}
