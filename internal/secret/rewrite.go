package secret

import (
	"bytes"
	"strconv"
	"strings"
)

// A rewriter writes a JSON document anew, token by token, with parts replaced.
type rewriter struct {
	data  []byte
	spans []span // what to replace: sorted, apart
	first int    // the spans before it lie before the token at hand
	used  []bool // the spans that a token has been redacted for

	out    []byte
	copied int // the data up to here stands in out
	count  int // replacements

	names []map[string]int // for each open array or object, the names with a Mark, and the last number given to each
}

// rewrite returns the new document, or nil if a span lies in punctuation only, so
// that there is nothing in it to replace.
func (w *rewriter) rewrite() []byte {
	w.used = make([]bool, len(w.spans))
	for l := (lexer{data: w.data}); ; {
		t, err := l.next()
		if err != nil {
			return nil
		}
		switch t.kind {
		case kindEnd:
			return w.finish()
		case kindOpen:
			w.names = append(w.names, nil)
		case kindClose:
			w.names = w.names[:len(w.names)-1]
		case kindKey:
			w.key(t)
		case kindString:
			w.string(t)
		default:
			w.scalar(t)
		}
	}
}

func (w *rewriter) finish() []byte {
	for _, used := range w.used {
		if !used {
			return nil
		}
	}
	w.copyTo(len(w.data))
	return w.out
}

func (w *rewriter) copyTo(end int) {
	w.out = append(w.out, w.data[w.copied:end]...)
	w.copied = end
}

func (w *rewriter) put(at span, text string) {
	w.copyTo(at.start)
	w.out = append(w.out, text...)
	w.copied = at.end
	w.count++
}

// within returns the shares of a part of the document that spans cover.
func (w *rewriter) within(part span) []span {
	for w.first < len(w.spans) && w.spans[w.first].end <= part.start {
		w.first++
	}
	var shares []span
	for i := w.first; i < len(w.spans) && w.spans[i].start < part.end; i++ {
		s := w.spans[i]
		shares = append(shares, span{max(s.start, part.start), min(s.end, part.end)})
		w.used[i] = true
	}
	return shares
}

func (w *rewriter) scalar(t token) {
	if len(w.within(t.span)) > 0 {
		w.put(t.span, quotedMark)
	}
}

func (w *rewriter) string(t token) {
	content := t.content()
	if content.start == content.end {
		return
	}
	shares := w.within(content)
	if t.escaped {
		shares = shift(spelled(w.data[content.start:content.end], shift(shares, -content.start), false), content.start)
	}
	for _, s := range shares {
		w.put(s, Mark)
	}
}

// key writes a name. If it holds a Mark, it gets a number where the object has
// that name already.
func (w *rewriter) key(t token) {
	w.copyTo(t.start + 1)
	start := len(w.out)
	w.string(t)
	w.copyTo(t.end - 1)
	name := w.out[start:]
	if !t.escaped && !bytes.Contains(name, []byte(Mark)) {
		return
	}
	if meant := string(unescape(name)); strings.Contains(meant, Mark) {
		w.out = append(w.out, w.number(meant)...)
	}
}

// number returns what is to follow a name so that it differs from the others of
// its object.
func (w *rewriter) number(name string) string {
	used := w.names[len(w.names)-1]
	if used == nil {
		used = map[string]int{}
		w.names[len(w.names)-1] = used
	}
	suffix := ""
	for n := used[name] + 1; used[name+suffix] > 0; n++ {
		suffix = " " + strconv.Itoa(n)
		used[name] = n
	}
	used[name+suffix] = max(used[name+suffix], 1)
	return suffix
}

// shift moves spans by so many bytes.
func shift(spans []span, by int) []span {
	for i := range spans {
		spans[i].start += by
		spans[i].end += by
	}
	return spans
}
