package secret

// quotedMark is a JSON document that is redacted whole.
const quotedMark = `"` + Mark + `"`

// JSON redacts a JSON document, which may be any value. It returns data itself if
// nothing was found, and else a new document and the number of replacements. The
// order of members, the digits of numbers and all that holds no secret stay as
// they were written.
//
// In a string or a member's name only the secret is replaced. A number whose
// digits hold a secret becomes the string Mark, whether the digits stand in it as
// they are, without the decimal point, or when it is written out without its
// exponent. Where a secret reaches over several values, as one that is itself
// JSON does, each text, number, true, false or null that it touches is replaced;
// it does not count as a secret if its characters stand in an array one by one.
//
// Names that have become equal to one another stay apart: the second is "[redacted] 2",
// in the order of the document.
//
// The error says that data is not JSON by RFC 8259; then nothing else is returned.
func (r *Redactor) JSON(data []byte) ([]byte, int, error) {
	if r.withhold {
		return []byte(quotedMark), 1, nil
	}
	total := 0
	for range maxRounds {
		spans, err := r.findJSON(data)
		if err != nil {
			return nil, 0, err
		}
		if len(spans) == 0 {
			return data, total, nil
		}
		w := rewriter{data: data, spans: spans}
		if data = w.rewrite(); data == nil {
			break
		}
		total += w.count
	}
	return []byte(quotedMark), total + 1, nil
}

// findJSON returns the parts of a document that are to be replaced. They are
// looked for in the document as it is written, since that is what leaves, and in
// what its strings and numbers mean.
func (r *Redactor) findJSON(data []byte) ([]span, error) {
	spans := r.find(data)
	for l := (lexer{data: data}); ; {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		switch {
		case t.kind == kindEnd:
			return merge(spans), nil
		case t.escaped:
			content := data[t.start+1 : t.end-1]
			spans = append(spans, shift(spelled(content, r.find(unescape(content)), true), t.start+1)...)
		case t.kind == kindNumber:
			if digits, plain := otherDigits(data[t.start:t.end]); len(r.find(digits))+len(r.find(plain)) > 0 {
				spans = append(spans, t.span)
			}
		}
	}
}
