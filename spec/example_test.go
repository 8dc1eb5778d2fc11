package spec_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/spec"
)

const sun = `specVersion: 1
name: sun
version: 0.1.0
tools:
  - name: get_sun
    description: When the sun rises and sets at a place.
    annotations: {readOnlyHint: true}
    input:
      type: object
      properties: {lat: {type: number}, lng: {type: number}}
      required: [lat, lng]
    http:
      url: https://api.sunrise-sunset.org/json
      query: {lat: "{{input.lat}}", lng: "{{input.lng}}"}
    output:
      select: "results.{sunrise: sunrise, sunset: sunset}"
`

func ExampleLoad() {
	s, err := spec.Load(context.Background(), []byte(sun), spec.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	app := kervan.NewApp(s.Name(), s.Version())
	app.Add(s.Tools()...)
	for _, tool := range app.Registry().Tools() {
		fmt.Println(tool.Info().Name, "-", tool.Info().Description)
	}
	// Output: get_sun - When the sun rises and sets at a place.
}

// Every problem is reported with its place, and with what to write instead.
func ExampleLoad_errors() {
	_, err := spec.Load(context.Background(), []byte(`specVersion: 1
name: sun
version: 0.1.0
tools:
  - name: get_sun
    description: When the sun rises and sets at a place.
    http:
      url: https://api.sunrise-sunset.org/json
      timeoutMs: 10_000
    output: {selct: results}
`), spec.Options{Name: "sun.yaml"})
	fmt.Println(err)
	// Output:
	// sun.yaml:9:18 tools[0].http.timeoutMs: must be a whole number from 100 to 120,000 (milliseconds), found the text "10_000"; write 10000
	// sun.yaml:10:13 tools[0].output: needs "select" or "raw"
	// sun.yaml:10:14 tools[0].output: unknown field "selct"; did you mean "select"?
	// sun.yaml: note: more checks follow once this is right
}

// A file that changes is loaded again and applied to the same registry.
func ExampleApply() {
	files := fstest.MapFS{"sun.yaml": {Data: []byte(sun)}}
	var registry kervan.MemoryRegistry
	load := func() *spec.Spec {
		s, err := spec.LoadFS(context.Background(), files, "sun.yaml", spec.Options{})
		if err != nil {
			fmt.Println(err)
			return nil
		}
		if err := spec.Apply(&registry, s); err != nil {
			fmt.Println(err)
		}
		return s
	}
	first := load()
	tool := registry.Tools()[0]
	second := load()
	_ = first.Close()
	defer second.Close()
	fmt.Println(registry.Tools()[0] == tool)
	// Output: true
}

// A tool of the same kind can be made without a file.
func ExampleHTTPTool() {
	s, err := spec.HTTPTool(context.Background(), spec.HTTP{
		Name:        "get_sun",
		Description: "When the sun rises and sets at a place.",
		Input:       kervan.Schema(`{"type":"object","properties":{"lat":{"type":"number"},"lng":{"type":"number"}},"required":["lat","lng"]}`),
		URL:         "https://api.sunrise-sunset.org/json",
		Query:       map[string]any{"lat": "{{input.lat}}", "lng": "{{input.lng}}"},
		Select:      "results.{sunrise: sunrise, sunset: sunset}",
		ReadOnly:    true,
	}, spec.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	app := kervan.NewApp("sun", "0.1.0")
	app.Add(s.Tools()...)
	fmt.Println(app.Err())
	// Output: <nil>
}
