package main

import (
	"io"
	"log/slog"
	"regexp"

	"github.com/kervan-mcp/kervan/cmd/kervan/internal/terminal"
	"github.com/kervan-mcp/kervan/internal/secret"
	"github.com/kervan-mcp/kervan/spec"
)

// A process is what commands use of the world around them.
type process struct {
	// out is for what was asked for, such as the version. Messages go through
	// messages, which prints to standard error.
	out      io.Writer
	messages *terminal.Printer
	log      *slog.Logger
	// secrets holds what messages must not show.
	secrets *secret.Vault
}

func newProcess(out, err io.Writer) *process {
	p := &process{out: out, secrets: secret.NewVault(nil)}
	p.messages = terminal.NewPrinter(err, func(s string) string {
		shown, _ := p.secrets.Redactor().Text(s)
		return shown
	})
	p.log = slog.New(slog.NewTextHandler(p.messages, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return p
}

// hideNamed hides the value of every variable that a spec names, before it is
// known which of them are secrets.
func (p *process) hideNamed(text []byte, env *spec.Env) {
	for _, name := range names.FindAll(text, -1) {
		if value, ok := env.Lookup(string(name)); ok {
			p.hide(string(name), value)
		}
	}
}

// names finds what may be the name of an environment variable.
var names = regexp.MustCompile(`\b[A-Z][A-Z0-9_]{0,127}\b`)

// hide keeps a secret out of all messages.
func (p *process) hide(name, value string) {
	if secret.Check(value) == nil {
		p.secrets.Add(name, value)
	}
}
