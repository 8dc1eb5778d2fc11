package schema

import (
	"encoding/json"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

var tagFormats = []string{"date-time", "date", "time", "email", "uri", "uuid", "ipv4", "ipv6", "hostname"}

func unfit(path string, e tagEntry, kind string) error {
	return &Error{Pointer: path, Message: goMsgFit(e.key, kind)}
}

// limitContainer puts the constraints on a slice or map into its schema, and returns those of its elements.
func (w *typeWalker) limitContainer(s *jsonschema.Schema, at goPlace) (tagLimits, error) {
	for _, e := range at.limits.container {
		isObject := e.kind == tagObject
		if isObject != (s.Type == "object") {
			return tagLimits{}, unfit(at.path, e, s.Type)
		}
		if e.key == "uniqueItems" {
			s.UniqueItems = true
			continue
		}
		target := map[string]**uint64{
			"minItems": &s.MinItems, "maxItems": &s.MaxItems,
			"minProperties": &s.MinProperties, "maxProperties": &s.MaxProperties,
		}[e.key]
		if *target != nil {
			return tagLimits{}, &Error{Pointer: at.path, Message: goMsgFixed(e.key)}
		}
		if err := setCount(target, e, at.path); err != nil {
			return tagLimits{}, err
		}
	}
	if err := checkCounts(at.path, "minItems", s.MinItems, "maxItems", s.MaxItems); err != nil {
		return tagLimits{}, err
	}
	err := checkCounts(at.path, "minProperties", s.MinProperties, "maxProperties", s.MaxProperties)
	return tagLimits{scalar: at.limits.scalar}, err
}

// limit puts the constraints of a field's tags into the schema of a scalar.
func (w *typeWalker) limit(s *jsonschema.Schema, t reflect.Type, at goPlace) error {
	for _, e := range at.limits.container {
		return unfit(at.path, e, describe(s))
	}
	l := limiter{schema: s, low: s.Minimum, high: s.Maximum, path: at.path}
	for _, e := range at.limits.scalar {
		if err := l.apply(e); err != nil {
			return err
		}
	}
	if len(l.enum) > 0 {
		rest := withoutEnum(s, w)
		for _, v := range l.enum {
			w.checks = append(w.checks, valueCheck{at.path, "enum value", rest, t, v.(json.RawMessage), at.quoted})
		}
		s.Enum = l.enum
	}
	return l.consistent()
}

// withoutEnum copies a schema for checking its enum values against everything else in it.
func withoutEnum(s *jsonschema.Schema, w *typeWalker) *jsonschema.Schema {
	c := *s
	c.Enum = nil
	if rename, ok := w.renames[s]; ok {
		w.renames[&c] = rename
	}
	return &c
}

func describe(s *jsonschema.Schema) string {
	if s.Type == "" {
		return "any"
	}
	return s.Type
}

// A limiter applies the constraints on one scalar.
type limiter struct {
	schema    *jsonschema.Schema
	low, high json.Number // what the type can hold, for integers
	enum      []any
	path      string
}

func (l *limiter) apply(e tagEntry) error {
	isNumber := l.schema.Type == "integer" || l.schema.Type == "number"
	switch e.kind {
	case tagNumeric:
		if isNumber {
			return l.number(e)
		}
	case tagString:
		if l.schema.Type == "string" {
			return l.text(e)
		}
	case tagEnum:
		if isNumber || l.schema.Type == "string" || l.schema.Type == "boolean" {
			return l.enumValue(e)
		}
	}
	return unfit(l.path, e, describe(l.schema))
}

func (l *limiter) number(e tagEntry) error {
	want := "a number"
	if l.schema.Type == "integer" {
		want = "an integer"
	}
	value := parseNumber(e.value)
	if value == nil || l.schema.Type == "integer" && !value.IsInt() || e.key == "multipleOf" && value.Sign() <= 0 {
		if e.key == "multipleOf" {
			want += " above 0"
		}
		return &Error{Pointer: l.path, Message: goMsgValue(e.key, e.value, want)}
	}
	if l.low != "" && e.key != "multipleOf" && (value.Cmp(parseNumber(string(l.low))) < 0 || value.Cmp(parseNumber(string(l.high))) > 0) {
		return &Error{Pointer: l.path, Message: goMsgOutside(e.key, e.value, string(l.low), string(l.high))}
	}
	n := json.Number(e.value)
	switch e.key {
	case "minimum":
		l.schema.Minimum = n
	case "maximum":
		l.schema.Maximum = n
	case "exclusiveMinimum":
		l.schema.ExclusiveMinimum = n
	case "exclusiveMaximum":
		l.schema.ExclusiveMaximum = n
	case "multipleOf":
		l.schema.MultipleOf = n
	}
	return nil
}

// parseNumber reads a JSON number within the limits of jsonx, or returns nil.
func parseNumber(text string) *big.Rat {
	tree, err := jsonx.Parse([]byte(text), jsonx.Limits{})
	if err != nil {
		return nil
	}
	n, ok := tree.(json.Number)
	if !ok || string(n) != text {
		return nil
	}
	value, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return value
}

func (l *limiter) text(e tagEntry) error {
	s := l.schema
	switch e.key {
	case "minLength":
		return setCount(&s.MinLength, e, l.path)
	case "maxLength":
		return setCount(&s.MaxLength, e, l.path)
	case "pattern":
		if s.Pattern != "" {
			return &Error{Pointer: l.path, Message: goMsgFixed(e.key)}
		}
		if _, err := regexp.Compile(e.value); err != nil {
			return &Error{Pointer: l.path, Message: goMsgValue(e.key, e.value, "a pattern"), Hint: goHintPattern(err)}
		}
		s.Pattern = e.value
	case "format":
		if s.Format != "" || s.ContentEncoding != "" {
			return &Error{Pointer: l.path, Message: goMsgFixed(e.key)}
		}
		if !slices.Contains(tagFormats, e.value) {
			return &Error{Pointer: l.path, Message: goMsgFormat(e.value), Hint: "the formats are " + strings.Join(tagFormats, ", ")}
		}
		s.Format = e.value
	}
	return nil
}

func (l *limiter) enumValue(e tagEntry) error {
	value, ok := tagJSON(e.value, l.schema.Type)
	if !ok {
		return &Error{Pointer: l.path, Message: goMsgValue(e.key, e.value, "of type "+l.schema.Type)}
	}
	for _, other := range l.enum {
		if string(other.(json.RawMessage)) == string(value) {
			return &Error{Pointer: l.path, Message: goMsgTwice("enum=" + clipTag(e.value))}
		}
	}
	l.enum = append(l.enum, value)
	return nil
}

// tagJSON turns the text of a tag into JSON of a type. Text for a string stands for itself.
func tagJSON(text, kind string) (json.RawMessage, bool) {
	if kind == "string" {
		return jsonx.AppendString(nil, text), true
	}
	tree, err := jsonx.Parse([]byte(text), jsonx.Limits{})
	if err != nil {
		return nil, false
	}
	value, err := jsonx.AppendCanonical(nil, []byte(text))
	if err != nil {
		return nil, false
	}
	return value, hasJSONType(tree, kind)
}

func hasJSONType(tree any, kind string) bool {
	switch v := tree.(type) {
	case json.Number:
		if kind == "integer" {
			n := parseNumber(string(v))
			return n != nil && n.IsInt()
		}
		return kind == "number" || kind == ""
	case string:
		return kind == "string" || kind == ""
	case bool:
		return kind == "boolean" || kind == ""
	case []any:
		return kind == "array" || kind == ""
	case map[string]any:
		return kind == "object" || kind == ""
	}
	return kind == ""
}

func setCount(target **uint64, e tagEntry, path string) error {
	n, err := strconv.ParseUint(e.value, 10, 32)
	if err != nil || strings.HasPrefix(e.value, "+") {
		return &Error{Pointer: path, Message: goMsgValue(e.key, e.value, "a whole number of at least 0")}
	}
	*target = &n
	return nil
}

func checkCounts(path, lowKey string, low *uint64, highKey string, high *uint64) error {
	if low != nil && high != nil && *low > *high {
		return &Error{Pointer: path, Message: goMsgContradicts(lowKey+"="+itoa(*low), highKey+"="+itoa(*high))}
	}
	return nil
}

// consistent refuses bounds between which there is nothing.
func (l *limiter) consistent() error {
	s := l.schema
	if err := checkCounts(l.path, "minLength", s.MinLength, "maxLength", s.MaxLength); err != nil {
		return err
	}
	type bound struct {
		key    string
		number json.Number
		open   bool
	}
	lows := []bound{{"minimum", s.Minimum, false}, {"exclusiveMinimum", s.ExclusiveMinimum, true}}
	highs := []bound{{"maximum", s.Maximum, false}, {"exclusiveMaximum", s.ExclusiveMaximum, true}}
	for _, low := range lows {
		for _, high := range highs {
			if low.number == "" || high.number == "" {
				continue
			}
			a, b := parseNumber(string(low.number)), parseNumber(string(high.number))
			if a == nil || b == nil { // from a type's own schema
				continue
			}
			if c := a.Cmp(b); c > 0 || c == 0 && (low.open || high.open) {
				return &Error{Pointer: l.path, Message: goMsgContradicts(low.key+"="+string(low.number), high.key+"="+string(high.number))}
			}
		}
	}
	return nil
}
