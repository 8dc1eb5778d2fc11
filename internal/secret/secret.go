// Package secret keeps the secret values that the program has seen and takes
// them out of whatever leaves it.
//
//	vault := secret.NewVault(nil)
//	if err := secret.Check(value); err != nil { … }
//	vault.Add("API_TOKEN", value)
//	body, n, err := vault.Redactor().JSON(body)
//
// A value is found in every spelling that the usual decoders undo: raw; with
// any of its bytes written as percent, form, JSON or HTML escapes, also one
// inside another; in hex, base64 and base64url at any alignment, wrapped or
// not; and in these around one another.
//
// How: a matcher (matcher.go, filter.go, trie.go) knows the values. A reader
// (reader.go, parts.go, escapes.go, entities.go) knows what a text can mean from
// an escape on. A scanner (scan.go) follows the values through the text along
// every such reading, then decodes what may be hex or base64 (blocks.go, runs.go,
// codings.go) and scans the outcome in the same way. A Redactor replaces what was
// found in texts (redact.go), JSON documents (json.go, lexer.go, units.go,
// numbers.go, rewrite.go), trees and errors.
package secret

// Mark stands where a secret was.
const Mark = "[redacted]"

// minLength is the shortest secret, in characters: a shorter one would be found
// by chance. No pattern is shorter in bytes.
const minLength = 8
