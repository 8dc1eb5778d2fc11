package secret

// A trie holds patterns by their common beginnings. Each node has the bytes that
// lead into it, so its size follows the number of patterns and not their length.
type trie struct {
	nodes []node
	first [256]int32      // the root's child for a byte; 0 is none
	pairs [1 << 10]uint64 // a bit for each two bytes that a pattern begins with
}

type node struct {
	label    []byte // the bytes that lead here from the parent
	child    int32  // the first of its children, which stand in a row, sorted
	children int32
	final    bool // a pattern ends here
}

// A cursor is a place in a trie: so many bytes into the label of a node. The
// zero cursor is the root.
type cursor struct {
	node, offset int32
}

// newTrie builds a trie of patterns that are sorted, distinct and not empty.
func newTrie(patterns [][]byte) trie {
	t := trie{nodes: []node{{}}}
	for _, p := range patterns {
		word, bit := pair(p)
		t.pairs[word] |= 1 << bit
	}
	type part struct { // patterns that share their first depth bytes and belong below a node
		node     int32
		patterns [][]byte
		depth    int
	}
	for queue := []part{{patterns: patterns}}; len(queue) > 0; queue = queue[1:] {
		p := queue[0]
		rest := p.patterns
		if len(rest[0]) == p.depth && p.node != 0 {
			t.nodes[p.node].final = true
			rest = rest[1:]
		}
		t.nodes[p.node].child = int32(len(t.nodes))
		for len(rest) > 0 {
			group := sharing(rest, p.depth)
			depth := p.depth + common(group[0][p.depth:], group[len(group)-1][p.depth:])
			if p.node == 0 {
				t.first[group[0][0]] = int32(len(t.nodes))
			}
			queue = append(queue, part{node: int32(len(t.nodes)), patterns: group, depth: depth})
			t.nodes = append(t.nodes, node{label: group[0][p.depth:depth]})
			t.nodes[p.node].children++
			rest = rest[len(group):]
		}
	}
	return t
}

// pair returns where the bit for the first two bytes stands.
func pair(bytes []byte) (word int, bit uint) {
	n := int(bytes[0])<<8 | int(bytes[1])
	return n >> 6, uint(n & 63)
}

// sharing returns the first of the patterns that have the same byte at depth.
func sharing(patterns [][]byte, depth int) [][]byte {
	n := 1
	for n < len(patterns) && patterns[n][depth] == patterns[0][depth] {
		n++
	}
	return patterns[:n]
}

// common returns how many bytes two texts begin with in common.
func common(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// step follows one byte, and reports whether any pattern goes on so.
func (t *trie) step(c cursor, b byte) (cursor, bool) {
	if c.node == 0 {
		n := t.first[b]
		return cursor{n, 1}, n != 0
	}
	n := &t.nodes[c.node]
	if int(c.offset) < len(n.label) {
		return cursor{c.node, c.offset + 1}, n.label[c.offset] == b
	}
	lo, hi := n.child, n.child+n.children
	for lo < hi {
		mid := (lo + hi) / 2
		if t.nodes[mid].label[0] < b {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return cursor{lo, 1}, lo < n.child+n.children && t.nodes[lo].label[0] == b
}

// walk follows several bytes.
func (t *trie) walk(c cursor, bytes []byte) (cursor, bool) {
	if c.node == 0 && len(bytes) > 1 {
		if word, bit := pair(bytes); t.pairs[word]>>bit&1 == 0 {
			return c, false
		}
	}
	for _, b := range bytes {
		var ok bool
		if c, ok = t.step(c, b); !ok {
			return c, false
		}
	}
	return c, true
}

// final reports whether a pattern ends at the cursor.
func (t *trie) final(c cursor) bool {
	n := &t.nodes[c.node]
	return n.final && int(c.offset) == len(n.label)
}
