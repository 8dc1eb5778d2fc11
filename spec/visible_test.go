package spec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// hiddenRunes are characters that a reader of a list of tools cannot see.
var hiddenRunes = []rune{
	0x00, 0x07, 0x0d, 0x1b, 0x7f, 0x85, 0x9b, // Cc
	0xad, 0x61c, 0x180e, 0x200b, 0x200e, 0x202a, 0x202e, 0x2060, 0x2066, 0xfeff, 0xfff9, 0xe0041, 0x1d173, // Cf
	0x2028, 0x2029, // Zl, Zp
	0x34f, 0x115f, 0x1160, 0x17b4, 0x2800, 0x3164, 0xffa0, 0x16fe4, 0x1d159, // blank-looking
	0xfe00, 0xfe0d, 0x180b, 0xe0100, 0xe01ef, // variation selectors
}

// visiblePlaces are all places whose text a model or a client's user sees; %s
// is the text in double quotes.
var visiblePlaces = map[string]struct{ text, path string }{
	"name":               {strings.Replace(whole, "name: n", "name: %s", 1), "name"},
	"version":            {strings.Replace(whole, `version: "1"`, "version: %s", 1), "version"},
	"description":        {"description: %s\n" + whole, "description"},
	"tool title":         {inTool("title: %s\n" + plainHTTP), "tools[0].title"},
	"annotation title":   {inTool("annotations: {title: %s}\n" + plainHTTP), "tools[0].annotations.title"},
	"tool description":   {strings.Replace(whole, "description: d", "description: %s", 1), "tools[0].description"},
	"property name":      {inInput("properties: {%s: {}}"), "tools[0].input.properties"},
	"nested property":    {inInput("properties: {a: {properties: {%s: {}}}}"), "tools[0].input.properties.a.properties"},
	"name in $defs":      {inInput("$defs: {%s: {}}"), "tools[0].input.$defs"},
	"required":           {inInput("required: [%s]"), "tools[0].input.required[0]"},
	"dependentRequired":  {inInput("dependentRequired: {%s: [a]}"), "tools[0].input.dependentRequired"},
	"schema title":       {inInput("title: %s"), "tools[0].input.title"},
	"schema text":        {inInput("properties: {a: {description: %s}}"), "tools[0].input.properties.a.description"},
	"comment":            {inInput("$comment: %s"), "tools[0].input.$comment"},
	"enum":               {inInput("properties: {a: {enum: [b, %s]}}"), "tools[0].input.properties.a.enum[1]"},
	"const":              {inInput("properties: {a: {const: %s}}"), "tools[0].input.properties.a.const"},
	"default":            {inInput("properties: {a: {default: %s}}"), "tools[0].input.properties.a.default"},
	"default inside":     {inInput("properties: {a: {default: {b: [%s]}}}"), "tools[0].input.properties.a.default.b[0]"},
	"default's name":     {inInput("properties: {a: {default: {%s: 1}}}"), "tools[0].input.properties.a.default"},
	"examples":           {inInput("examples: [{a: %s}]"), "tools[0].input.examples[0].a"},
	"pattern":            {inInput("properties: {a: {pattern: %s}}"), "tools[0].input.properties.a.pattern"},
	"format":             {inInput("properties: {a: {format: %s}}"), "tools[0].input.properties.a.format"},
	"own keyword":        {inInput("x-note: {a: %s}"), "tools[0].input.x-note.a"},
	"own keyword's name": {inInput("%s: 1"), "tools[0].input"},
	"output schema":      {inTool("http: {url: https://h/}\noutput: {select: '@', schema: {type: object, description: %s}}"), "tools[0].output.schema.description"},
	"query name":         {inHTTP("url: https://h/\nquery: {%s: 1}"), "tools[0].http.query"},
	"form name":          {inHTTP("url: https://h/\nmethod: POST\nform: {%s: 1}"), "tools[0].http.form"},
}

func inInput(lines string) string {
	return inTool("input:\n  type: object\n  " + lines + "\n" + plainHTTP)
}

func TestRule5_10_Visible(t *testing.T) {
	for name, place := range visiblePlaces {
		for _, r := range hiddenRunes {
			text := strings.Replace(place.text, "%s", fmt.Sprintf(`%s"a\U%08xb"`, mark, r), 1)
			c := refused{fmt.Sprintf("%s %U", name, r), text, place.path, []string{fmt.Sprintf("U+%04X", r)}}
			t.Run(c.name, func(t *testing.T) { c.check(t, Options{}) })
		}
	}
}

// TestRule5_10_VisibleAsWritten: the characters that YAML admits are refused
// without escapes too.
func TestRule5_10_VisibleAsWritten(t *testing.T) {
	for _, r := range []rune{0x200b, 0x202e, 0xad, 0x3164, 0xe0041} {
		text := strings.Replace(whole, "description: d", "description: «a"+string(r)+"b", 1)
		refused{fmt.Sprintf("%U", r), text, "tools[0].description", []string{fmt.Sprintf("U+%04X", r)}}.check(t, Options{})
	}
}

func TestRule5_10_Lines(t *testing.T) {
	for name, place := range visiblePlaces {
		text := strings.Replace(place.text, "%s", mark+`"a\n\tb"`, 1)
		c := refused{name, text, place.path, []string{"U+000A"}}
		if !strings.HasSuffix(place.path, "description") && !strings.HasSuffix(place.path, "$comment") {
			c.check(t, Options{})
			continue
		}
		clean, _, _ := unmark(t, text)
		noWarnings(t, clean, Options{})
	}
}

func TestRule5_10_Accepted(t *testing.T) {
	for _, text := range []string{
		"Türkçe: ığüşöç İI", "می\u200cخواهم", "क\u094d\u200dष", "👩\u200d👩\u200d👧", "❤️", "1️⃣", "👩\u200d❤️\u200d👨", "☎︎", "日本語", "a\u00a0b", "e\u0301", "🏳️\u200d🌈", "naïve – “quoted” …", "\u3000x",
	} {
		s := noWarnings(t, strings.Replace(whole, "description: d", `description: "`+text+`"`, 1), Options{})
		assert.Equal(t, text, s.tools[0].description)
	}
	for _, text := range []string{
		"\u200cx", "x\u200d\u200d", "x\u200c\u200d\u200c\u200d", "x\u200d\u200c", "\ufe0fx", "x\ufe0f\ufe0f", "x\ufe0f\u200d\u200c", "x\u200d\ufe0f", "x\n\u200dy",
	} {
		assert.NotEmpty(t, findInvisible(text, true), "a row of joiners can hide a text: %q", text)
	}
}

func TestRule5_10_Blank(t *testing.T) {
	for _, blank := range []string{`" "`, `"\t"`, `"\n\n"`, `"\u00a0"`, `"\u3000"`, "|\n      \n"} {
		for _, c := range []refused{
			{"tool", strings.Replace(whole, "description: d", "description: «"+blank, 1), "tools[0].description", []string{"blank"}},
			{"file", "description: «" + blank + "\n" + whole, "description", []string{"blank"}},
		} {
			c.check(t, Options{})
		}
	}
}

// TestBodiesMayHoldAnything: what is sent is not shown.
func TestBodiesMayHoldAnything(t *testing.T) {
	noWarnings(t, inHTTP("url: https://h/\nmethod: POST\nbody: {\"a\\u200b\": \"\\u202e\\0\"}\nquery: {a: \"\\u200b\"}"), Options{})
}
