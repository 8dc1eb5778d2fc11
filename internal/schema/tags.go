package schema

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// A tagKind says what a key of the jsonschema tag is about.
type tagKind int

const (
	tagText    tagKind = iota // title and description of the field
	tagValue                  // default and examples of the field
	tagFlag                   // a key without a value
	tagArray                  // a constraint on a slice
	tagObject                 // a constraint on a map
	tagNumeric                // a constraint on numbers, of the field or its elements
	tagString                 // the same for strings
	tagEnum                   // the same for every scalar
)

var tagKeys = map[string]tagKind{
	"title": tagText, "description": tagText,
	"default": tagValue, "example": tagValue, "examples": tagValue,
	"required": tagFlag, "deprecated": tagFlag, "readOnly": tagFlag, "writeOnly": tagFlag, "uniqueItems": tagFlag,
	"minItems": tagArray, "maxItems": tagArray,
	"minProperties": tagObject, "maxProperties": tagObject,
	"minimum": tagNumeric, "maximum": tagNumeric, "exclusiveMinimum": tagNumeric, "exclusiveMaximum": tagNumeric,
	"multipleOf": tagNumeric,
	"minLength":  tagString, "maxLength": tagString, "pattern": tagString, "format": tagString,
	"enum": tagEnum,
}

var tagKeyNames = sortedKeys(tagKeys)

func nearestKey(name string) string {
	if near := Nearest(name, tagKeyNames, 1); len(near) > 0 {
		return near[0]
	}
	return ""
}

// A tagEntry is one key=value pair with the comma of its value unescaped.
type tagEntry struct {
	key, value string
	kind       tagKind
}

// tagLimits are the constraints of one field: on it as a slice or map, and on it or its innermost elements.
type tagLimits struct {
	container []tagEntry
	scalar    []tagEntry
}

func (l tagLimits) first() (tagEntry, bool) {
	for _, e := range slices.Concat(l.container, l.scalar) {
		return e, true
	}
	return tagEntry{}, false
}

// fieldTags are what the tags of one field say.
type fieldTags struct {
	title, description  string
	defaultValue        *string
	examples            []string
	required            bool
	deprecated          bool
	readOnly, writeOnly bool
	limits              tagLimits
}

// parseTags reads the jsonschema tags of a field.
func parseTags(tag reflect.StructTag, path string) (*fieldTags, error) {
	tags := &fieldTags{}
	text, ok := tag.Lookup("jsonschema")
	description, described := tag.Lookup("jsonschema_description")
	_, extras := tag.Lookup("jsonschema_extras")
	switch {
	case extras:
		return nil, &Error{Pointer: path, Message: goMsgExtras, Hint: goHintExtras}
	case !ok && strings.Contains(string(tag), "jsonschema:"), !described && strings.Contains(string(tag), "jsonschema_description:"):
		// Lookup fails without a word on a tag that is not well-formed.
		return nil, &Error{Pointer: path, Message: goMsgBadTag, Hint: goHintBadTag}
	}
	if ok {
		entries, err := splitTag(text, path)
		if err != nil {
			return nil, err
		}
		if err := tags.set(entries, path); err != nil {
			return nil, err
		}
	}
	if described {
		if tags.description != "" {
			return nil, &Error{Pointer: path, Message: goMsgTwoTexts}
		}
		tags.description = description
	}
	return tags, nil
}

// splitTag cuts a tag at its commas, and sees to it that none of the parts is the rest of another.
func splitTag(text, path string) ([]tagEntry, error) {
	parts := splitCommas(text)
	if isProse(parts) {
		return nil, &Error{Pointer: path, Message: goMsgProse, Hint: goHintProse(text)}
	}
	var entries []tagEntry
	for i, part := range parts {
		key, value, hasValue := strings.Cut(part, "=")
		kind, known := tagKeys[key]
		if i > 0 && looksCut(part, parts[i-1]) {
			return nil, &Error{Pointer: path, Message: goMsgCut(part), Hint: goHintCut(parts[i-1], part)}
		}
		if trimmed := strings.TrimSpace(part); trimmed != part || strings.TrimSpace(value) != value || strings.TrimSpace(key) != key {
			return nil, &Error{Pointer: path, Message: goMsgBlanks(part), Hint: goHintBlanks(trimParts(parts))}
		}
		if !known {
			return nil, &Error{Pointer: path, Message: goMsgUnknownKey(key), Hint: goHintKey(key)}
		}
		if err := checkForm(kind, key, value, hasValue, path); err != nil {
			return nil, err
		}
		entries = append(entries, tagEntry{key, strings.ReplaceAll(value, `\,`, ","), kind})
	}
	return entries, nil
}

