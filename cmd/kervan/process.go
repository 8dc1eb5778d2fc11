package main

import (
	"io"
	"log/slog"

	"github.com/kervan-mcp/kervan/cmd/kervan/internal/terminal"
	"github.com/kervan-mcp/kervan/internal/secret"
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

// hide keeps a secret out of all messages.
func (p *process) hide(name, value string) {
	if secret.Check(value) == nil {
		p.secrets.Add(name, value)
	}
}
