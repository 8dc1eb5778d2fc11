package main

// rules holds, for every security rule, at least one edit that removes it. A
// new security rule adds its own here.
var rules = []switchOff{
	{
		Rule: "1.6 duplicate keys in arguments", File: "internal/jsonx/parse.go",
		Old: "if _, ok := object[name]; ok {", New: "if _, ok := object[name]; ok && false {",
		Test: "./internal/jsonx TestRule1_6_ParseRefuses",
	},
	{
		Rule: "1.6 duplicate keys in messages", File: "internal/jsonx/append.go",
		Old:  "jsontext.AllowDuplicateNames(false),\n\tjsontext.AllowInvalidUTF8(false),\n\tjsontext.EscapeForHTML(false),",
		New:  "jsontext.AllowDuplicateNames(true),\n\tjsontext.AllowInvalidUTF8(false),\n\tjsontext.EscapeForHTML(false),",
		Test: "./internal/wire TestRule1_6_Refused",
	},
	{
		Rule: "1.6 case-folded keys of the envelope", File: "internal/wire/decode.go",
		Old: "case e.folded != nil:", New: "case false:",
		Test: "./internal/wire TestRule1_6_Refused",
	},
	{
		Rule: "1.6 case-folded keys of params", File: "internal/wire/params.go",
		Old: `if foldsTo(m.key, "name", "arguments", "_meta") {`, New: `if false {`,
		Test: "./internal/wire TestRule1_6_Refused",
	},
	{
		Rule: "1.6 case-folded keys in arguments", File: "internal/schema/validate.go",
		Old: "if !v.output {", New: "if false {",
		Test: "./internal/schema TestRule1_6_CaseFold",
	},
	{
		Rule: "1.6 invalid UTF-8 in messages", File: "internal/jsonx/append.go",
		Old: "jsontext.AllowInvalidUTF8(false),", New: "jsontext.AllowInvalidUTF8(true),",
		Test: "./internal/wire TestRule1_6_Refused",
	},
	{
		Rule: "1.6 invalid UTF-8 in arguments", File: "internal/jsonx/parse.go",
		Old: "jsontext.AllowInvalidUTF8(false)}", New: "jsontext.AllowInvalidUTF8(true)}",
		Test: "./internal/jsonx TestRule1_6_ParseRefuses",
	},
	{
		Rule: "1.6 trailing data", File: "internal/jsonx/parse.go",
		Old: "case errors.Is(err, io.EOF):", New: "case errors.Is(err, io.EOF), true:",
		Test: "./internal/jsonx TestRule1_6_ParseRefuses",
	},
	{
		Rule: "1.6 depth of arguments", File: "pipeline.go",
		Old: "const maxArgumentDepth = 64", New: "const maxArgumentDepth = 900",
		Test: ". TestRule1_6_StrictArguments",
	},
	{
		Rule: "1.6 depth of messages", File: "internal/jsonx/append.go",
		Old: "if depth++; depth > DefaultDepth {", New: "if depth++; false {",
		Test: "./internal/jsonx TestRule1_6_CanonicalRefuses",
	},
	{
		Rule: "1.6 number of elements", File: "internal/jsonx/parse.go",
		Old: "if p.elements == 0 {", New: "if false {",
		Test: ". TestRule1_6_ElementLimit",
	},
	{
		Rule: "1.6 number tokens in arguments", File: "internal/jsonx/parse.go",
		Old: `if detail := checkNumber(s); detail != "" {`, New: `if detail := checkNumber(s); false {`,
		Test: "./internal/jsonx TestRule1_6_ParseRefuses",
	},
	{
		Rule: "1.6 number tokens elsewhere", File: "internal/jsonx/numbers.go",
		Old: `if detail := checkNumber(data[i:end]); detail != "" {`, New: `if detail := checkNumber(data[i:end]); false {`,
		Test: "./internal/wire TestRule1_6_Refused",
	},
	{
		Rule: "1.6 the SDK reads an encoding of what was decoded", File: "internal/jsonx/append.go",
		Old: "jsontext.PreserveRawStrings(false),", New: "jsontext.PreserveRawStrings(true),",
		Test: "./internal/jsonx TestRule1_6_Canonical",
	},
	{
		Rule: "1.6 integers that a float cannot hold", File: "internal/jsonx/decode_values.go",
		Old: "if exact.sign+exact.digits == want && exact.exponent == n.exponent {", New: "if exact.digits != want || true {",
		Test: "./internal/jsonx TestRule1_6_DecodeRefuses",
	},
	{
		Rule: "1.6a turns of a recursive schema", File: "internal/schema/turns.go",
		Old: "if v.count > maxVisits {\n\t\t\t\treturn &Error", New: "if false {\n\t\t\t\treturn &Error",
		Test: "./internal/schema TestRule1_6a_SamePlaceTooOften",
	},
	{
		Rule: "1.6a visits of one place", File: "internal/schema/validate.go",
		Old: "if v.turns != nil {", New: "if false {",
		Test: "./internal/schema TestRule1_6a_Turns",
	},
	{
		Rule: "1.6a validation runs under recover", File: "internal/schema/validate.go",
		Old: "if recover() != nil {\n\t\t\tviolations", New: "if false {\n\t\t\tviolations",
		Test: "./internal/schema TestValidatePanicIsAViolation",
	},
	{
		Rule: "1.6a validation runs inside the deadline", File: "pipeline.go",
		Old: "case <-ctx.Done():\n\t\tt.abandoned.Add(1)", New: "case <-context.Background().Done():\n\t\tt.abandoned.Add(1)",
		Test: ". TestRule1_11_Deadline",
	},
	{
		Rule: "1.12 errors are masked", File: "pipeline.go",
		Old: "ans := textAnswer(OutcomeMasked, textMasked(tool, ref))", New: "ans := textAnswer(OutcomeMasked, textMasked(tool, ref)+errorText(err))",
		Test: ". TestRule1_12_Masking",
	},
	{
		Rule: "1.12 panics are answered", File: "middleware.go",
		Old: "if v := recover(); v != nil {\n\t\t*err", New: "if v := any(nil); v != nil {\n\t\t*err",
		Test: ". TestRule1_12_Masking",
	},
	{
		Rule: "1.12 Goexit is answered", File: "pipeline.go",
		Old: "err := error(errGoexit)", New: "err := error(nil)",
		Test: ". TestRule1_12_Masking",
	},
	{
		Rule: "1.12 references are random", File: "mask.go",
		Old: "_, _ = rand.Read(b[:])", New: "_, _ = rand.Read(b[:0])",
		Test: ". TestRule1_12_Masking",
	},
	{
		Rule: "1.12a error arguments of a ToolError", File: "errors.go",
		Old: "case error:\n\t\te.hidden = append(e.hidden, arg)\n\t\treturn textInternal", New: "case error:\n\t\te.hidden = append(e.hidden, arg)\n\t\treturn arg",
		Test: ". TestRule1_12a_ToolErrors",
	},
	{
		Rule: "1.12a errors inside arguments of a ToolError", File: "errors.go",
		Old: "if holdsError(reflect.ValueOf(arg), 0) {", New: "if false {",
		Test: ". TestRule1_12a_ToolErrors",
	},
	{
		Rule: "1.12a a ToolError shows its own message only", File: "pipeline.go",
		Old: "return textAnswer(OutcomeToolError, te.message)", New: "return textAnswer(OutcomeToolError, errorText(err))",
		Test: ". TestRule1_12a_ToolErrors",
	},
	{
		Rule: "1.12a a nil ToolError is masked", File: "pipeline.go",
		Old: "if te := find[*ToolError](err); te != nil {", New: "if te := new(ToolError); errors.As(err, &te) {\n\t\tif te == nil {\n\t\t\tte = &ToolError{}\n\t\t}",
		Test: ". TestRule1_12_Masking",
	},
	{
		Rule: "1.16 request state is verified", File: "interim.go",
		Old: `if err != nil || base64.RawURLEncoding.EncodeToString(data) != sealed {`, New: `if err != nil {`,
		Test: ". TestRule1_16_TamperedState",
	},
	{
		Rule: "1.16 request state is bound to its call", File: "interim.go",
		Old: "[]byte(req.tool.tool.info.Name), []byte(req.principal), []byte(req.registry), args}", New: "nil}",
		Test: ". TestRule1_16_StateIsBound",
	},
	{
		Rule: "1.16 request state expires", File: "interim.go",
		Old: "if now.Unix() > int64(binary.BigEndian.Uint64(plain)) {", New: "if false {",
		Test: ". TestRule1_16_StateExpires",
	},
	{
		Rule: "2.2 text is made after middleware", File: "result.go",
		Old: "return &Result{StructuredContent: out}, nil", New: "data, _ := jsonx.Encode(out)\n\treturn &Result{StructuredContent: out, Content: []mcp.Content{Text(string(data))}}, nil",
		Test: ". TestRule2_2_RedactingMiddlewareDoesNotLeakThroughText",
	},
}
