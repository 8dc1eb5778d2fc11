package wire

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// aliasPrefix begins the strings that stand, inside the SDK, for numbers which
// it cannot hold: it sends ids and progress tokens through float64. The digits
// follow. A client's own string with this prefix is refused, so that no answer
// can be turned into another client value.
const aliasPrefix = "kervan:int:"

// aliasMark is how an encoded alias begins.
var aliasMark = []byte(`"` + aliasPrefix)

const (
	maxExact       = 1 << 53
	maxNumberToken = 40
)

// parseID returns the SDK's id for a JSON value: a string, or an integer whose
// digits are kept. reserved reports a string with the reserved prefix.
func parseID(raw []byte) (id jsonrpc.ID, ok, reserved bool) {
	switch {
	case isString(raw):
		s := text(raw)
		if strings.HasPrefix(s, aliasPrefix) {
			return jsonrpc.ID{}, false, true
		}
		return stringID(s), true, false
	case isInteger(raw):
		if n, exact := exactInt(raw); exact {
			id, err := jsonrpc.MakeID(float64(n))
			return id, err == nil, false
		}
		return stringID(aliasPrefix + string(raw)), true, false
	}
	return jsonrpc.ID{}, false, false
}

func stringID(s string) jsonrpc.ID {
	id, _ := jsonrpc.MakeID(s) // a string never fails
	return id
}

// isInteger reports a number token of digits only, at most 40 characters.
func isInteger(raw []byte) bool {
	digits := bytes.TrimPrefix(raw, []byte("-"))
	if len(digits) == 0 || len(raw) > maxNumberToken {
		return false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// exactInt returns the value of a number token that survives float64 and comes
// out as the same digits.
func exactInt(raw []byte) (int64, bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n > maxExact || n < -maxExact {
		return 0, false
	}
	return n, strconv.FormatInt(n, 10) == string(raw)
}

// appendID appends an id as the client wrote it; the zero id is null.
func appendID(dst []byte, id jsonrpc.ID) []byte {
	switch v := id.Raw().(type) {
	case int64:
		return appendInt(dst, v)
	case string:
		if digits, ok := unalias(v); ok {
			return append(dst, digits...)
		}
		return jsonx.AppendString(dst, v)
	}
	return append(dst, "null"...)
}

// idText returns a string id itself, a number as the client wrote it, and ""
// for no id.
func idText(id jsonrpc.ID) string {
	switch v := id.Raw().(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case string:
		if digits, ok := unalias(v); ok {
			return digits
		}
		return v
	}
	return ""
}

// unalias returns the number token that an alias stands for.
func unalias(s string) (string, bool) {
	return strings.CutPrefix(s, aliasPrefix)
}

// restoreAliases puts numbers back into the places of an outgoing object where
// the SDK repeats a client's id or progress token. It looks nowhere else, so
// that a tool's own content is never touched.
func restoreAliases(obj []byte) []byte {
	if !isObject(obj) || !bytes.Contains(obj, aliasMark) {
		return obj
	}
	var patches []patch
	for m := range members(obj) {
		switch string(m.key) {
		case "progressToken":
			patches = appendRestore(patches, m, 0)
		case "_meta":
			if !isObject(m.value) {
				continue
			}
			for n := range members(m.value) {
				if string(n.key) == "io.modelcontextprotocol/subscriptionId" {
					patches = appendRestore(patches, n, m.at)
				}
			}
		}
	}
	return applyPatches(obj, patches)
}

func appendRestore(patches []patch, m member, base int) []patch {
	if !isString(m.value) {
		return patches
	}
	digits, ok := unalias(text(m.value))
	if !ok {
		return patches
	}
	start := base + m.at
	return append(patches, patch{start: start, end: start + len(m.value), with: digits})
}
