package schema

import (
	"errors"
	"math"
	"regexp"
	"sort"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// Bounds of one schema document. They keep Compile itself bounded whoever wrote the schema.
const (
	maxSchemaDepth    = 256
	maxSchemaElements = 1_000_000
	maxSubschemas     = 20_000
)

// baseURL is what references resolve against. It has to be hierarchical: with an opaque base, such as a URN, a relative
// reference would silently mean the document itself.
const baseURL = "https://kervan.invalid/schema"

// Options change what Compile makes of a schema.
type Options struct {
	// Output is set for the schema of a result: formats are then annotations and are not asserted, and members whose name is
	// a declared one in another case are like any other. Prepare then returns values as they are.
	Output bool
	// RepairElements bounds the array elements and object members that one Prepare decodes from strings.
	// Zero means 10,000; a negative value means no bound.
	RepairElements int
}

// A Validator is a compiled schema. It never changes and is safe for concurrent use.
type Validator struct {
	schema   *jsonschema.Schema
	root     *subschema
	nodes    map[string]*subschema // by JSON Pointer, to explain violations
	turns    *turnLimit            // nil when no value can make the validation grow
	output   bool
	badDefs  []string
	elements int
}

// Compile reads a JSON Schema (2020-12, root "type": "object") and prepares everything that Prepare and Validate need.
// Nothing is ever fetched. An error is always an *Error whose pointer leads into the schema.
func Compile(schema []byte, o Options) (v *Validator, err error) {
	defer func() {
		if recover() != nil {
			v, err = nil, &Error{Message: errSchemaUnreadable}
		}
	}()
	doc, err := jsonx.Parse(schema, jsonx.Limits{Depth: maxSchemaDepth, Elements: maxSchemaElements})
	if err != nil {
		return nil, notJSON(err)
	}
	b := &schemaBuilder{doc: doc, output: o.Output, nodes: map[string]*subschema{}, regexps: map[string]*regexp.Regexp{}}
	root, err := b.build()
	if err != nil {
		return nil, err
	}
	turns, err := newTurnLimit(b.all)
	if err != nil {
		return nil, err
	}
	engine := newEngine(doc, b.regexps, !o.Output)
	compiled, err := engine.compile("")
	if err != nil {
		return nil, err
	}
	v = &Validator{schema: compiled, root: root, nodes: b.nodes, turns: turns, output: o.Output, elements: repairElements(o.RepairElements)}
	if err := outline(b.all, nameOutline); err != nil {
		return nil, err
	}
	if err := outline(b.all, fillOutline); err != nil {
		return nil, err
	}
	if o.Output {
		return v, nil // nothing is filled into results
	}
	if err := v.planMembers(engine, b.all); err != nil {
		return nil, err
	}
	return v, nil
}

// Properties returns the names of the members that the root declares, in alphabetical order.
func (v *Validator) Properties() []string {
	names := make([]string, 0, len(v.root.outlines[fillOutline].members))
	for name := range v.root.outlines[fillOutline].members {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// BadDefaults returns JSON Pointers into the schema: the defaults of members that do not fit the member's own schema.
// Prepare never fills them in.
func (v *Validator) BadDefaults() []string { return v.badDefs }

func repairElements(n int) int {
	switch {
	case n == 0:
		return 10_000
	case n < 0:
		return math.MaxInt
	}
	return n
}

func notJSON(err error) *Error {
	var bad *jsonx.Error
	if errors.As(err, &bad) {
		return &Error{Pointer: bad.Pointer, Message: errNotJSON + ": " + bad.Detail}
	}
	return &Error{Message: errNotJSON}
}

// An engine compiles places of one document with the validation library.
type engine struct{ compiler *jsonschema.Compiler }

// refuseLoader stands where the library would read files.
type refuseLoader struct{}

func (refuseLoader) Load(string) (any, error) { return nil, errors.New(errNoFetch) }

func newEngine(doc any, regexps map[string]*regexp.Regexp, formats bool) *engine {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(refuseLoader{})
	c.UseRegexpEngine(func(expr string) (jsonschema.Regexp, error) {
		if re := regexps[expr]; re != nil {
			return re, nil
		}
		return regexp.Compile(expr)
	})
	if formats {
		c.AssertFormat()
	}
	if err := c.AddResource(baseURL, doc); err != nil {
		panic(err)
	}
	return &engine{c}
}

// compile returns the schema at a JSON Pointer. The builder has judged every keyword before, so a refusal here means that
// the library knows a rule that the builder does not; the message stays general rather than leaking the library's dump.
func (e *engine) compile(pointer string) (*jsonschema.Schema, error) {
	s, err := e.compiler.Compile(baseURL + "#" + escapeFragment(pointer))
	if err == nil {
		return s, nil
	}
	var refused *jsonschema.SchemaValidationError
	if errors.As(err, &refused) {
		var cause *jsonschema.ValidationError
		if errors.As(refused.Err, &cause) {
			return nil, &Error{Pointer: schemaPointer(refused.URL) + pointerOf(deepest(cause).InstanceLocation), Message: errNotASchema}
		}
	}
	return nil, &Error{Pointer: pointer, Message: errNotASchema}
}

func deepest(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	for len(e.Causes) > 0 {
		e = e.Causes[0]
	}
	return e
}
