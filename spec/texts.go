package spec

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kervan-mcp/kervan/guard"
)

// Every text of this package that a person or a model reads stands here. Those
// for the author of a file are lower case and say what to write instead; what
// they show of the file is made visible first.

// Files and options.
const (
	textTooLarge    = "the file is larger than 1 MiB (1,048,576 bytes); part it into several"
	textEmptyFile   = "the file is empty; begin it with specVersion: 1"
	textMoreChecks  = "more checks follow once this is right"
	textApplyClosed = "the Spec is closed; load the file again"
)

func textMoreIssues(n int) string { return fmt.Sprintf("and %s more problems", thousands(int64(n))) }

func textProduction(option string) string {
	return fmt.Sprintf("spec.Options.%s is for development, and refused while %s is production; leave it out", option, envMode)
}

// textClosed is for a model.
const textClosed = "This tool is not available any more: what it was loaded from was closed. Ask the operator of the server."

// YAML.
const (
	textNotUTF8        = "the file is not UTF-8; save it as UTF-8"
	textSecondDocument = "a second document begins; a file has one, so remove what stands from the --- on"
	textTooDeep        = "nested deeper than 64 levels; use fewer"
	textAliases        = "more than 50 uses of anchors (&name), or too much behind them; write the values out"
	textAliasLoop      = "an anchor contains itself; write the value out"
	textMergeKey       = `merge keys (<<) are not read; write the members out, or put "<<" into quotes for a name`
	textKeyNotText     = "a name must be text, not a list or an object; a value that begins with {{ needs quotes"
)

func textControlInFile(r rune) string {
	return fmt.Sprintf(`the character U+%04X cannot stand in a file; remove it, or write it as \u%04x in double quotes where it is meant`, r, r)
}

func textTwice(name string, first int) string {
	return fmt.Sprintf("%s is given twice, first on line %d; remove one", quote(name), first)
}

func textTag(tag string) string {
	return fmt.Sprintf("the tag %s is not read; remove it, and write text in quotes", clip(tag, maxShown))
}

func textBareTemplate(reference string) string {
	return fmt.Sprintf("a value that begins with {{ needs quotes: write \"{{%s}}\"", clip(reference, maxShown))
}

// yamlHints say what to do about the messages of the YAML library.
var yamlHints = []struct{ message, hint string }{
	{"mapping values are not allowed", `a value that holds ": " needs quotes, and the members of an object the same indentation`},
	{"did not find expected key", "check the indentation; a value that begins with {{, or goes on behind a closing quote, needs quotes as a whole"},
	{"did not find expected '-' indicator", "check the indentation of the list"},
	{"cannot start any token", "indent with spaces, not tabs; a value that begins with @, ` or % needs quotes"},
	{"found unexpected end of stream", "close the quote, the bracket or the brace"},
	{"did not find expected ',' or", "close the bracket or the brace; a value that begins with { or [, and inside { } or [ ] one that holds ? or , or a bracket, needs quotes"},
	{"could not find expected ':'", `write "name: value", with a blank behind the colon`},
	{"did not find expected node content", "a value that begins with { or [ needs quotes unless it is an object or a list"},
	{"expected <document start>", "a file has one document; remove what stands from the ... on"},
	{"unknown anchor", "a value that begins with * needs quotes"},
	{"incompatible YAML document", "remove the %YAML line"},
	{"unknown escape character", `in double quotes a backslash is written \\; in single quotes as it is`},
	{"invalid Unicode character escape", "write the character itself"},
}

func textSyntax(message string) string {
	text := "not valid YAML: " + clip(message, 200)
	for _, h := range yamlHints {
		if strings.Contains(message, h.message) {
			return text + "; " + h.hint
		}
	}
	return text
}

// Structure.
const textBlank = "must not be blank"

// found says what a value is.
func found(n *node) string {
	switch {
	case n.kind == listNode:
		return "a list"
	case n.kind == objectNode:
		return "an object"
	case n.isNull():
		return "nothing"
	case n.plain && isNumber(n.text):
		return "the number " + clip(n.text, maxShown)
	case n.plain && isBool(n.text):
		return n.text
	}
	return "the text " + quote(n.text)
}

func textWantText(f *field, n *node) string {
	want := "must be text, found "
	if f.kind == kindNameOrObject {
		want = "must be a name, or an object with name and hosts, found "
	}
	if n.kind == scalarNode && n.text != "" { // null or ~
		return want + "nothing; write " + quote(n.text) + " in quotes if that is meant"
	}
	return want + found(n)
}

