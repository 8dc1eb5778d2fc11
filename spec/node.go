package spec

import (
	"slices"
	"strconv"
	"strings"
)

// A nodeKind says what a node holds.
type nodeKind uint8

const (
	scalarNode nodeKind = iota
	listNode
	objectNode
)

// A node is a value of the file and its place in it. The tree is proper: what
// an alias stands for is copied.
type node struct {
	kind    nodeKind
	text    string // of a scalar, as spelled
	plain   bool   // the scalar is without quotes, so its type depends on where it stands
	items   []*node
	members []member

	line, column int // from 1; 0 for a value that comes from code
	parent       *node
	name         string // in a parent that is an object
	index        int    // in a parent that is a list
}

// A member is a named value of an object.
type member struct {
	name         string
	line, column int // of the name
	value        *node
}

// get returns the value of a member, or nil. It may be called on nil.
func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// at follows member names and list indexes from n; nil when there is nothing.
func (n *node) at(tokens []string) *node {
	for _, token := range tokens {
		if n == nil {
			return nil
		}
		if n.kind != listNode {
			n = n.get(token)
			continue
		}
		i, err := strconv.Atoi(token)
		if err != nil || i < 0 || i >= len(n.items) {
			return nil
		}
		n = n.items[i]
	}
	return n
}

// deepest is at, but returns the last node that there is.
func (n *node) deepest(tokens []string) *node {
	for i := len(tokens); i > 0; i-- {
		if found := n.at(tokens[:i]); found != nil {
			return found
		}
	}
	return n
}

// isNull reports whether n is a scalar that means no value.
func (n *node) isNull() bool {
	return n.kind == scalarNode && n.plain && isNull(n.text)
}

// path leads to n from the root: tools[0].http.url. The root's is empty.
func (n *node) path() string {
	var steps []string
	for ; n.parent != nil; n = n.parent {
		if n.parent.kind == listNode {
			steps = append(steps, "["+strconv.Itoa(n.index)+"]")
		} else {
			steps = append(steps, showStep(n.name))
		}
	}
	slices.Reverse(steps)
	return strings.TrimPrefix(strings.Join(steps, ""), ".")
}

// showStep is the step of a path that leads to a member.
func showStep(name string) string {
	for _, r := range name {
		if !isWordRune(r) && r != '-' && r != '$' {
			return "[" + quote(name) + "]"
		}
	}
	if name == "" {
		return `[""]`
	}
	return "." + clip(name, maxShown)
}

func isWordRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}

// tokens parts a JSON Pointer.
func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	parts := strings.Split(pointer[1:], "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(p, "~1", "/"), "~0", "~")
	}
	return parts
}
