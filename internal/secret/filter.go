package secret

import "encoding/binary"

const (
	headSize  = minLength // bytes; no pattern is shorter
	blockSize = 4         // bytes that decide how far to skip
	maxSkip   = headSize - blockSize + 1

	hashFactor = 0x9E3779B1
)

// A filter finds the places where the first eight bytes of a pattern stand, and
// skips most of the bytes in between: if the block that ends a window of eight
// bytes stands nowhere in a head, no head can begin within the next five.
type filter struct {
	skip  []uint8 // by the hash of a block
	down  uint    // how far a hash is shifted to become an index
	heads wordSet
}

func newFilter(patterns [][]byte) filter {
	bits := uint(10)
	for 1<<bits < 32*len(patterns) && bits < 18 {
		bits++
	}
	f := filter{skip: make([]uint8, 1<<bits), down: 32 - bits, heads: newWordSet(len(patterns))}
	for i := range f.skip {
		f.skip[i] = maxSkip
	}
	for _, p := range patterns {
		f.heads.add(binary.LittleEndian.Uint64(p))
		for at := range maxSkip {
			h := f.hash(binary.LittleEndian.Uint32(p[at:]))
			f.skip[h] = min(f.skip[h], uint8(maxSkip-1-at))
		}
	}
	return f
}

func (f *filter) hash(block uint32) uint32 { return block * hashFactor >> f.down }

// next returns the first place from which on a head stands in the text, or -1.
func (f *filter) next(text []byte, from int) int {
	for i := from; i+headSize <= len(text); {
		window := text[i : i+headSize]
		if skip := f.skip[f.hash(binary.LittleEndian.Uint32(window[headSize-blockSize:]))]; skip > 0 {
			i += int(skip)
			continue
		}
		if f.heads.has(binary.LittleEndian.Uint64(window)) {
			return i
		}
		i++
	}
	return -1
}

// A wordSet is a set of eight-byte words with open addressing.
type wordSet struct {
	words []uint64 // 0 is an empty slot
	zero  bool     // whether the word 0 is in the set
}

func newWordSet(n int) wordSet {
	size := 16
	for size < 2*n {
		size *= 2
	}
	return wordSet{words: make([]uint64, size)}
}

// slot returns where a word stands or would stand.
func (s *wordSet) slot(word uint64) int {
	mask := len(s.words) - 1
	i := int(word*0x9E3779B97F4A7C15>>32) & mask
	for s.words[i] != word && s.words[i] != 0 {
		i = (i + 1) & mask
	}
	return i
}

func (s *wordSet) add(word uint64) {
	if word == 0 {
		s.zero = true
		return
	}
	s.words[s.slot(word)] = word
}

func (s *wordSet) has(word uint64) bool {
	if word == 0 {
		return s.zero
	}
	return s.words[s.slot(word)] == word
}
