package wire

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
)

// A member is one key and value of an object.
type member struct {
	key    []byte // as written between the quotes
	quoted []byte // the same with its quotes
	value  []byte
	at     int // offset of value in the object
}

// members yields the members of obj, which must be a valid JSON object. It only
// finds where values begin and end; it checks nothing.
func members(obj []byte) iter.Seq[member] {
	return func(yield func(member) bool) {
		i := skipSpace(obj, 1)
		for i < len(obj) && obj[i] == '"' {
			end := skipString(obj, i)
			quoted := obj[i:end]
			start := skipSpace(obj, skipSpace(obj, end)+1)
			end = skipValue(obj, start)
			if !yield(member{key: quoted[1 : len(quoted)-1], quoted: quoted, value: obj[start:end], at: start}) {
				return
			}
			i = skipSpace(obj, end)
			if obj[i] == ',' {
				i = skipSpace(obj, i+1)
			}
		}
	}
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the offset after the string that begins at i.
func skipString(b []byte, i int) int {
	for i++; b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// skipValue returns the offset after the value that begins at i.
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			i++
			continue
		default:
			i = skipLiteral(b, i)
		}
		if depth == 0 {
			break
		}
	}
	return i
}

// skipLiteral returns the offset after the number, true, false or null at i.
func skipLiteral(b []byte, i int) int {
	for ; i < len(b); i++ {
		switch b[i] {
		case ',', ']', '}', ' ', '\t', '\r', '\n':
			return i
		}
	}
	return i
}

// text returns the string that a valid JSON string stands for.
func text(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}

func isString(raw []byte) bool { return len(raw) > 0 && raw[0] == '"' }
func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }
func isNull(raw []byte) bool   { return string(raw) == "null" }

func isNumber(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// isEmpty reports null or an empty array, which some languages send where an
// empty object belongs (rule 1.5).
func isEmpty(raw []byte) bool { return isNull(raw) || string(raw) == "[]" }

// foldsTo returns the known key that key equals in everything but case.
func foldsTo(key []byte, known ...string) bool {
	for _, k := range known {
		if string(key) != k && bytes.EqualFold(key, []byte(k)) {
			return true
		}
	}
	return false
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// child returns the JSON Pointer of a member of the object at parent.
func child(parent string, key []byte) string {
	return parent + "/" + pointerEscapes.Replace(string(key))
}

// A patch replaces the bytes from start to end of a document.
type patch struct {
	start, end int
	with       string
}

// applyPatches returns doc with the patches applied; they are in order and do
// not overlap. Without patches doc itself is returned.
func applyPatches(doc []byte, patches []patch) []byte {
	if len(patches) == 0 {
		return doc
	}
	out := make([]byte, 0, len(doc)+64*len(patches))
	last := 0
	for _, p := range patches {
		out = append(out, doc[last:p.start]...)
		out = append(out, p.with...)
		last = p.end
	}
	return append(out, doc[last:]...)
}
