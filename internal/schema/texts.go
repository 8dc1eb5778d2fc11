package schema

import (
	"errors"
	"fmt"
	"math/big"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
)

// Texts for a model: violations. Lower case, no final period, what is allowed before what was found.

const (
	textUnchecked   = "could not be checked against the schema"
	textTooDeep     = "nested too deeply for a schema whose alternatives contain each other; use fewer levels or fewer elements"
	textNoForm      = "matches none of the allowed forms"
	textNotTogether = "is not allowed together with the other members"

	maxListed = 20 // alternatives or names in one text
)

func textType(wants []string, found any) string {
	return "must be " + orList(wants) + ", found " + typed(found)
}

func textOneOf(values []any, found any) string {
	text := "must be " + choicePhrase(values) + ", found " + short(found)
	if near := nearValue(values, found); near != "" {
		text += "; did you mean " + Quote(near) + "?"
	}
	return text
}

func textTypeOrValue(types []string, values []any, found any) string {
	text := "must be " + orList(types) + ", or " + choicePhrase(values) + ", found " + short(found)
	if near := nearValue(values, found); near != "" {
		text += "; did you mean " + Quote(near) + "?"
	}
	return text
}

// choicePhrase is one value, or "one of" several.
func choicePhrase(values []any) string {
	shown := make([]string, 0, min(len(values), maxListed))
	for _, v := range values {
		if text := literal(v); len(shown) < maxListed && !slices.Contains(shown, text) {
			shown = append(shown, text)
		}
	}
	switch {
	case len(values) == 0:
		return "one of no values at all"
	case len(shown) == 1:
		return shown[0]
	case len(values) > maxListed:
		return "one of " + strings.Join(shown, ", ") + " and " + strconv.Itoa(len(values)-maxListed) + " more"
	}
	return "one of " + strings.Join(shown, ", ")
}

func nearValue(values []any, found any) string {
	word, ok := found.(string)
	if !ok {
		return ""
	}
	var words []string
	for _, v := range values {
		if s, ok := v.(string); ok {
			words = append(words, s)
		}
	}
	if near := Nearest(word, words, 1); len(near) == 1 {
		return near[0]
	}
	return ""
}

func textMissing(phrase string) string {
	if phrase == "" {
		return "required member is missing"
	}
	return "required member is missing; it must be " + phrase
}

func textMissingBecause(phrase, given string) string {
	text := "required member is missing, because " + Quote(given) + " is given"
	if phrase == "" {
		return text
	}
	return text + "; it must be " + phrase
}

func textMissingSets(sets [][]string) string {
	shown := make([]string, 0, len(sets))
	for _, names := range sets {
		quoted := make([]string, len(names))
		for i, name := range names {
			quoted[i] = Quote(name)
		}
		if text := strings.Join(quoted, " and "); len(shown) < maxListed && !slices.Contains(shown, text) {
			shown = append(shown, text)
		}
	}
	return "required members are missing: " + orList(shown)
}

func textUnknown(name string, allowed, patterns []string) string {
	if near := Nearest(name, allowed, 1); len(near) == 1 {
		return textUnknownNear(near[0])
	}
	var shown []string
	for _, a := range allowed[:min(len(allowed), maxListed)] {
		shown = append(shown, Quote(a))
	}
	if len(allowed) > maxListed {
		shown = append(shown, strconv.Itoa(len(allowed)-maxListed)+" more")
	}
	for _, p := range patterns[:min(len(patterns), 3)] {
		shown = append(shown, "names that match "+Visible(p, 2*maxShown))
	}
	if len(shown) == 0 {
		return "unknown member; no members are allowed here"
	}
	return "unknown member; allowed are " + strings.Join(shown, ", ")
}

func textUnknownNear(declared string) string {
	return "unknown member; did you mean " + Quote(declared) + "?"
}

func textForbidden(path []string) string {
	if len(path) > 0 {
		if _, err := strconv.Atoi(path[len(path)-1]); err == nil {
			return "nothing is allowed at this position"
		}
	}
	return "must not be given"
}

func textName(reason string) string {
	if reason == "" {
		return "this member name is not allowed"
	}
	return "this member name is not allowed: it " + reason
}

func textSeveralForms(forms []int) string {
	text := "matches more than one of the allowed forms"
	if len(forms) == 2 {
		text += fmt.Sprintf(" (numbers %d and %d)", forms[0]+1, forms[1]+1)
	}
	return text + "; it must match exactly one"
}

func textNot(phrase string, found any) string {
	if phrase == "" {
		return "has a form that the schema excludes, found " + short(found)
	}
	return "must not be " + phrase + ", found " + short(found)
}

func textOther(found any) string {
	return "is not allowed by the schema, found " + short(found)
}

func textNumber(relation string, n *subschema, keyword string, want *big.Rat, found any) string {
	return "must be " + relation + " " + numberText(n, keyword, want) + ", found " + short(found)
}

