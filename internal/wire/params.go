package wire

import (
	"errors"
	"strings"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// A fault is what is wrong with a request's params.
type fault struct {
	code    int
	text    string
	pointer string
}

// decodeParams checks the params of a request and returns what the SDK gets:
// always an object, with numbers that it cannot hold replaced by aliases.
func decodeParams(method string, params []byte) ([]byte, *fault) {
	if params == nil || isEmpty(params) {
		params = []byte("{}")
	}
	if !isObject(params) {
		return nil, &fault{CodeInvalidParams, textParams, "/params"}
	}
	p := paramsReader{method: method}
	for m := range members(params) {
		if bad := p.member(m); bad != nil {
			return nil, bad
		}
	}
	if method == methodCallTool && !p.named {
		return nil, &fault{CodeInvalidParams, textName, "/params/name"}
	}
	return applyPatches(params, p.patches), nil
}

type paramsReader struct {
	method  string
	patches []patch
	named   bool
}

func (p *paramsReader) member(m member) *fault {
	key := string(m.key)
	if key == "_meta" {
		return p.meta(m)
	}
	switch p.method {
	case methodCallTool:
		return p.callMember(key, m)
	case methodListTools:
		if key == "cursor" && !isString(m.value) && !isNull(m.value) {
			return &fault{CodeInvalidParams, textCursor, "/params/cursor"}
		}
	case methodCancelled:
		if key == "requestId" {
			return p.requestID(m)
		}
	}
	return checkNumbers(m)
}

// callMember checks a member of a tool call. The arguments are left to the
// pipeline, which answers what is wrong with them as a tool result.
func (p *paramsReader) callMember(key string, m member) *fault {
	switch key {
	case "name":
		if !isString(m.value) {
			return &fault{CodeInvalidParams, textName, "/params/name"}
		}
		p.named = true
		return nil
	case "arguments":
		if isEmpty(m.value) {
			p.replace(m, 0, "{}")
		}
		return nil
	}
	if foldsTo(m.key, "name", "arguments", "_meta") {
		return &fault{CodeInvalidRequest, textCase, child("/params", m.key)}
	}
	return checkNumbers(m)
}

func (p *paramsReader) meta(m member) *fault {
	if isNull(m.value) {
		return nil
	}
	if isEmpty(m.value) {
		p.replace(m, 0, "{}")
		return nil
	}
	if !isObject(m.value) {
		return &fault{CodeInvalidParams, textMeta, "/params/_meta"}
	}
	for n := range members(m.value) {
		if string(n.key) != "progressToken" {
			continue
		}
		if isString(n.value) && strings.HasPrefix(text(n.value), aliasPrefix) {
			return &fault{CodeInvalidParams, textReservedToken, "/params/_meta/progressToken"}
		}
		p.alias(n, m.at)
	}
	return checkNumbers(m)
}

// requestID checks the id that a notification cancels: the SDK would cut a
// fraction off and cancel another call.
func (p *paramsReader) requestID(m member) *fault {
	if _, ok, _ := parseID(m.value); !ok {
		return &fault{CodeInvalidParams, textRequestID, "/params/requestId"}
	}
	p.alias(m, 0)
	return nil
}

// alias replaces a number that would not come out of the SDK as it went in.
func (p *paramsReader) alias(m member, base int) {
	if !isNumber(m.value) {
		return
	}
	if _, exact := exactInt(m.value); !exact && len(m.value) <= maxNumberToken {
		p.replace(m, base, `"`+aliasPrefix+string(m.value)+`"`)
	}
}

func (p *paramsReader) replace(m member, base int, with string) {
	start := base + m.at
	p.patches = append(p.patches, patch{start: start, end: start + len(m.value), with: with})
}

func checkNumbers(m member) *fault {
	err := jsonx.CheckNumbers(m.value)
	if err == nil {
		return nil
	}
	pointer := child("/params", m.key)
	var bad *jsonx.Error
	if errors.As(err, &bad) {
		pointer += bad.Pointer
	}
	return &fault{CodeInvalidParams, textParamsNumber, pointer}
}
