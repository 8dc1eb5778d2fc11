// Package httptool is one HTTP request as a tool: it is built from arguments,
// sent, read, redacted, selected from and cut.
//
//	t := &httptool.Tool{
//		Name: "weather", Method: "GET",
//		Scheme: "https", Host: "api.example.com", Port: "443", Path: path,
//		Secrets: []string{"API_KEY"}, Headers: headers,
//		Select: "{celsius: main.temp}",
//	}
//	result, err := t.Call(ctx, runtime, []byte(`{"city":"Ankara"}`))
//
// # The path of a call
//
//	rate limit → may each secret go there → ask for the secrets → render
//	  → send, and follow redirects, each judged anew
//	  → status → decode, within limits and a budget of the process
//	  → redact → select (in the sandbox) → redact → cut → redact
//
// One time budget covers all of it. Whatever fails on the way becomes an
// [*Error], whose message is a sentence for a model: it names the host and the
// reason, and never shows a path, a query, a body or a secret. Any other error
// of [Tool.Call] is a fault of the program, to be masked.
//
// A response is not trusted. It is bounded in size and time, only its status,
// its media type and its body are looked at, and the body is shown only if the
// request succeeded.
package httptool
