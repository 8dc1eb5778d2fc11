package main

// expressions are the edits for what is evaluated inside the sandbox, rule 8.7.
var expressions = []switchOff{
	{
		Rule: "8.7 result bounded", File: "sandbox/internal/jmes/codec_encode.go",
		Old: "return nil, tooLarge(max)", New: "_ = tooLarge(max)",
		Test: "./sandbox/internal/jmes TestRule8_7_ResultIsBounded",
	},
	{
		Rule: "8.7 depth of a result", File: "sandbox/internal/jmes/codec_encode.go",
		Old: "e.depth > MaxDepth", New: "e.depth > 100*MaxDepth",
		Test: "./sandbox/internal/jmes TestRule8_7_Depth",
	},
	{
		Rule: "8.7 depth of the data", File: "sandbox/internal/jmes/codec_decode.go",
		Old: "d.depth > d.maxDepth", New: "d.depth > 1000*d.maxDepth",
		Test: "./sandbox/internal/jmes TestRule8_7_Depth",
	},
	{
		Rule: "8.7 panics", File: "sandbox/internal/jmes/jmes.go",
		Old: "if recover() != nil {", New: "if false {",
		Test: "./sandbox/internal/jmes TestRule8_7_PanicIsAnError",
	},
	{
		Rule: "8.7 errors show no data", File: "sandbox/internal/jmes/texts.go",
		Old: "found := typePhrase(typeOf(got))", New: "found := fmt.Sprint(got)",
		Test: "./sandbox/internal/jmes TestRule8_7_ErrorsShowNoData",
	},
	{
		Rule: "8.7 the same bytes every time", File: "sandbox/internal/jmes/order.go",
		Old: "slices.Sort(keys)", New: "slices.Sort(keys[:0])",
		Test: "./sandbox/internal/jmes TestRule8_7_SameBytes",
	},
	{
		Rule: "8.7 duplicate members of the data", File: "sandbox/internal/jmes/codec_decode.go",
		Old: "if _, ok := object[name]; ok {", New: "if _, ok := object[name]; ok && false {",
		Test: "./sandbox/internal/jmes TestRule8_7_JSONOnly",
	},
	{
		Rule: "8.7 data that is not UTF-8", File: "sandbox/internal/jmes/codec_decode.go",
		Old: "if !utf8.ValidString(text) {", New: "if !utf8.ValidString(text) && false {",
		Test: "./sandbox/internal/jmes TestRule8_7_JSONOnly",
	},
	{
		Rule: "8.7 nesting of an expression", File: "sandbox/internal/jmes/parse.go",
		Old: "p.depth > maxNesting", New: "p.depth > 100*maxNesting",
		Test: "./sandbox/internal/jmes TestRule8_7_ExpressionLimits",
	},
	{
		Rule: "8.7 length of an expression", File: "sandbox/internal/jmes/parse.go",
		Old: "utf8.RuneCountInString(expression) > MaxLength", New: "utf8.RuneCountInString(expression) > 100*MaxLength",
		Test: "./sandbox/internal/jmes TestRule8_7_ExpressionLimits",
	},
	{
		Rule: "8.7 indices", File: "sandbox/internal/jmes/parse_brackets.go",
		Old: "err != nil || value > maxIndex", New: "err != nil || false",
		Test: "./sandbox/internal/jmes TestRule8_7_ExpressionLimits",
	},
	{
		Rule: "8.7 literals beyond 2^53 in comparisons", File: "sandbox/internal/jmes/lint.go",
		Old: "&& !exactValue(operand.value)", New: "&& false",
		Test: "./sandbox/internal/jmes TestRule8_7_LiteralsBeyond2_53",
	},
	{
		Rule: "8.7 inexact arithmetic", File: "sandbox/internal/jmes/call.go",
		Old: "if !exact {", New: "if !exact && false {",
		Test: "./sandbox/internal/jmes TestRule8_7_NeverSilentlyRounded",
	},
}
