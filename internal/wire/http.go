package wire

import (
	"bytes"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// What a transport that frames messages itself, as HTTP does, needs to know of
// them. All of it expects messages that went through [Decode].

// Facts are the parts of a request that HTTP headers repeat.
type Facts struct {
	// Version is the protocol version that the request names for itself;
	// Versioned says that there is such a member, whatever its type.
	Version   string
	Versioned bool
	// Name is the tool or prompt, or the URI of a resource, of the methods that
	// have one; Named says that it is there and a string.
	Name  string
	Named bool
	// Arguments is the JSON of a tool call's arguments, nil when absent.
	Arguments []byte
	// Cursor is where a tools/list goes on.
	Cursor string
	// Meta is the JSON of _meta, nil when absent or no object.
	Meta []byte
	// Plain says that the params of a tools/call or tools/list hold nothing but
	// these, each of its type: no answer to an interim result, say.
	Plain bool
}

// FactsOf reads the facts of a request in one pass.
func FactsOf(req *jsonrpc.Request) Facts {
	f := Facts{Plain: req.Method == methodCallTool || req.Method == methodListTools}
	name := nameMember(req.Method)
	for m := range members(req.Params) {
		switch key := string(m.key); {
		case key == "_meta" && isObject(m.value):
			f.readMeta(m.value)
		case key == name && isString(m.value):
			f.Name, f.Named = text(m.value), true
		case key == "arguments" && req.Method == methodCallTool:
			f.Arguments = m.value
		case key == "cursor" && req.Method == methodListTools && isString(m.value):
			f.Cursor = text(m.value)
		default:
			f.Plain = false
		}
	}
	f.Plain = f.Plain && (f.Named || name == "")
	return f
}

// HasName reports whether requests of a method name one thing: Mcp-Name.
func HasName(method string) bool { return nameMember(method) != "" }

func nameMember(method string) string {
	switch method {
	case methodCallTool, "prompts/get":
		return "name"
	case "resources/read":
		return "uri"
	}
	return ""
}

func (f *Facts) readMeta(meta []byte) {
	f.Meta = meta
	for m := range members(meta) {
		if string(m.key) == "io.modelcontextprotocol/protocolVersion" {
			f.Versioned = true
			if isString(m.value) {
				f.Version = text(m.value)
			}
		}
	}
}

// Lookup returns the value at a path of member names, nil when there is none.
func Lookup(obj []byte, path ...string) []byte {
	for _, name := range path {
		if !isObject(obj) {
			return nil
		}
		obj = lookupMember(obj, name)
	}
	return obj
}

func lookupMember(obj []byte, name string) []byte {
	for m := range members(obj) {
		if text(m.quoted) == name {
			return m.value
		}
	}
	return nil
}

// Text returns the string that a valid JSON string stands for.
func Text(raw []byte) string { return text(raw) }

// IDText returns a string id itself, a number as the client wrote it, and ""
// for no id.
func IDText(id jsonrpc.ID) string { return idText(id) }

// AppendID appends an id as the client wrote it; the zero id is null.
func AppendID(dst []byte, id jsonrpc.ID) []byte { return appendID(dst, id) }

// Append is [Encode] to the end of dst.
func Append(dst []byte, msg jsonrpc.Message) ([]byte, error) { return appendMessage(dst, msg) }

// AppendError appends an error response. Unlike [Append] it takes the error as
// it is; id is the JSON of the request's id, and nil is null.
func AppendError(dst, id []byte, e *jsonrpc.Error) []byte {
	if id == nil {
		id = []byte("null")
	}
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"error":`...)
	return append(appendError(dst, e), '}')
}

// IsResponse reports whether a valid message is an answer.
func IsResponse(message []byte) bool {
	return isObject(message) && lookupMember(message, "method") == nil
}

// Restore puts the client's numbers back into a message that was encoded by
// others than this package.
func Restore(message []byte) []byte {
	if !isObject(message) || !bytes.Contains(message, aliasMark) {
		return message
	}
	var patches []patch
	for m := range members(message) {
		switch string(m.key) {
		case "id":
			patches = appendRestore(patches, m, 0)
		case "params", "result":
			patches = append(patches, patch{m.at, m.at + len(m.value), string(restoreAliases(m.value))})
		}
	}
	return applyPatches(message, patches)
}

// IsObjectOfObjects reports an object whose members are all objects.
func IsObjectOfObjects(raw []byte) bool { return isObjectOf(raw, isObject) }

// IsObjectOfStrings reports an object whose members are all strings.
func IsObjectOfStrings(raw []byte) bool { return isObjectOf(raw, isString) }

func isObjectOf(raw []byte, kind func([]byte) bool) bool {
	if !isObject(raw) {
		return false
	}
	for m := range members(raw) {
		if !kind(m.value) {
			return false
		}
	}
	return true
}
