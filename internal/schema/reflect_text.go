package schema

import (
	"fmt"
	"strings"
)

const (
	goMsgPointers      = "a pointer to a pointer to a pointer … has no schema"
	goMsgInputRoot     = "the input of a tool must be an object"
	goHintInputRoot    = "use a struct with one field for each argument"
	goMsgTooLarge      = "the type is too large to be written inline"
	goHintTooLarge     = "use smaller types, or json.RawMessage for a part"
	goHintSkipField    = `use another type, or leave the field out with json:"-"`
	goMsgInterface     = "an interface with methods cannot be decoded"
	goHintInterface    = "use a concrete type, any or json.RawMessage"
	goMsgMapKey        = "the keys of a map must be strings, integers or text marshalers"
	goHintMapKey       = "use map[string]T"
	goMsgHiddenPointer = "an embedded pointer to an unexported struct cannot be decoded"
	goHintHidden       = "embed the struct itself, or export it"
	goMsgHiddenName    = "an embedded unexported struct cannot have a json name"
	goMsgStringOption  = "the json option string is for strings, numbers and booleans only"
	goMsgBadTag        = "the struct tag is malformed"
	goHintBadTag       = `write key:"value" pairs separated by spaces; a backslash before a comma is doubled, as in jsonschema:"pattern=^a{1\\,3}$"`
	goMsgExtras        = "the tag jsonschema_extras is not supported"
	goHintExtras       = "give the type a method JSONSchema() *jsonschema.Schema"
	goMsgProse         = "the jsonschema tag holds key=value pairs, not a description"
	goMsgTwoTexts      = "the description is given twice"
	goMsgOwnSchema     = "its type decides its own JSON, so a tag cannot constrain it"
	goHintOwnSchema    = "give the type a method JSONSchema() *jsonschema.Schema"
	durationText       = `duration such as "1h30m" or "1.5s"`
)

func goMsgUnsupported(kind string) string {
	return fmt.Sprintf("a %s has no JSON", kind)
}

func goMsgJSONOption(option string) string {
	return fmt.Sprintf("the json option %q is not supported", option)
}

const (
	goHintJSONOption = "the options are omitempty, omitzero and string"
	goHintJSONName   = "use letters, digits, - and _"
)

func goMsgJSONName(name string) string {
	return fmt.Sprintf("the json name %q cannot be used", clipTag(name))
}

func goMsgSchemaMethod(fault any) string {
	return fmt.Sprintf("its JSONSchema method cannot be used: %v", fault)
}

func goMsgFit(key, kind string) string {
	return fmt.Sprintf("%s does not fit a value of type %s", key, kind)
}

func goMsgValue(key, value, want string) string {
	return fmt.Sprintf("%s=%s is not %s", key, clipTag(value), want)
}

func goMsgUnknownKey(key string) string {
	return fmt.Sprintf("unknown key %q in the jsonschema tag", clipTag(key))
}

func goHintKey(name string) string {
	if near := nearestKey(name); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return "the keys are " + strings.Join(tagKeyNames, ", ")
}

func goMsgCut(part string) string {
	return fmt.Sprintf("the jsonschema tag is cut at a comma before %q", clipTag(part))
}

func goMsgBlanks(part string) string {
	return fmt.Sprintf("blanks around %q in the jsonschema tag", clipTag(part))
}

func goHintBlanks(tag string) string {
	return fmt.Sprintf(`write jsonschema:"%s"`, source(tag))
}

func goMsgFlag(key string) string    { return key + " takes no value" }
func goMsgNoValue(key string) string { return key + " needs a value" }
func goMsgTwice(key string) string   { return key + " is given twice" }

func goMsgOutside(key, value, low, high string) string {
	return fmt.Sprintf("%s=%s is outside what the type can hold, %s to %s", key, clipTag(value), low, high)
}

func goMsgContradicts(low, high string) string {
	return fmt.Sprintf("no value can satisfy both %s and %s", low, high)
}

func goMsgInvalid(what, value string, cause any) string {
	return fmt.Sprintf("the %s %s does not satisfy the schema of the field: %v", what, clipTag(value), cause)
}

func goMsgFormat(name string) string {
	return fmt.Sprintf("unknown format %q", clipTag(name))
}

func goMsgFixed(key string) string {
	return fmt.Sprintf("%s cannot be given: the type fixes it", key)
}

func goHintPattern(cause error) string {
	return fmt.Sprintf("patterns are Go regular expressions (RE2, no lookaround): %v", cause)
}

// goHintCut shows a value whose comma is escaped, as it stands in Go source.
func goHintCut(previous, part string) string {
	return "escape the comma: " + source(previous+`\,`+part)
}

func goHintProse(tag string) string {
	return fmt.Sprintf(`write jsonschema_description:"%s"`, tag)
}

// source writes tag text as it stands in Go source, where the tag is a quoted string inside a raw string.
func source(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s)
}

func clipTag(s string) string {
	const limit = 60
	if len(s) > limit {
		return strings.ToValidUTF8(s[:limit], "") + "…"
	}
	return s
}
