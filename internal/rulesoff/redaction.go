package main

// redaction are the edits for internal/secret, section 6.
var redaction = []switchOff{
	{
		Rule: "6.3 keys in JSON Pointers", File: "internal/secret/forms.go",
		Old: "all = append(all, text, pointer.Replace(text))", New: "all = append(all, text)\n_ = pointer",
		Test: "./spec TestRule6_3_Pointers",
	},
	{
		Rule: "6.1 placeholders", File: "internal/secret/check.go",
		Old: `case holdsPair(value, "${", "}"), holdsPair(value, "{{", "}}"):`, New: `case false:`,
		Test: "./internal/secret TestRule6_1_PlaceholdersAreRefused",
	},
	{
		Rule: "6.2 short values", File: "internal/secret/check.go",
		Old: `case tooShort(value):`, New: `case false:`,
		Test: "./internal/secret TestRule6_2_RefusedValues",
	},
	{
		Rule: "6.2 invalid UTF-8", File: "internal/secret/check.go",
		Old: `case !utf8.ValidString(value):`, New: `case false:`,
		Test: "./internal/secret TestRule6_2_RefusedValues",
	},
	{
		Rule: "6.3 the last 16 values", File: "internal/secret/vault.go",
		Old: `len(entries)-old > keepValues &&`, New: `len(entries)-old > 1 &&`,
		Test: "./internal/secret TestRule6_3_OldAndNewValuesAreKept",
	},
	{
		Rule: "6.3 each for 24 hours", File: "internal/secret/vault.go",
		Old: `keepFor    = 24 * time.Hour`, New: `keepFor    = time.Hour`,
		Test: "./internal/secret TestRule6_3_OldAndNewValuesAreKept",
	},
	{
		Rule: "6.3 a full vault withholds", File: "internal/secret/vault.go",
		Old: `if values > maxValues || size > maxBytes {`, New: `if values < 0 || size < 0 {`,
		Test: "./internal/secret TestRule6_3_FullVaultFailsClosed",
	},
	{
		Rule: "6.3 rendered values", File: "internal/secret/vault.go",
		Old: `newRedactor(append(patterns, v.rendered...))`, New: `newRedactor(patterns)`,
		Test: "./internal/secret TestRule6_3_RenderedValues",
	},
	{
		Rule: "6.3 percent", File: "internal/secret/classes.go",
		Old: "isLead:      `%&\\`,", New: "isLead:      `&\\`,",
		Test: "./internal/secret TestRule6_3_Escapes",
	},
	{
		Rule: "6.3 HTML escapes", File: "internal/secret/classes.go",
		Old: "isLead:      `%&\\`,", New: "isLead:      `%\\`,",
		Test: "./internal/secret TestRule6_3_Escapes",
	},
	{
		Rule: "6.3 JSON escapes", File: "internal/secret/classes.go",
		Old: "isLead:      `%&\\`,", New: "isLead:      `%&`,",
		Test: "./internal/secret TestRule6_3_Escapes",
	},
	{
		Rule: "6.3 form", File: "internal/secret/matcher.go",
		Old: `m.leads['+'] = m.spaces`, New: `m.leads['+'] = false`,
		Test: "./internal/secret TestRule6_3_Escapes",
	},
	{
		Rule: "6.3 escapes in escapes", File: "internal/secret/reader.go",
		Old: `const maxWeight = 1 << 5`, New: `const maxWeight = 1 << 1`,
		Test: "./internal/secret TestRule6_3_Escapes",
	},
	{
		Rule: "6.3 named entities", File: "internal/secret/entities.go",
		Old: `r.namedEntity(entityName{}, lead.end, lead.weight, limit)`, New: ``,
		Test: "./internal/secret TestRule6_3_EveryNamedCharacter",
	},
	{
		Rule: "6.3 surrogate pairs", File: "internal/secret/escapes.go",
		Old: `if !utf16.IsSurrogate(c) {`, New: `if true {`,
		Test: "./internal/secret TestRule6_3_Escapes",
	},
	{
		Rule: "6.3 escapes past the first eight bytes", File: "internal/secret/scan.go",
		Old: "\t\ts.branch(p)\n", New: ``,
		Test: "./internal/secret TestRule6_3_Escapes",
	},
	{
		Rule: "6.3 escapes in the first eight bytes", File: "internal/secret/scan.go",
		Old: "\ts.escaped()\n", New: ``,
		Test: "./internal/secret TestRule6_3_Escapes",
	},
	{
		Rule: "6.3 hex", File: "internal/secret/blocks.go",
		Old: `first < digits.start+hexCoding.phases; first++ {`, New: `first < digits.start; first++ {`,
		Test: "./internal/secret TestRule6_3_Hex",
	},
	{
		Rule: "6.3 base64 at every alignment", File: "internal/secret/blocks.go",
		Old: "\tfor missing := range base64Coding.phases {\n\t\tl.buffer", New: "\tfor missing := range 1 {\n\t\tl.buffer",
		Test: "./internal/secret TestRule6_3_Base64Alignments",
	},
	{
		Rule: "6.3 base64url", File: "internal/secret/codings.go",
		Old: `upper+lower+decimal+"-_")`, New: `upper+lower+decimal+"+/")`,
		Test: "./internal/secret TestRule6_3_Base64",
	},
	{
		Rule: "6.3 boundary characters of base64", File: "internal/secret/codings.go",
		Old: `return span{from.at(i).start, to.at(j).end}`, New: `return span{from.at(i).end, to.at(j).start}`,
		Test: "./internal/secret TestRule6_3_Base64Alignments",
	},
	{
		Rule: "6.3 base64 that is cut", File: "internal/secret/blocks.go",
		Old: `if s.encoded.final(c) {`, New: `if false {`,
		Test: "./internal/secret TestRule6_3_Base64Cut",
	},
	{
		Rule: "6.3 line wraps", File: "internal/secret/classes.go",
		Old: `isWrap:      "\r\n",`, New: `isWrap:      "",`,
		Test: "./internal/secret TestRule6_3_Base64",
	},
	{
		Rule: "6.3 base64 in base64", File: "internal/secret/scan.go",
		Old: `const maxBlocks = 3`, New: `const maxBlocks = 1`,
		Test: "./internal/secret TestRule6_3_Base64",
	},
	{
		Rule: "6.3 escapes in front of base64", File: "internal/secret/blocks.go",
		Old: "\ts.sides(l, deeper)\n", New: ``,
		Test: "./internal/secret TestRule6_3_StrayEscapesInFront",
	},
	{
		Rule: "6.3 escapes read in two ways", File: "internal/secret/blocks.go",
		Old: `if l.run.forked {`, New: `if false {`,
		Test: "./internal/secret TestRule6_3_EntitiesThatMayGoOn",
	},
	{
		Rule: "6.3 several lines", File: "internal/secret/forms.go",
		Old: `if len(lines) == 1 {`, New: `if true {`,
		Test: "./internal/secret TestRule6_3_SeveralLines",
	},
	{
		Rule: "6.3 overlaps", File: "internal/secret/spans.go",
		Old: `n > 0 && s.start <= merged[n-1].end`, New: `n > 0 && s.start < 0`,
		Test: "./internal/secret TestRule6_3_OverlapsLeaveNoRemainder",
	},
	{
		Rule: "6.3 matches made by redaction", File: "internal/secret/redact.go",
		Old: `		if len(spans) == 0 {`, New: `		if len(spans) == 0 || total > 0 {`,
		Test: "./internal/secret TestRule6_3_TwiceIsOnce",
	},
	{
		Rule: "6.3 object keys", File: "internal/secret/rewrite.go",
		Old: "\t\t\tw.key(t)\n", New: ``,
		Test: "./internal/secret TestRule6_3_JSONStringsKeysAndNumbers",
	},
	{
		Rule: "6.3 numbers", File: "internal/secret/rewrite.go",
		Old: "\t\t\tw.scalar(t)\n", New: ``,
		Test: "./internal/secret TestRule6_3_JSONStringsKeysAndNumbers",
	},
	{
		Rule: "6.3 digits of numbers", File: "internal/secret/json.go",
		Old: `case t.kind == kindNumber:`, New: `case false:`,
		Test: "./internal/secret TestRule6_3_JSONStringsKeysAndNumbers",
	},
	{
		Rule: "6.3 keys that become equal", File: "internal/secret/rewrite.go",
		Old: `w.out = append(w.out, w.number(meant)...)`, New: `_ = meant`,
		Test: "./internal/secret TestRule6_3_JSONStringsKeysAndNumbers",
	},
	{
		Rule: "6.3 a document as it is written", File: "internal/secret/json.go",
		Old: `spans := r.find(data)`, New: `spans := r.find(nil)`,
		Test: "./internal/secret TestRule6_3_JSONAsItIsWritten",
	},
	{
		Rule: "6.3 errors", File: "internal/secret/errors.go",
		Old: `text, _ := r.Text(err.Error())`, New: `text := err.Error()`,
		Test: "./internal/secret TestRule6_3_ErrorsKeepTheirChain",
	},
	{
		Rule: "6.3 errors below a clean text", File: "internal/secret/errors.go",
		Old: `return inner != nil && r.tainted(inner)`, New: `return inner == nil`,
		Test: "./internal/secret TestRule6_3_ErrorsKeepTheirChain",
	},
	{
		Rule: "6.3 linear time", File: "internal/secret/scan.go",
		Old: "\tif s.work <= 0 {\n\t\treturn append(s.hits[:0]", New: "\tif false {\n\t\treturn append(s.hits[:0]",
		Test: "./internal/secret TestMadeForIt",
	},
}
