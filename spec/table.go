package spec

import "regexp"

// This file is the one table of kervan.yaml. The checks of the structure, the
// schema for editors and the page for people are made from it.

// A kind says what the value of a field looks like.
type kind int

const (
	kindText         kind = iota // text; an unquoted scalar keeps its spelling
	kindInteger                  // a whole number from min to max
	kindBool                     // true or false
	kindTrue                     // true
	kindScalar                   // one value to be written as text, never null
	kindScalars                  // the same, or a list of them
	kindAny                      // any value
	kindSchema                   // a JSON Schema whose root is an object
	kindObject                   // the members in fields, and no others
	kindOpen                     // members of any name, each as item says
	kindList                     // elements as item says
	kindNameOrObject             // text as name says, or the object in fields
)

// A field is one row of the table.
type field struct {
	name     string
	kind     kind
	required bool
	min, max int64    // characters, the value of an integer, or how many elements; max 0 is no bound
	lines    bool     // the text may have several lines
	choices  []string // of a text
	pattern  *pattern // of a text
	def      any      // what counts when the field is absent: int64, bool or string
	unit     string   // of an integer
	doc      string   // for people

	fields []*field // of an object
	one    []string // exactly one of these members must be there
	apart  []string // at most one of these members may be there
	needs  [2]string
	item   *field // of a list or an open object
	also   []string
}

// field returns the row of a member, or nil.
func (f *field) field(name string) *field {
	for _, sub := range f.fields {
		if sub.name == name {
			return sub
		}
	}
	return nil
}

// integer returns the default of an integer.
func (f *field) integer() int64 { return f.def.(int64) }

// A pattern is what a text has to match.
type pattern struct {
	*regexp.Regexp
	says string // what that is, for people
}

var (
	namePattern = &pattern{regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,127}$`), "1 to 128 of A-Z 0-9 _, a letter first, such as API_TOKEN"}
	toolPattern = &pattern{regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`), "1 to 128 of A-Z a-z 0-9 _ - ."}
)

// The fields that are read elsewhere, most of them in two places.
var (
	fieldTimeout = &field{
		name: "timeoutMs", kind: kindInteger, min: 100, max: 120_000, def: int64(10_000), unit: "milliseconds",
		doc: "How long a call may take in all: address lookup, connection, redirects, body and select together.",
	}
	fieldMaxResponse = &field{
		name: "maxResponseBytes", kind: kindInteger, min: 1, max: maxRawResponse, def: int64(1 << 20), unit: "bytes",
		doc: "The largest response that is read, before and after decompression. With `select` at most 8,388,608 (8 MiB), which is what the sandbox takes.",
	}
	fieldMaxOutput = &field{
		name: "maxOutputChars", kind: kindInteger, min: 1, max: 1_000_000, def: int64(20_000), unit: "characters",
		doc: "The largest result that a client gets. A longer one is cut, and says so.",
	}
	fieldInsecure = &field{
		name: "allowInsecureHttp", kind: kindBool, def: false,
		doc: "Accepts `http://` URLs. A tool that sends a secret needs `https` all the same.",
	}
	fieldRedirects = &field{
		name: "followRedirects", kind: kindInteger, min: 0, max: 5, def: int64(0), unit: "redirects",
		doc: "How many redirects are followed, each judged like a URL of its own.",
	}
	fieldMethod = &field{
		name: "method", kind: kindText, choices: []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}, def: "GET",
		doc: "The method, in capitals.",
	}
	fieldRate = &field{
		name: "rateLimit", kind: kindObject,
		doc:    "Bounds the calls of a tool, whoever makes them. A call beyond is refused, with the seconds to wait.",
		fields: []*field{fieldPerMinute, fieldConcurrency},
	}
	fieldPerMinute = &field{
		name: "perMinute", kind: kindInteger, min: 1, max: 100_000, def: int64(60), unit: "calls", doc: "Calls that begin in any minute.",
	}
	fieldConcurrency = &field{
		name: "concurrency", kind: kindInteger, min: 1, max: 1_000, def: int64(10), unit: "calls", doc: "Calls that run at the same time.",
	}
)

// The largest responses.
const (
	maxRawResponse    = 50 << 20
	maxSelectResponse = 8 << 20
)

