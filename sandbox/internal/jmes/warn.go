package jmes

import "slices"

// warnings tells what the author of an expression probably did not mean.
func (p *program) warnings() []string {
	var warnings []string
	constant := true
	p.root.walk(func(n *node) {
		constant = constant && n.kind != kindField && n.kind != kindCurrent
		if text := warnNode(n); text != "" && !slices.Contains(warnings, text) {
			warnings = append(warnings, text)
		}
	})
	if constant {
		warnings = append(warnings, textConstant)
	}
	return warnings
}

func warnNode(n *node) string {
	switch n.kind {
	case kindCall:
		return warnCall(n)
	case kindCompare:
		return warnCompare(n)
	case kindFilter:
		if beginsWithBracket(n.right()) {
			return textIndexEach
		}
		return warnCollected(n)
	case kindList:
		if n.left().kind == kindSub && n.left().right().kind == kindSlice && beginsWithBracket(n.right()) {
			return textIndexEach
		}
	case kindSub:
		return warnCollected(n)
	}
	return ""
}

func warnCompare(n *node) string {
	for _, operand := range n.kids {
		if types := typesOf(operand); n.orders() && types&typeNumber == 0 {
			return textUnordered(n.name, types)
		}
	}
	if isBareQuoted(n.right()) {
		return textQuotedText(n.right().name)
	}
	return ""
}

func warnCall(n *node) string {
	f := functionNamed(n.name)
	for i, arg := range n.kids {
		accepted := f.param(i)
		if accepted == typeText && isBareQuoted(arg) || f.name == "contains" && i == 1 && isBareQuoted(arg) {
			return textQuotedText(arg.name)
		}
		if accepted&(typeNumbers|typeTexts) != 0 {
			accepted |= typeArray
		}
		if types := typesOf(arg); types&accepted == 0 {
			return textAlwaysFails(f, i, types)
		}
	}
	return ""
}

// isBareQuoted reports whether a node is a quoted name by itself, where many write a text that way.
func isBareQuoted(n *node) bool { return n.kind == kindField && n.quoted && !n.paren }

// beginsWithBracket reports whether the right side of a projection begins with [0], [1:] or [*].
func beginsWithBracket(n *node) bool {
	switch n.kind {
	case kindSub, kindList:
		return n.left().implicit() || beginsWithBracket(n.left())
	case kindObject, kindFilter:
		return beginsWithBracket(n.left())
	}
	return false
}

// warnCollected finds what all implementations apply to the list of a projection's results, though it looks as if it
// were a part of the projection. After a hash it can mean nothing else.
func warnCollected(n *node) string {
	left := n.left()
	if !left.projects() || left.right().kind == kindMultiHash {
		return ""
	}
	return textCollected
}
