package template

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Texts for the author of a template: lower case, no final period.

const (
	textNotUTF8        = "the text is not valid UTF-8"
	textUnclosed       = "{{ is not closed"
	textNested         = "{{ is followed by another brace"
	textEmptyBraces    = "the braces are empty"
	hintUTF8           = "save the file as UTF-8"
	hintUnclosed       = `end the reference with }}, or write \{{ where the braces themselves are meant`
	hintNested         = `write two braces and only a reference in them, as in {{input.name}}; \{{ stands for the braces themselves`
	hintRoots          = "write {{input.name}}, {{vars.NAME}} or {{secrets.NAME}}"
	hintDots           = "write one dot between two names, as in {{input.address.city}}"
	hintDigit          = "a name begins with a letter or an underscore, and an element of a list cannot be picked; let the call pass what is needed as an input of its own"
	hintWholeInput     = "name one of the inputs, as in {{input.name}}"
	hintNameNotLiteral = `write the name as it is; \{{ stands for the braces themselves`

	textDuplicateMember = "the member is given twice"
	textNotJSONNumber   = "the number is not a number of JSON"
)

func textSyntax(e *SyntaxError) string {
	return fmt.Sprintf("%s (at byte %d); %s", e.Message, e.Offset, e.Hint)
}

func textBody(e *BodyError) string {
	if e.Pointer == "" {
		return e.Err.Error()
	}
	return visible(e.Pointer) + ": " + e.Err.Error()
}

func textNoReference(inner string) string {
	return quote(inner) + " is not a reference"
}

func textNameNotLiteral(r Ref) string {
	return fmt.Sprintf("a name cannot hold a template, and this one holds {{%s}}", r)
}

func textNotJSONType(v any) string {
	return fmt.Sprintf("a value of Go type %T is none of JSON", v)
}

// hintCharacter says what to do about a character that no reference holds.
func hintCharacter(r rune) string {
	switch {
	case r == '|':
		return "there are no filters; write only the reference, as in {{input.name}}"
	case r == '[' || r == ']':
		return "there is no index; write the members with dots, as in {{input.address.city}}"
	case r == '(' || r == ')':
		return "there are no functions; write only the reference, as in {{input.name}}"
	case r == ' ':
		return "write one reference and nothing else in the braces, as in {{input.name}}"
	case r == '-':
		return "names are letters, digits and underscores; rename the input, say with an underscore"
	case unicode.IsLetter(r):
		return "names are letters of ASCII, digits and underscores; rename the input"
	}
	return "names are letters, digits and underscores; there are no expressions"
}

func hintName(root Root, given string) string {
	hint := fmt.Sprintf("write {{%s.NAME}}, with a name of upper-case letters, digits and underscores that begins with a letter and has at most %d characters", root, maxName)
	if upper := strings.ToUpper(given); IsName(upper) {
		hint += fmt.Sprintf("; did you mean {{%s.%s}}?", root, upper)
	}
	return hint
}

// hintRoot is for a reference that begins with none of the roots.
func hintRoot(r Ref) string {
	first := strings.ToLower(string(r.Root))
	switch {
	case len(r.Path) == 0 && !isRoot(first):
		return fmt.Sprintf("an input is written {{input.%s}}", clip(string(r.Root)))
	case first == "env":
		return "a variable of the environment is listed under vars, or under secrets, and written {{vars.NAME}} or {{secrets.NAME}}"
	case isRoot(first):
		return fmt.Sprintf("did you mean %s? ", first) + hintRoots
	}
	return hintRoots
}

func isRoot(s string) bool {
	return s == string(Input) || s == string(Vars) || s == string(Secrets)
}

// Names of places.

const (
	placePath  = "path"
	placeQuery = "query"
)

func placeHeader(name string) string { return "header " + quote(name) }

func placeQueryParameter(name string) string { return "query parameter " + quote(name) }

func placeFormField(name string) string { return "form field " + quote(name) }

func placeBody(pointer string) string {
	if pointer == "" {
		return "body"
	}
	return "body at " + quote(pointer)
}

// Texts for a model: sentences that name the place and the reference, and never hold a value.

const allowedScalar = "a string, a number or a boolean"

func textMissing(place string, r Ref) string {
	if r.Root == Input {
		return fmt.Sprintf("The %s needs %s, which was not given: give %s.", place, r, allowedScalar)
	}
	return fmt.Sprintf("The %s needs %s, which has no value.", place, r)
}

func textNotScalar(place, subject string, value any) string {
	return fmt.Sprintf("The %s cannot hold %s, which is %s: give %s.", place, subject, typeName(value), allowedScalar)
}

func textValueNotUTF8(place, subject string) string {
	return fmt.Sprintf("The %s cannot hold %s, which is not valid UTF-8.", place, subject)
}

func textNotEncodable(place string, r Ref) string {
	return fmt.Sprintf("The %s cannot hold %s, which is no value of JSON.", place, r)
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return "of another type"
}

// Faults of a value in the path.
const (
	textValueEmpty     = "is empty: give at least one character"
	textValueDots      = `is "." or "..": give a name`
	textValueVanishes  = "holds nothing but slashes and blanks: give a name"
	textValueTraversal = `holds "../" or "..\": give a name that does not leave its place`
	textValueControl   = "holds a control character: leave it out"
)

func textPathValue(r Ref, fault string) string {
	return fmt.Sprintf("The path cannot hold %s, which %s.", r, fault)
}

// Faults of literal text, and of the path as a whole.
const (
	textBadEscape      = "has a percent sign that begins no escape; write %25 for the sign itself"
	textControl        = "has a control character"
	textNoSlash        = "does not begin with a slash"
	textEmptySegment   = "has two slashes in a row, which many servers read as one; write %2F for the second if it is meant"
	textEscapesNotUTF8 = "has escapes that are not UTF-8"
	textDotSegment     = `has a part that a server may take for "." or "..", so that it would mean another path`
	textLayers         = "has percent signs escaped over and over, so that what a server makes of it is not certain"
)

func textForbidden(c byte) string {
	return fmt.Sprintf("has the character %c; write %%%02X for it", c, c)
}

func textPath(fault string) string { return "The path " + fault + "." }

// textPathWith is textPath for a path with values in it, one of which is most likely at fault.
func textPathWith(refs []Ref, fault string) string {
	if len(refs) == 0 {
		return textPath(fault)
	}
	names := make([]string, len(refs))
	for i, r := range refs {
		names[i] = r.String()
	}
	return fmt.Sprintf("The path, with %s in it, %s.", strings.Join(names, ", "), fault)
}

func textQuery(fault string) string { return "The query " + fault + "." }

// Faults of a header.
const (
	textHeaderControl = "cannot hold line breaks, tabs or other control characters"
	textNotLatin1     = "cannot hold characters outside of Latin-1 (up to U+00FF)"
	textHeaderBlank   = "cannot begin or end with a blank"
)

func textHeader(place, fault string) string { return "The " + place + " " + fault + "." }

func textHeaderName(name string) string {
	return quote(name) + " is not a header name: write letters, digits and hyphens"
}

func textManagedHeader(name string) string {
	return "the header " + quote(name) + " is managed by the client that sends the request; leave it out"
}

// quote shows a piece of a file: cut, in quotes, and with everything escaped that a reader could not see.
func quote(s string) string { return strconv.Quote(clip(s)) }

// visible is quote without the quotes.
func visible(s string) string {
	q := quote(s)
	return q[1 : len(q)-1]
}

func clip(s string) string {
	const limit = 200
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit]) + "…"
}
