// Package spec turns a kervan.yaml into tools: one HTTP request a tool, without
// any Go for it.
//
//	package main
//
//	import (
//		"context"
//		"log"
//
//		"github.com/kervan-mcp/kervan"
//		"github.com/kervan-mcp/kervan/spec"
//		"github.com/kervan-mcp/kervan/transport"
//	)
//
//	func main() {
//		ctx := context.Background()
//		s, err := spec.LoadFile(ctx, "kervan.yaml", spec.Options{})
//		if err != nil {
//			log.Fatal(err) // kervan.yaml:12:5 tools[0].http.url: …
//		}
//		defer s.Close()
//		app := kervan.NewApp(s.Name(), s.Version(), kervan.WithInstructions(s.Description()))
//		app.Add(s.Tools()...)
//		if err := transport.Serve(ctx, app); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// The smallest file:
//
//	specVersion: 1
//	name: sun
//	version: 0.1.0
//	tools:
//	  - name: get_sun
//	    description: When the sun rises and sets at a place.
//	    input:
//	      type: object
//	      properties: {lat: {type: number}, lng: {type: number}}
//	      required: [lat, lng]
//	    http:
//	      url: https://api.sunrise-sunset.org/json
//	      query: {lat: "{{input.lat}}", lng: "{{input.lng}}"}
//	    output:
//	      select: "results.{sunrise: sunrise, sunset: sunset}"
//
// docs/yaml-reference.md has every field, and kervan.schema.json is a schema for
// editors; both are made from the table that the loader checks a file with.
//
// # What a file can do, and what it cannot
//
// A file says which requests are sent. Which networks are reached, where
// secrets come from, and whether they may go over plain http, is said in
// [Options] only. Secrets go to the hosts they are bound to, and are redacted
// wherever they come back. Responses are bounded, and select runs in a process
// of its own (see package sandbox).
//
// # Loading again
//
// [Apply] puts the tools into a registry, and may be called again when the file
// has changed, while clients are connected: tools that did not change stay as
// they are, and clients are told once.
package spec
