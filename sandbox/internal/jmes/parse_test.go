package jmes

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/jmespath/go-jmespath"
	"github.com/stretchr/testify/require"
)

// unprinted is what a node here does not keep, because go-jmespath reads it again.
var unprinted = regexp.MustCompile(`(AST(?:Literal|Slice|Index) \{\n) *value: .*\n`)

// engineTree returns how go-jmespath reads an expression.
func engineTree(t *testing.T, expression string) string {
	t.Helper()
	tree, err := jmespath.NewParser().Parse(expression)
	require.NoError(t, err, expression)
	return unprinted.ReplaceAllString(tree.String(), "$1")
}

var comparators = map[string]string{"==": "tEQ", "!=": "tNE", "<": "tLT", "<=": "tLTE", ">": "tGT", ">=": "tGTE"}

var engineNames = map[nodeKind]string{
	kindField: "ASTField", kindLiteral: "ASTLiteral", kindIndex: "ASTIndex", kindSlice: "ASTSlice", kindSub: "ASTSubexpression", kindPipe: "ASTPipe",
	kindList: "ASTProjection", kindObject: "ASTValueProjection", kindFilter: "ASTFilterProjection", kindFlatten: "ASTFlatten", kindMultiList: "ASTMultiSelectList",
	kindMultiHash: "ASTMultiSelectHash", kindOr: "ASTOrExpression", kindAnd: "ASTAndExpression", kindNot: "ASTNotExpression", kindCompare: "ASTComparator",
	kindCall: "ASTFunctionExpression", kindRef: "ASTExpRef", kindCurrent: "ASTCurrentNode",
}

// tree prints a node as go-jmespath prints its own.
func (n *node) tree(indent int) string {
	pad := strings.Repeat(" ", indent)
	name, value, kids := engineNames[n.kind], "", ""
	switch {
	case n.implicit():
		name = "ASTIdentity"
	case n.kind == kindSub && (n.right().kind == kindIndex || n.right().kind == kindSlice):
		name = "ASTIndexExpression"
	case n.kind == kindCompare:
		value = comparators[n.name]
	case n.kind == kindField, n.kind == kindCall:
		value = fmt.Sprintf("%#v", n.name)
	}
	if value != "" {
		value = pad + "  value: " + value + "\n"
	}
	for i, kid := range n.kids {
		if n.kind == kindMultiHash {
			kids += fmt.Sprintf("%[1]s    ASTKeyValPair {\n%[1]s      value: %[2]q\n%[1]s      children: {\n%[3]s%[1]s    }\n", pad, n.keys[i], kid.tree(indent+8))
			continue
		}
		kids += kid.tree(indent + 4)
	}
	if kids != "" {
		kids = pad + "  children: {\n" + kids
	}
	return pad + name + " {\n" + value + kids + pad + "}\n"
}

// requireSameTree holds that an expression, and every piece of it that go-jmespath evaluates, is read here as
// go-jmespath reads it.
func requireSameTree(t *testing.T, expression string) {
	t.Helper()
	root, err := parse(expression)
	require.NoError(t, err, expression)
	require.Equal(t, engineTree(t, expression), root.tree(0), expression)
	mark(root)
	root.walk(func(n *node) {
		if !n.plain || n.implicit() || !n.standsAlone() {
			return
		}
		piece := expression[n.pos:n.end]
		if n.kind == kindIndex {
			n = &node{kind: kindSub, kids: []*node{current(0), n}}
		}
		require.Equal(t, engineTree(t, piece), n.tree(0), "the piece %s of %s", piece, expression)
	})
}

func TestParseAgreesWithEngine(t *testing.T) {
	for _, s := range complianceSuites(t) {
		for _, c := range s.Cases {
			if _, err := parse(c.Expression); err == nil {
				requireSameTree(t, c.Expression)
			}
		}
	}
	for _, expression := range seedExpressions {
		requireSameTree(t, expression)
	}
}

// seedExpressions have every construct beside every other one that binds differently.
var seedExpressions = []string{
	"a.b.c[0].d[*].e[?f == 'g' && !h || i].j[].k | [0]", "a[?b].c[?d].e[?f]", "m.*.a[0]", "m.*.a[?b].c", "m.*.a[*].b.c", "m.*[*].b.c", "m.*.*.b.c", "*.a.b.c", "*[0].a[1:].b",
	"a[*].[b, c][0]", "a[*].{b: c}[?b]", "a[*].{b: c} | [*].b", "a[::2].b.c[:1][0]", "[][].a[][0]", "[a[0], b.*, {c: d[?e]}][1]", "!a || !b && c == !d", "a == b == c", "a < b || c >= d | e != f",
	"(a || b).c[0]", "(a | b)[*].c", "((a)).b", "@.a[?@ > `1`]", "a.[*]", "a.[*, b]", "a.{b: *.c, d: [*]}", "[*]", "[*].a", "[*, a]", "[*.a]", "foo.*.[a].b", "'x'.a", "`[1,2]`[0].a",
	"sort_by(a[?b], &c.d || e)[-1].f", "map(&[a, *], b[]).c", "max_by(a, &length(b) )", "not_null(a, b.c, 'd')", "{\"a b\": c, d: \"e f\".g}", "a.\"b\".c(d, &e)", "length(a).b[0]",
	"a[?b[?c > `1`].d][?e]", "a[?b][0].c", "a[0][1][2]", "a[1:2][3:4].b", "a.*", "a.*.b", "a.*[]", "a.*[].b.c", "[?a][?b].c", "*.*", "*[*]", "!a[0]", "!(a.b)", "a | b | c", "a || b || c", "a && b && c",
	"a [ 0 ] . b\n|\t[ * ]", "'it\\'s'", "`\"\\u00e9\\`\"`", "\"\\u00e9\\\"\"", "a == '\\\\x'", "a[-1]", "a[-2:-1:-1]", "merge(a, {b: b}) == `{\"a\":{\"b\":[]}}`", "[a]", "a.b[*]", "*",
}