func textLength(relation string, want, got int, found any) string {
	return "must have " + relation + " " + counted(want, "character") + ", found " + strconv.Itoa(got) + ": " + short(found)
}

func textSize(relation string, want int, noun string, got int) string {
	return "must have " + relation + " " + counted(want, noun) + ", found " + strconv.Itoa(got)
}

func textPattern(expr string, found any) string {
	return "must match the pattern " + Visible(expr, 2*maxShown) + ", found " + short(found)
}

func textUnique(at [2]int) string {
	return fmt.Sprintf("items must differ from each other, but items %d and %d are equal (counted from 0)", at[0], at[1])
}

func textContains(want, phrase string, found any) string {
	if phrase == "" {
		phrase = "of the form that the schema asks for"
	} else {
		phrase = "that is " + phrase
	}
	if want == "1" {
		return "must contain at least 1 item " + phrase + ", found " + short(found)
	}
	return "must contain at least " + want + " items, each one " + phrase + ", found " + short(found)
}

func textMaxContains(want, got int, phrase string) string {
	if phrase == "" {
		phrase = "of the form that the schema limits"
	} else {
		phrase = "that is " + phrase
	}
	return "must contain at most " + counted(want, "item") + ", each one " + phrase + ", found " + strconv.Itoa(got)
}

func textClosest(forms int) string {
	return "closest of " + strconv.Itoa(forms) + " forms: "
}

var formatTexts = map[string]string{
	"date-time": "a date-time such as 2026-01-31T12:00:00Z",
	"date":      "a date such as 2026-01-31",
	"time":      "a time such as 12:00:00Z",
	"email":     "an email address such as name@example.com",
	"uri":       "an absolute URI such as https://example.com/path",
	"uuid":      "a UUID such as 123e4567-e89b-12d3-a456-426614174000",
	"ipv4":      "an IPv4 address such as 192.0.2.1",
	"ipv6":      "an IPv6 address such as 2001:db8::1",
	"hostname":  "a host name such as example.com",
}

func textFormat(format string, found any) string {
	want := formatTexts[format]
	if want == "" {
		want = "a valid " + Visible(format, maxShown)
	}
	return "must be " + want + ", found " + short(found)
}

var typeTexts = map[string]string{
	"string": "a string", "integer": "an integer", "number": "a number", "boolean": "true or false", "array": "an array",
	"object": "an object", "null": "null",
}

// typePhrases names types, each once; a number covers an integer.
func typePhrases(types []string) []string {
	var phrases []string
	for _, t := range types {
		if t == "integer" && slices.Contains(types, "number") {
			continue
		}
		if phrase := typeTexts[t]; phrase != "" && !slices.Contains(phrases, phrase) {
			phrases = append(phrases, phrase)
		}
	}
	return phrases
}

// Texts for a person: faults of a schema.

const (
	errSchemaUnreadable = "the schema could not be read"
	errNotJSON          = "the schema is not valid JSON"
	errNotASchema       = "this is not valid in JSON Schema 2020-12"
	errNoFetch          = "nothing is fetched"
	errRoot             = `the root must be an object schema with "type": "object"`
	hintRoot            = `write {"type": "object", "properties": {…}}`
	errSchemaSize       = "the schema is too large"
	errNumberSize       = "the number is too large"
	errDialect          = "only JSON Schema 2020-12 is supported"
	hintDialect         = `leave $schema out, or write "` + dialect2020 + `"`
	errTypes            = "type must be one or several of null, boolean, integer, number, string, array and object"
	hintTypes           = `write "type": "string", or "type": ["string", "null"]`
	errRefOutside       = "$ref must point into this schema"
	errRefAnchor        = "$ref must be a JSON Pointer"
	hintRef             = `put the definition under "$defs" and write "$ref": "#/$defs/name"`
	hintPrefixItems     = "since 2020-12 a list of schemas is called prefixItems, and items is the schema of the rest"
	errLoop             = "the schema applies itself to the same value, so checking would never end"
	hintLoop            = "refer to it from properties or items instead"
	errChain            = "more than 256 schemas refer to each other in a chain without descending into the value"
	errTooManyWays      = "the schema is applied to the same value more than 1,024 times"
	hintTooManyWays     = "refer to a definition once instead of from several branches"
	errDefaultSize      = "the default, with the defaults inside it, has more than 10,000 values"
	hintPattern         = "Go's RE2 syntax has no look-around or back-references; write the pattern without them"
)

func wrongForm(pointer, keyword, want string, found any) *Error {
	return &Error{Pointer: pointer, Message: keyword + " must be " + want + ", not " + typed(found)}
}

func badPattern(expr string, err error, pointer string) *Error {
	message := "the pattern " + Visible(expr, 2*maxShown) + " is not a regular expression of Go"
	var fault *syntax.Error
	if errors.As(err, &fault) && fault.Expr != "" && fault.Expr != expr {
		message += ": " + Visible(fault.Expr, maxShown) + " is not understood"
	}
	return &Error{Pointer: pointer, Message: message, Hint: hintPattern}
}
