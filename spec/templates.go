package spec

import (
	"errors"
	"strings"

	"github.com/kervan-mcp/kervan/internal/template"
)

// references reads the templates of one tool, and notes what they refer to.
type references struct {
	*meaning
	input    inputCheck
	anyInput bool // the input schema has a fault, so nothing is said about it

	usedVars, usedSecrets []*declaration // each once
}

// parse reads the template in a scalar; nil if it reported a problem.
func (t *references) parse(n *node, text string) *template.Text {
	parsed, err := template.Parse(text)
	if err != nil {
		t.add(n, syntaxFault(err))
		return nil
	}
	for _, ref := range parsed.Refs() {
		t.refer(n, ref)
	}
	return parsed
}

// syntaxFault is the text of an error of package template, without the offset:
// the place in the file stands in front of it.
func syntaxFault(err error) string {
	var syntax *template.SyntaxError
	if errors.As(err, &syntax) {
		return visible(syntax.Message + "; " + syntax.Hint)
	}
	var value *template.Error
	if errors.As(err, &value) {
		return clause(value.Message)
	}
	return visible(err.Error())
}

// clause makes a part of a sentence out of one.
func clause(sentence string) string {
	sentence = strings.TrimSuffix(visible(sentence), ".")
	if rest, ok := strings.CutPrefix(sentence, "The "); ok {
		return "the " + rest
	}
	return sentence
}

// refer checks that a reference leads somewhere.
func (t *references) refer(n *node, ref template.Ref) {
	switch ref.Root {
	case template.Input:
		if !t.anyInput {
			if fault := t.input.fault(ref.Path); fault != "" {
				t.add(n, fault)
			}
		}
	case template.Vars:
		t.usedVars = t.use(n, ref, "vars", t.vars, t.usedVars)
	case template.Secrets:
		t.usedSecrets = t.use(n, ref, "secrets", t.secrets, t.usedSecrets)
	}
}

// use adds what a reference names to those that the tool uses.
func (t *references) use(n *node, ref template.Ref, list string, declared, used []*declaration) []*declaration {
	name := ref.Path[0]
	d := find(declared, name)
	if d == nil {
		t.add(n, textNotListed(list, name, nearest(name, namesOf(declared))))
		return used
	}
	d.isUsed = true
	if find(used, name) != nil {
		return used
	}
	return append(used, d)
}
