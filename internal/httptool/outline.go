package httptool

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// maxArrays is how many arrays a document may have that is to be shortened. More
// would cost many times the memory of the document.
const maxArrays = 1 << 20

// An outline says where the arrays of a compact JSON document lie, in the
// order of their opening brackets, so that they can be shortened without
// decoding the document.
type outline struct {
	data   []byte
	runes  int
	arrays []array
	levels int // how deep arrays lie in arrays; 1 if none does
}

// An array of a document. Its elements begin at open and end at ends.
type array struct {
	parent int // index of the array around it, or -1
	within int // which element of the parent it is in
	level  int // how many arrays are around it
	open   mark
	ends   []mark
	close  mark // of the closing bracket
}

// A mark is a place in a document, counted in bytes and in characters.
type mark struct{ byte, rune int }

// end returns where the first n elements end.
func (a *array) end(n int) mark {
	if n == 0 {
		return a.open
	}
	return a.ends[n-1]
}

// newOutline reads a document that is valid and has no spaces. ok is false if
// it has more than maxArrays arrays.
func newOutline(data []byte) (o *outline, ok bool) {
	o = &outline{data: data}
	var stack []int // indexes of the open arrays, -1 for an open object
	inner := -1     // the innermost open array
	inString, escaped := false, false
	for i, c := range data {
		here := mark{i, o.runes}
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped, inString = c == '\\', c != '"'
		case c == '"':
			inString = true
		case c == '{':
			stack = append(stack, -1)
		case c == '[':
			stack = append(stack, len(o.arrays))
			inner = o.begin(inner, mark{i + 1, o.runes + 1})
		case c == ',':
			if top := stack[len(stack)-1]; top >= 0 {
				o.arrays[top].ends = append(o.arrays[top].ends, here)
			}
		case c == '}', c == ']':
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if top >= 0 {
				inner = o.finish(top, here)
			}
		}
		if c&0xC0 != 0x80 {
			o.runes++
		}
		if len(o.arrays) > maxArrays {
			return nil, false
		}
	}
	return o, true
}

// begin adds an array inside parent and returns its index.
func (o *outline) begin(parent int, open mark) int {
	a := array{parent: parent, open: open}
	if parent >= 0 {
		a.level = o.arrays[parent].level + 1
		a.within = len(o.arrays[parent].ends)
	}
	o.levels = max(o.levels, a.level+1)
	o.arrays = append(o.arrays, a)
	return len(o.arrays) - 1
}

// finish closes an array and returns the index of the one around it.
func (o *outline) finish(index int, end mark) int {
	a := &o.arrays[index]
	if end.byte > a.open.byte {
		a.ends = append(a.ends, end)
	}
	a.close = end
	return a.parent
}

// pointers returns the JSON Pointer of each array for which want is true. The
// others are left empty.
func (o *outline) pointers(want func(index int) bool) []string {
	pointers := make([]string, len(o.arrays))
	dec := jsontext.NewDecoder(bytes.NewBuffer(o.data), jsontext.AllowDuplicateNames(true))
	for i := 0; i < len(pointers); {
		token, err := dec.ReadToken()
		if err != nil {
			return pointers
		}
		if token.Kind() != '[' {
			continue
		}
		if want(i) {
			pointers[i] = string(dec.StackPointer())
		}
		i++
	}
	return pointers
}
