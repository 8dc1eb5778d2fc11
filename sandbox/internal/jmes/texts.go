package jmes

import (
	"fmt"
	"strconv"
	"strings"
)

// Every text that a person or a model reads stands here. None shows anything of the data. Those on the form of the
// expression come first, then those on its meaning, the evaluation, the data, and the warnings.

const (
	textExpressionNotUTF8 = "the expression is not valid UTF-8"
	textEmpty             = "the expression is empty"
	hintEmpty             = "@ selects the whole document"
	textLong              = "the expression has more than 1,000 characters"
	textNesting           = "the expression nests deeper than 64 levels"
	textIncomplete        = "the expression ends too early"
	textUnclosedName      = `a name in double quotes has no closing "`
	textUnclosedText      = "a text has no closing '"
	textUnclosedLiteral   = "a literal has no closing `"
	textBackslashes       = "implementations do not agree on backslashes before the ' that closes a text"
	hintBackslashes       = "write the text as a JSON string in backticks: `\"a\\\\\"`"
	textBracket           = "in [ ] after an expression stands a number, a slice or *"
	hintBracket           = `write .name or ."a name" for a member, and [?condition] to filter`
	textBigIndex          = "a number in an index or a slice is beyond 1,000,000,000"
	textStep              = "the step of a slice is 0"
	textQuotedCall        = "the name of a function is not quoted"
	textNotCallable       = "only the name of a function can be called"
	hintNotCallable       = "write name(arguments), without quotes or parentheses around the name"
)

func textUnexpectedCharacter(r rune) string { return "unexpected character " + strconv.QuoteRune(r) }

// hintCharacter tells what to write for what other languages write with a character.
func hintCharacter(r rune) string {
	switch r {
	case '$':
		return "an expression begins at the document, and @ is the current value"
	case '=':
		return "write == to compare"
	case '-':
		return `write a name with a hyphen in double quotes: "a-b"`
	case '+', '/', '%':
		return "there is no arithmetic but sum(), avg(), abs(), ceil() and floor()"
	case '?':
		return "a filter is written [?condition], without a space after ["
	}
	if r > 127 {
		return "write a name with other letters than A to Z in double quotes"
	}
	return ""
}

func textUnexpected(source string) string { return "unexpected " + quote(source) }

func hintUnexpected(t token) string {
	switch t.kind {
	case tokenNumber:
		return "a number is written in backticks: `1`; an index in brackets: [1]"
	case tokenName:
		switch t.text {
		case "and":
			return "write &&"
		case "or":
			return "write ||"
		}
		return "a comma or an operator is missing before it"
	case tokenComma, tokenCloseParen, tokenCloseBracket, tokenCloseBrace:
		return "an expression is missing before it, or there is nothing that it could part or close"
	}
	return ""
}

func textBadName(fault string) string {
	return "a name in double quotes cannot be read: " + fault
}

func textBadLiteral(fault string) string {
	return "a literal in backticks cannot be read as JSON: " + fault
}

// hintLiteral helps where a text was meant.
func hintLiteral(content string) string {
	if content = strings.TrimSpace(content); content == "" || strings.ContainsAny(content, "'\\\"{}[]") {
		return "a text is written 'text'"
	}
	return "a text is written '" + visible(content) + "'"
}

func hintQuotedCall(name string) string { return "write " + visible(name) + "(…)" }

const (
	textRef     = "& is only for the argument of map(), sort_by(), max_by() and min_by() that is applied to each element"
	hintRef     = "write the expression without &"
	textNegated = "!a.b means (!a).b, a member of true or false"
	hintNegated = "write !(a.b)"

	textStarCall = "a function after .* is refused, since implementations also apply it to values that do not exist"
	hintStarCall = "write values(x)[*].name(@) for x.*.name(@)"

	textStepAfterProjection = "this step is applied to the list that the projection before it makes, and not to each element"
	hintStepAfterProjection = "write values(x)[*].a.b for x.*.a.b, and end the projection with | to go on with the list: x[*].{…} | [*].a"

	textInexactLiteral = "a number beyond 2^53, or with more digits than a float64 holds, cannot be compared exactly"
	hintInexactLiteral = "compare it as a text: to_string(id) == '9007199254740993'"
	hintRefWanted      = "write sort_by(items, &price): & keeps the expression from being evaluated at once"
)

func textKeyTwice(key string) string { return "the key " + quote(key) + " stands twice in { }" }

func textUnknownFunction(name string) string { return "there is no function " + visible(name) + "()" }

func hintFunctions(name string) string {
	if near := nearest(name); near != "" {
		return "did you mean " + near + "()?"
	}
	names := make([]string, len(functions))
	for i := range functions {
		names[i] = functions[i].name
	}
	return "the functions are " + strings.Join(names, ", ")
}

func textArity(f *function, got int) string {
	wanted := strconv.Itoa(len(f.params)) + " arguments"
	if len(f.params) == 1 {
		wanted = "1 argument"
	}
	if f.variadic {
		wanted += " or more"
	}
	return fmt.Sprintf("%s() takes %s, but has %d", f.name, wanted, got)
}