func textWantChoice(choices []string, text string) string {
	for _, c := range choices {
		if strings.EqualFold(c, strings.TrimSpace(text)) {
			return fmt.Sprintf("must be %s, found %s; write %s", joinQuoted(choices, "or"), quote(text), c)
		}
	}
	return fmt.Sprintf("must be %s, found %s", joinQuoted(choices, "or"), quote(text))
}

func textWantName(p *pattern, text string) string {
	return fmt.Sprintf("%s is not allowed here; use %s", quote(text), p.says)
}

func textTooLong(count int, limit int64) string {
	return fmt.Sprintf("has %s characters; at most %s are allowed", thousands(int64(count)), thousands(limit))
}

func textWantBool(n *node) string {
	text := "must be true or false, found " + found(n)
	if n.kind == scalarNode {
		switch strings.ToLower(n.text) {
		case "true", "yes", "on", "y":
			return text + "; write true, without quotes"
		case "false", "no", "off", "n":
			return text + "; write false, without quotes"
		}
	}
	return text
}

func textWantTrue(n *node) string {
	if n.kind == scalarNode && n.text == "false" {
		return "must be true; leave it out instead of writing false"
	}
	return "must be true, found " + found(n)
}

func textWantInteger(f *field, n *node) string {
	text := fmt.Sprintf("must be %s, found %s", wholeNumber(f), found(n))
	if n.kind != scalarNode {
		return text
	}
	spelling := n.text
	if n.plain {
		spelling = jsonSpelling(n.text)
	}
	if value, ok := integerOf(spelling); ok && value >= f.min && value <= f.max {
		return text + "; write " + spelling
	}
	return text
}

func wholeNumber(f *field) string {
	if f.min == f.max {
		return "the number " + thousands(f.min)
	}
	return fmt.Sprintf("a whole number from %s to %s (%s)", thousands(f.min), thousands(f.max), f.unit)
}

func textOutOfRange(f *field, text string) string {
	message := fmt.Sprintf("must be %s, found %s", wholeNumber(f), clip(text, maxShown))
	if f == fieldMaxResponse {
		return message + "; a response is held in memory"
	}
	return message
}

func textWantScalar(n *node) string {
	return "must be one value of text, a number, true or false, found " + found(n) + emptyHint(n)
}

func textWantScalars(n *node) string {
	return "must be text, a number, true or false, or a list of them, found " + found(n) + emptyHint(n)
}

func emptyHint(n *node) string {
	if n.kind == scalarNode {
		return `; write "" for empty text, or leave it out`
	}
	return ""
}

func textWantSchema(n *node) string {
	return "must be a JSON Schema, an object with type: object, found " + found(n)
}

func textWantObject(f *field, n *node) string {
	if len(f.fields) == 0 {
		return "must be an object of names and values, found " + found(n)
	}
	names := make([]string, len(f.fields))
	for i, sub := range f.fields {
		names[i] = sub.name
	}
	return fmt.Sprintf("must be an object with %s, found %s", strings.Join(names, ", "), found(n))
}

func textWantList(f *field, n *node) string {
	text := "must be a list, found " + found(n)
	if n.kind == scalarNode && n.text != "" {
		return text + "; write [" + clip(n.text, maxShown) + "]"
	}
	return text
}

func textListSize(f *field, count int64) string {
	return fmt.Sprintf("must have %s to %s entries, found %s", thousands(f.min), thousands(f.max), thousands(count))
}

func textUnknownField(name string, meant suggestion, f *field) string {
	text := "unknown field " + quote(name)
	switch {
	case meant.name != "":
		return text + "; did you mean " + quote(meant.name) + "?"
	case len(meant.elsewhere) > 0:
		return text + "; it belongs into " + strings.Join(meant.elsewhere, " or ")
	}
	names := make([]string, len(f.fields))
	for i, sub := range f.fields {
		names[i] = sub.name
	}
	return text + "; known are " + strings.Join(names, ", ")
}

func textMissingField(f *field) string {
	return fmt.Sprintf("%s is missing: %s", quote(f.name), lowerFirst(strings.TrimSuffix(firstSentence(f.doc), ".")))
}

func textExactlyOne(names, given []string) string {
	if len(given) == 0 {
		return "needs " + joinQuoted(names, "or")
	}
	return "has " + joinQuoted(given, "and") + ", of which one is allowed; remove the other"
}

func textNotTogether(given []string) string {
	return joinQuoted(given, "and") + " exclude each other; remove one"
}

func textNeeds(name, needed string) string {
	return fmt.Sprintf("%s is for a result of %s only; remove it", name, quote(needed))
}

