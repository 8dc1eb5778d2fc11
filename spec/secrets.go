package spec

import (
	"context"
	"unicode/utf8"

	"github.com/kervan-mcp/kervan/internal/secret"
)

// learn is the last stage: it reads the variables, and asks for each secret
// once for each host it is sent to, so that what is missing is known now (rule
// 6.1). The values are redacted from then on.
func (r *runtime) learn(ctx context.Context, doc *document, o Options, s *issues) {
	r.readVars(doc, o, s)
	type question struct{ name, host string }
	asked := map[question]bool{}
	for _, t := range doc.tools {
		url := t.node.get("http").get("url")
		for _, d := range t.secrets {
			q := question{d.name, t.origin}
			if asked[q] {
				continue
			}
			asked[q] = true
			value, err := o.Secrets.Get(ctx, q.name, q.host, t.http.Name)
			switch {
			case err != nil:
				s.add(url, textSecretRefused(q.name, q.host, r.http.Vault.Redactor().Error(err)))
			case value == "":
				s.missing(url, o, textNoSecret(q.name, q.host))
			default:
				r.keep(d, value, s)
			}
		}
	}
}

// keep makes a value known, if it can be a secret.
func (r *runtime) keep(d *declaration, value string, s *issues) {
	if err := secret.Check(value); err != nil {
		s.add(d.node, visible(err.Error()))
		return
	}
	r.http.Vault.Add(d.name, value)
}

func (r *runtime) readVars(doc *document, o Options, s *issues) {
	for _, d := range doc.vars {
		value, ok := o.Vars(d.name)
		switch {
		case !ok && d.isUsed:
			s.missing(d.node, o, textNoVar(d.name))
		case !ok:
		case !utf8.ValidString(value):
			s.add(d.node, textVarNotUTF8(d.name))
		default:
			r.http.Vars[d.name] = value
		}
	}
}

// missing reports what a call would lack.
func (s *issues) missing(n *node, o Options, message string) {
	if o.RequireSecrets {
		s.add(n, message)
		return
	}
	s.warn(n, message)
}