// table is all of it.
var table = &field{
	kind: kindObject,
	fields: []*field{
		{name: "$schema", kind: kindText, doc: "Where an editor finds the schema of this format. Never fetched."},
		{name: "specVersion", kind: kindInteger, required: true, min: 1, max: 1, doc: "The version of this format: 1."},
		{name: "name", kind: kindText, required: true, min: 1, max: 128, doc: "The server's name."},
		{name: "version", kind: kindText, required: true, min: 1, max: 64, doc: "The server's version."},
		{name: "description", kind: kindText, lines: true, min: 1, doc: "What the server is for and how to use it: the instructions that clients give to models."},
		{
			name: "vars", kind: kindList, max: 100, doc: "Plain configuration from the environment, for `{{vars.NAME}}`. It is not redacted.",
			item: &field{kind: kindText, pattern: namePattern, doc: "The name of an environment variable."},
		},
		{name: "secrets", kind: kindList, max: 100, doc: "Secrets, for `{{secrets.NAME}}`. They are redacted wherever they come back.", item: secretField},
		{
			name: "defaults", kind: kindObject, doc: "What counts for every tool that does not say otherwise.",
			fields: []*field{
				{
					name: "http", kind: kindObject, doc: "Limits of the requests.",
					fields: []*field{fieldTimeout, fieldMaxResponse, fieldMaxOutput, fieldInsecure, fieldRedirects},
				},
				fieldRate,
			},
		},
		{name: "tools", kind: kindList, required: true, min: 1, max: 200, doc: "The tools, in the order in which clients list them.", item: toolField},
	},
}

var secretField = &field{
	kind: kindNameOrObject, pattern: namePattern,
	doc: "A name, or an object that binds the secret to hosts. Without `hosts` a secret goes only to the host of the tool that uses it.",
	fields: []*field{
		{name: "name", kind: kindText, required: true, pattern: namePattern, doc: "The name, as the secret's source knows it: by default an environment variable."},
		{
			name: "hosts", kind: kindList, required: true, min: 1, max: 32, doc: "The only hosts that the secret may be sent to.",
			item: &field{kind: kindText, min: 1, doc: "`api.example.com` or `api.example.com:8443`; without a port 443. No wildcards."},
		},
	},
}

var toolField = &field{
	kind: kindObject, doc: "One tool: one HTTP request.",
	fields: []*field{
		{name: "name", kind: kindText, required: true, pattern: toolPattern, doc: "What clients call it by. Some refuse names longer than 64 characters, or with a dot, once they add their prefix."},
		{name: "title", kind: kindText, min: 1, doc: "What people see. Derived from the name by default."},
		{name: "description", kind: kindText, required: true, lines: true, min: 1, doc: "What a model chooses the tool by."},
		{name: "annotations", kind: kindObject, doc: "Hints for clients.", fields: annotationFields},
		{
			name: "input", kind: kindSchema, doc: "The JSON Schema (2020-12) of the arguments. Without it the tool takes none.",
			also: []string{"inputSchema", "input_schema", "parameters", "arguments", "args"},
		},
		{
			name: "http", kind: kindObject, required: true, doc: "The request.", fields: httpFields, apart: []string{"body", "form"},
			also: []string{"request"},
		},
		{
			name: "output", kind: kindObject, required: true, doc: "What becomes of the response.", fields: outputFields,
			one: []string{"select", "raw"}, needs: [2]string{"schema", "select"}, also: []string{"outputSchema", "response", "result"},
		},
		fieldRate,
	},
}

var annotationFields = []*field{
	{name: "title", kind: kindText, min: 1, doc: "The same as the tool's `title`, which counts if both are there."},
	{name: "readOnlyHint", kind: kindBool, doc: "The tool changes nothing."},
	{name: "destructiveHint", kind: kindBool, doc: "The tool may destroy something."},
	{name: "idempotentHint", kind: kindBool, doc: "Calling again with the same arguments changes nothing more."},
	{name: "openWorldHint", kind: kindBool, def: true, doc: "The tool reaches things outside the server."},
}

var httpFields = []*field{
	fieldMethod,
	{
		name: "url", kind: kindText, required: true, min: 1, also: []string{"uri", "endpoint"},
		doc: "The absolute URL that is requested. Scheme, host and port are literal; templates stand in its path, and a literal query may follow.",
	},
	{
		name: "query", kind: kindOpen, doc: "Query parameters. A value that is one template of a list repeats the parameter; one of an argument that was not given leaves it out.",
		item: &field{kind: kindScalars, doc: "A value, or a list of values."}, also: []string{"params"},
	},
	{
		name: "headers", kind: kindOpen, doc: "Request headers. One whose value is a template of an argument that was not given is left out.",
		item: &field{kind: kindScalar, doc: "The value."},
	},
	{name: "body", kind: kindAny, doc: "The body, sent as JSON. Text in it may hold templates; a text that is one template takes the argument's type. Not with GET or HEAD.", also: []string{"json", "data"}},
	{
		name: "form", kind: kindOpen, doc: "The body as `application/x-www-form-urlencoded`. Not with GET or HEAD, nor together with `body`.",
		item: &field{kind: kindScalars, doc: "A value, or a list of values."},
	},
	fieldTimeout, fieldMaxResponse, fieldMaxOutput, fieldInsecure, fieldRedirects,
}

var outputFields = []*field{
	{name: "select", kind: kindText, min: 1, max: 1_000, lines: true, doc: "A JMESPath expression that picks the result out of a JSON response. `@` is all of it.", also: []string{"jmespath", "query", "path"}},
	{name: "schema", kind: kindSchema, doc: "The JSON Schema of the selected value, an object; it becomes the tool's output schema. Only with `select`."},
	{name: "raw", kind: kindTrue, doc: "The text of the response is the result."},
}