// Visible text.

func textInvisible(r rune) string {
	return fmt.Sprintf("holds the character U+%04X, which a reader cannot see; remove it", r)
}

func textInName(name, fault string) string { return "the name " + quote(name) + " " + fault }

// Scalars.

func textOddNumber(text string) string {
	shown := clip(text, maxShown)
	if spelling := jsonSpelling(text); spelling != "" && spelling != text {
		return fmt.Sprintf("%s is read as different numbers by different readers; write %s for the number, or %s for the text", shown, spelling, quote(text))
	}
	return fmt.Sprintf("%s is no number of JSON, or too long for one; write %s for the text", shown, quote(text))
}

// URLs and hosts.
const (
	textURLNotAbsolute   = "must be absolute; write https:// and the host in front"
	textURLSlashes       = "must have two slashes behind the scheme; write https://"
	textURLCredentials   = "must not hold credentials (what stands before an @); send them in a header, with {{secrets.NAME}}"
	textURLFragment      = "must not have a fragment; remove the # and what follows, or write %23 for the character"
	textURLQueryTemplate = "a query in the URL is literal; put parameters with templates under http.query"
	textNoHost           = "has no host; write https:// and the host"
	textIPv6Brackets     = "an IPv6 address needs brackets, as in https://[2001:db8::1]/"
	textNeedsHTTPS       = "http is not encrypted; write https, or set allowInsecureHttp: true for this tool"
	textHostTemplate     = "must be literal; no template can stand here"
	textHostWildcard     = "wildcards are not allowed; list each host"
)

func textURLTemplate(part string) string {
	return "the " + part + " must be literal; a template can stand in the path, in query, headers and body"
}

func textURLScheme(scheme string) string {
	return fmt.Sprintf("the scheme must be https, or http for development, found %s", quote(scheme))
}

func textURLHost(host string) string {
	return fmt.Sprintf("%s is no host; write a name such as api.example.com, or an address in its usual form", quote(host))
}

func textPort(port string) string {
	if port == "" {
		return "the port is missing behind the colon; write it, or remove the colon"
	}
	return fmt.Sprintf("%s is no port; write a number from 1 to 65535", quote(port))
}

func textHostEntry(text string) string {
	return fmt.Sprintf("%s is no host; write only the host and, unless it is 443, the port, as in api.example.com or api.example.com:8443", quote(text))
}

func textSecretNeedsHTTPS(name string) string {
	return fmt.Sprintf("the tool sends the secret %s, and http is not encrypted; write https", name)
}

func textSecretOverHTTP(name string) string {
	return fmt.Sprintf("the tool sends the secret %s, and http is not encrypted; write https, or allow insecure secrets while developing", name)
}

// The request.

func textNoBody(name, method string) string {
	return fmt.Sprintf("%s cannot be sent with %s; use another method, or put the values under query", name, method)
}

func textHeaderTwice(name, first string) string {
	return fmt.Sprintf("the header %s is given as %s too, and names are the same in any case; remove one", quote(name), quote(first))
}

func textNoInput(name string) string {
	return fmt.Sprintf("the tool has no input; declare %s under input.properties", quote(name))
}

func textNotDeclared(path []string, name string, known []string) string {
	at := "input"
	if len(path) > 0 {
		at += ".properties." + strings.Join(path, ".properties.")
	}
	text := fmt.Sprintf("input.%s is not declared", strings.Join(append(path[:len(path):len(path)], name), "."))
	if near := nearest(name, known); near != "" {
		return text + "; did you mean " + quote(near) + "?"
	}
	return fmt.Sprintf("%s; declare %s in %s.properties", text, quote(name), at)
}

func textNotObject(path []string, kind string) string {
	return fmt.Sprintf("input.%s is declared as %s, which has no members", strings.Join(path, "."), kind)
}

func textNotListed(list, name, near string) string {
	if near != "" {
		return fmt.Sprintf("%s.%s is not listed under %s; did you mean %s?", list, name, list, near)
	}
	return fmt.Sprintf("%s.%s is not listed; add %s to %s at the top of the file", list, name, name, list)
}

// Schemas.
const (
	textSchemaLevels  = "schemas are nested deeper than 32 levels; use fewer"
	textSchemaNodes   = "more than 2,000 schemas; use fewer"
	textAlternatives  = "more than 64 of anyOf, oneOf and allOf in one schema; use fewer"
	textSchemaSize    = "the schema is larger than 64 KiB; use a smaller one"
	textPatternLength = "a pattern of more than 512 characters; use a shorter one"
	textBadDefault    = "the default does not fit its own schema; correct one of them"
)

