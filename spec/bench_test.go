package spec

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/kervan-mcp/kervan"
)

// largeFile is a realistic file with many tools, each of its own schema.
func largeFile(tools int) []byte {
	var b strings.Builder
	b.WriteString(head + "secrets: [S_TOKEN]\ntools:\n")
	for i := range tools {
		fmt.Fprintf(&b, `  - name: tool_%[1]d
    title: Tool %[1]d
    description: Does the thing number %[1]d, and tells about it.
    annotations: {readOnlyHint: true}
    input:
      type: object
      properties:
        id: {type: string, minLength: 1, description: The id of thing %[1]d}
        limit: {type: integer, minimum: 1, maximum: 100, default: 10}
        kind: {type: string, enum: [a, b, c%[1]d]}
        tags: {type: array, items: {type: string, pattern: "^[a-z]+$"}}
        since: {type: string, format: date-time}
        where: {type: object, properties: {city: {type: string}, country: {type: string}}}
      required: [id]
      additionalProperties: false
    http:
      url: https://api.example.com/v1/things%[1]d/{{input.id}}
      query: {limit: "{{input.limit}}", kind: "{{input.kind}}", tag: "{{input.tags}}", since: "{{input.since}}"}
      headers: {Authorization: "Bearer {{secrets.S_TOKEN}}"}
    output:
      select: "{id: id, name: name, items: items[*].{a: a, b: b}}"
      schema:
        type: object
        properties: {id: {type: string}, name: {type: string}, items: {type: array, items: {type: object, properties: {a: {type: string}, b: {type: number}}}}}
`, i)
	}
	return []byte(b.String())
}

func BenchmarkLoad200(b *testing.B) {
	data := largeFile(200)
	b.ReportAllocs()
	for b.Loop() {
		s, err := Load(context.Background(), data, quietOptions())
		if err != nil {
			b.Fatal(err)
		}
		_ = s.Close()
	}
}

func BenchmarkParse200(b *testing.B) {
	data := largeFile(200)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		parseYAML(data, &issues{})
	}
}

func BenchmarkApply200(b *testing.B) {
	s, err := Load(context.Background(), largeFile(200), quietOptions())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for b.Loop() {
		if err := Apply(&kervan.MemoryRegistry{}, s); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReload200 is a reload that changes nothing.
func BenchmarkReload200(b *testing.B) {
	s, err := Load(context.Background(), largeFile(200), quietOptions())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	var r kervan.MemoryRegistry
	if err := Apply(&r, s); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := Apply(&r, s); err != nil {
			b.Fatal(err)
		}
	}
}
