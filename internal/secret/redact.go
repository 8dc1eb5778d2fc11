package secret

import (
	"slices"
	"sync"
)

// maxRounds is how often redacting may make a new match by what it puts side by
// side. Only secrets made for it need more than two; then the whole text goes.
const maxRounds = 8

// A Redactor replaces what a Vault kept when it was made. It does not change and
// is safe for concurrent use. What it returned is as it would return it again.
type Redactor struct {
	matcher  *matcher  // nil without patterns
	scanners sync.Pool // of *scanner
	withhold bool      // everything is replaced whole
}

// newRedactor makes a Redactor of texts of at least eight bytes.
func newRedactor(texts []string) *Redactor {
	r := &Redactor{}
	if len(texts) == 0 {
		return r
	}
	r.matcher = newMatcher(texts)
	r.scanners.New = func() any { return newScanner(r.matcher) }
	return r
}

// maxKept is the size of the texts whose scanner, with its buffers, is kept.
const maxKept = 1 << 20

// find returns the parts of a text that are to be replaced, sorted and apart.
func (r *Redactor) find(text []byte) []span {
	if r.matcher == nil || len(text) < headSize {
		return nil
	}
	s := r.scanners.Get().(*scanner)
	found := slices.Clone(besideMarks(text, s.find(text)))
	if len(text) <= maxKept {
		r.scanners.Put(s)
	}
	return found
}

// Text replaces every spelling of a secret in a text. It returns the text, which
// is the same string if nothing was found, and the number of replacements. Time
// is linear in the text.
func (r *Redactor) Text(s string) (string, int) {
	if r.withhold && s != "" && s != Mark {
		return Mark, 1
	}
	text, total := []byte(s), 0
	for range maxRounds {
		spans := r.find(text)
		if len(spans) == 0 {
			if total == 0 {
				return s, 0
			}
			return string(text), total
		}
		text = replace(text, spans)
		total += len(spans)
	}
	return Mark, total + 1
}