func textInputRoot(fault string) string {
	return "must have type: object, since arguments have names; found " + fault
}

// textOutputRoot shows the select that makes an object of a result.
func textOutputRoot(fault string, kind *node, expression string) string {
	text := "must have type: object, since a result of that kind has names; found " + fault
	name := "value"
	switch {
	case kind == nil || kind.kind != scalarNode:
		return text
	case kind.text == "array":
		name = "items"
	}
	return fmt.Sprintf("%s; write select: %s, and this schema under properties.%s of an object", text, quoteYAML("{"+name+": "+expression+"}"), name)
}

// quoteYAML writes text in single quotes, in full.
func quoteYAML(s string) string { return "'" + strings.ReplaceAll(visible(s), "'", "''") + "'" }

// Output.

func textSelect(fault string) string { return "not a valid JMESPath expression: " + fault }

func textSelectResponse(tool string) string {
	return fmt.Sprintf("with select at most 8,388,608 bytes (8 MiB), which is what the sandbox takes: the tool %s needs a smaller maxResponseBytes, or raw", quote(tool))
}

// Declarations and secrets.

func textToolTwice(name string, first int) string {
	return fmt.Sprintf("the name %s is taken by the tool %s; choose another", quote(name), onLine(first))
}

func textDeclaredTwice(name string, first int) string {
	return fmt.Sprintf("%s is listed twice, first %s; remove one", quote(name), onLine(first))
}

func onLine(line int) string {
	if line == 0 {
		return "before"
	}
	return "on line " + strconv.Itoa(line)
}

func textVarAndSecret(name string) string {
	return fmt.Sprintf("%s is listed under secrets too, and a variable is not redacted; remove one", name)
}

func textUnused(list, name string) string {
	return fmt.Sprintf("%s is never used; write {{%s.%s}} where it belongs, or remove it", name, list, name)
}

func textNotBound(name, origin string, hosts []string) string {
	return fmt.Sprintf("the secret %s may go to %s only, and this request goes to %s; correct the URL, or add the host to the secret's hosts", name, strings.Join(hosts, ", "), origin)
}

func textNoSecret(name, origin string) string {
	return fmt.Sprintf("the secret %s has no value for %s; set it before the tool is called", name, origin)
}

func textSecretRefused(name, origin string, err error) string {
	return fmt.Sprintf("the secret %s was refused for %s: %s", name, origin, clip(err.Error(), 300))
}

func textNoVar(name string) string {
	return fmt.Sprintf("the variable %s is not set; set it before the tool is called", name)
}

func textVarNotUTF8(name string) string {
	return fmt.Sprintf("the value of the variable %s is not UTF-8; correct it", name)
}

// Env files.
const (
	textEnvSize     = "the file is larger than 1 MiB; use a smaller one"
	textEnvEncoding = "the line is not plain UTF-8 text; save the file as UTF-8"
	textEnvNoEquals = "the line is not KEY=VALUE; write an equals sign, or # in front of a comment"
	textEnvUnclosed = "the quote is not closed; close it on the same line"
	textEnvTrailing = "something stands behind the closing quote; put the whole value into one pair of quotes"
	textEnvEscape   = `in double quotes only \n, \t, \" and \\ are known; write \\ for a backslash, or use single quotes`
	// What stands before the sign is not shown: a line may be a bare secret that
	// ends with one.
	textEnvName  = "what stands before the equals sign is no name of a variable; write letters, digits and underscores, no digit first and no blank before the sign"
	textEnvBlank = "a blank stands behind the equals sign; remove it, or put the value into quotes"
)

func textBlocked(blocked *guard.BlockedError) string {
	cure := "allow it with --allow-private-network, or in code with Options.Network"
	switch blocked.Reason {
	case guard.ReasonMetadata:
		cure = "nothing allows that"
	case guard.ReasonDenied:
		cure = "take it off the deny list, or the tool out of the file"
	}
	return fmt.Sprintf("every call will be refused: %v; %s", blocked, cure)
}

// The errors of files that cannot be read.

func unreadable(path string, err error) error {
	return fmt.Errorf("cannot read %s: %w", visible(path), withoutPath(err))
}

func unreadableEnvFile(path string, err error) error {
	return fmt.Errorf("env file %s: %w", visible(path), withoutPath(err))
}

func textEnvLine(path string, line int, fault string) string {
	return fmt.Sprintf("env file %s:%d: %s", visible(path), line, fault)
}

func badTool(name string, err error) error { return fmt.Errorf("spec: tool %s: %w", quote(name), err) }