func textRefWanted(f *function, i int) string {
	return fmt.Sprintf("%s() takes an expression with & as argument %d", f.name, i+1)
}

const textInternal = "the expression could not be evaluated"

func textInexact(operation string) string {
	return operation + " got a number beyond 2^53, or with more digits than a float64 holds, and would not be exact"
}

func textInexactSum(name string) string {
	return name + "() got numbers whose sum could pass 2^53, or all that a float64 holds, and would not be exact"
}

// textArgument tells what an argument must be and which type it has.
func textArgument(f *function, i int, wanted typeSet, got any) string {
	argument := ""
	if len(f.params) > 1 || f.variadic {
		argument = fmt.Sprintf(" as argument %d", i+1)
	}
	found := typePhrase(typeOf(got))
	if list, ok := got.([]any); ok {
		found = listPhrase(list)
	}
	return fmt.Sprintf("%s() takes %s%s, but got %s", f.name, typePhrase(wanted), argument, found)
}

// textKeys tells what the values are that elements cannot be ordered by.
func textKeys(name string, keys []any) string {
	return fmt.Sprintf("%s() orders by numbers only or by strings only, but its expression gave %s", name, listPhrase(keys))
}

func textTooLarge(limit int) string {
	return fmt.Sprintf("the result is larger than %d bytes; select less of the document", limit)
}

const textDeepResult = "the result nests deeper than 512 levels"

const (
	textNotUTF8   = "it is not valid UTF-8"
	textNotJSON   = "it is not JSON"
	textEnds      = "it ends too early"
	textTrailing  = "there is more after the value"
	textTwice     = "an object has a member twice"
	textControl   = "a string has a control character that is not escaped"
	textEscape    = "a string has an escape that JSON does not know"
	textSurrogate = "a string has half of a surrogate pair"
)

func textDeep(limit int) string {
	return fmt.Sprintf("it nests deeper than %d levels", limit)
}

func textBadData(fault string) string { return "the data cannot be read: " + fault }

const (
	textConstant  = "The expression reads nothing of the document, so its result is always the same. A name is written without quotes or in double quotes; 'name' is a text."
	textIndexEach = "An index, a slice or [*] directly after a filter or a slice is applied to each element. Write | before it to apply it to the list."
	textCollected = "A filter or an index after .*.x, [?…].x or .[…] is applied to the list of all results, not within each of them. Write | before it if that is meant; else write values(x)[*] for x.*, and | [*] before the step to reach into each."
)

func textQuotedText(name string) string {
	return fmt.Sprintf("%s in double quotes is the name of a member. Write '%s' for a text.", quote(name), visible(name))
}

func textUnordered(operator string, types typeSet) string {
	if types != typeNull {
		types &^= typeNull
	}
	return fmt.Sprintf("%s compares numbers only: with %s the result is always null. Strings are ordered by sort_by(), max_by() and min_by().", operator, typePhrase(types))
}

func textAlwaysFails(f *function, i int, types typeSet) string {
	return fmt.Sprintf("%s() always fails here: it takes %s, and argument %d is %s.", f.name, typePhrase(f.param(i)), i+1, typePhrase(types))
}

// typeNames are those of the specification, in the order of the bits of a typeSet, and how to say them.
var typeNames = [...]struct{ name, phrase string }{
	{"null", "null"}, {"boolean", "a boolean"}, {"number", "a number"}, {"string", "a string"}, {"array", "an array"},
	{"object", "an object"}, {"array", "an array of numbers"}, {"array", "an array of strings"}, {"expref", "an expression with &"},
}

// typeName returns the name of a single type.
func typeName(t typeSet) string {
	for i, n := range typeNames {
		if t == 1<<i {
			return n.name
		}
	}
	return ""
}

// typePhrase lists types: "a string, an array or null".
func typePhrase(types typeSet) string {
	var phrases []string
	for i, n := range typeNames {
		if types&(1<<i) != 0 {
			phrases = append(phrases, n.phrase)
		}
	}
	return enumerate(phrases, " or ")
}

// enumerate lists words with a conjunction before the last.
func enumerate(words []string, conjunction string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + conjunction + words[last]
}

// listPhrase says what is in a list.
func listPhrase(list []any) string {
	var types typeSet
	for _, v := range list {
		types |= typeOf(v)
	}
	var names []string
	for i, n := range typeNames {
		if types&(1<<i) != 0 {
			names = append(names, n.name)
		}
	}
	if len(names) == 0 {
		return "an empty array"
	}
	return "an array of " + enumerate(names, " and ")
}

// quote shows a part of the expression with invisible characters as escapes.
func quote(s string) string { return strconv.Quote(clip(s)) }

// visible is quote without the quotes.
func visible(s string) string {
	q := quote(s)
	return q[1 : len(q)-1]
}

// clip cuts what is shown of the expression.
func clip(s string) string {
	const limit = 60
	for i := range s {
		if i > limit {
			return s[:i] + "…"
		}
	}
	return s
}