// splitCommas cuts at every comma without a backslash before it.
func splitCommas(text string) []string {
	var parts []string
	start := 0
	for i := range len(text) {
		if text[i] == ',' && (i == 0 || text[i-1] != '\\') {
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}

// isProse reports whether a tag is a description, as other libraries want it here: no part begins with a key.
func isProse(parts []string) bool {
	for _, part := range parts {
		key, _, _ := strings.Cut(strings.TrimSpace(part), "=")
		if _, known := tagKeys[strings.TrimSpace(key)]; known {
			return false
		}
	}
	first, _, hasValue := strings.Cut(parts[0], "=")
	word := strings.TrimSpace(first)
	isKey := word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !isLetter(r) })
	return !isKey || !hasValue && nearestKey(word) == ""
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// looksCut reports whether a part is the rest of the value before it rather than a key: it has no "=", or what stands
// before the "=" is no word, or what comes before is half a pattern.
func looksCut(part, previous string) bool {
	key, _, hasValue := strings.Cut(part, "=")
	word := strings.TrimSpace(key)
	if _, known := tagKeys[word]; known {
		return false
	}
	before, value, ok := strings.Cut(previous, "=")
	if !ok || value == "" {
		return false
	}
	if before == "pattern" {
		if _, err := regexp.Compile(value); err != nil {
			return true
		}
	}
	return !hasValue && nearestKey(word) == "" || word == "" || strings.ContainsFunc(word, func(r rune) bool { return !isLetter(r) })
}

func trimParts(parts []string) string {
	trimmed := make([]string, len(parts))
	for i, part := range parts {
		key, value, hasValue := strings.Cut(part, "=")
		trimmed[i] = strings.TrimSpace(key)
		if hasValue {
			trimmed[i] += "=" + strings.TrimSpace(value)
		}
	}
	return strings.Join(trimmed, ",")
}

// checkForm checks that a key has a value exactly when it needs one.
func checkForm(kind tagKind, key, value string, hasValue bool, path string) error {
	switch {
	case kind == tagFlag:
		if hasValue && value != "true" {
			return &Error{Pointer: path, Message: goMsgFlag(key), Hint: "write " + key}
		}
	case !hasValue, value == "" && kind != tagValue && kind != tagEnum:
		return &Error{Pointer: path, Message: goMsgNoValue(key), Hint: "write " + key + "=…"}
	}
	return nil
}

func (t *fieldTags) set(entries []tagEntry, path string) error {
	given := map[string]bool{}
	for _, e := range entries {
		if given[e.key] && e.kind != tagEnum && !strings.HasPrefix(e.key, "example") {
			return &Error{Pointer: path, Message: goMsgTwice(e.key)}
		}
		given[e.key] = true
		t.setOne(e)
	}
	return nil
}

func (t *fieldTags) setOne(e tagEntry) {
	switch e.key {
	case "title":
		t.title = e.value
	case "description":
		t.description = e.value
	case "default":
		t.defaultValue = &e.value
	case "example", "examples":
		t.examples = append(t.examples, e.value)
	case "required":
		t.required = true
	case "deprecated":
		t.deprecated = true
	case "readOnly":
		t.readOnly = true
	case "writeOnly":
		t.writeOnly = true
	case "uniqueItems", "minItems", "maxItems", "minProperties", "maxProperties":
		t.limits.container = append(t.limits.container, e)
	default:
		t.limits.scalar = append(t.limits.scalar, e)
	}
}
