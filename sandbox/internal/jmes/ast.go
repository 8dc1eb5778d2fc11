package jmes

type nodeKind uint8

const (
	kindCurrent nodeKind = iota // @, or nothing where a projection has no right side
	kindField
	kindLiteral
	kindIndex
	kindSlice
	kindSub     // left.right and left[index]: right on the result of left
	kindPipe    // left | right: the same, and the end of every projection
	kindList    // projection of right on the elements of left
	kindObject  // projection of right on the values of left
	kindFilter  // projection of right on the elements of left for which the condition holds
	kindFlatten // elements of left, and the elements of those that are arrays
	kindMultiList
	kindMultiHash
	kindOr
	kindAnd
	kindNot
	kindCompare
	kindCall
	kindRef // &expression
)

// A node is an expression with its place in the source text.
type node struct {
	kind     nodeKind
	pos, end int
	at       int      // where an error of the node itself is shown
	name     string   // of a field or a call; the operator of a comparison
	value    any      // of a literal
	keys     []string // of a hash, one for each of kids
	kids     []*node  // left, right, condition; elements; arguments
	quoted   bool     // a field written in quotes
	paren    bool     // written in parentheses
	twin     bool     // a hash with the same keys as another one in different order
	plain    bool     // go-jmespath evaluates it as it should be; set by mark
}

func (n *node) left() *node  { return n.kids[0] }
func (n *node) right() *node { return n.kids[1] }

// implicit reports whether the node is a current node that is not written.
func (n *node) implicit() bool { return n.kind == kindCurrent && n.pos == n.end }

// standsAlone reports whether the node's source text means the same when it is an expression by itself. A slice and a
// flattening would be projections then, which leave null out before a right side could see it.
func (n *node) standsAlone() bool {
	switch n.kind {
	case kindFlatten, kindSlice:
		return false
	case kindSub:
		return n.right().kind != kindSlice
	}
	return true
}

// projects reports whether a node is a projection that what follows would be part of, if its binding allowed.
func (n *node) projects() bool {
	switch n.kind {
	case kindList, kindObject, kindFilter:
		return !n.paren
	}
	return false
}

// orders reports whether a comparison is one of <, <=, > and >=.
func (n *node) orders() bool { return n.name != "==" && n.name != "!=" }

// walk calls visit for a node and everything in it, outermost first.
func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, kid := range n.kids {
		kid.walk(visit)
	}
}
