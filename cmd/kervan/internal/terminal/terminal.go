// Package terminal prints messages that hold what specs, servers and users
// wrote: they can neither drive a terminal, nor look like another message, nor
// give a secret away.
package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

// A Printer writes messages, each of them one line. It is safe for concurrent
// use, and drops what cannot be written: a closed standard error ends nothing.
type Printer struct {
	redact func(string) string

	mu sync.Mutex
	w  io.Writer
}

// NewPrinter returns a printer that passes every message through redact, the
// masking of URLs and [Escape], in this order. Redact is called at the same
// time from several goroutines.
func NewPrinter(w io.Writer, redact func(string) string) *Printer {
	return &Printer{w: w, redact: redact}
}

// Printf prints one message. A line end among the arguments is made visible
// like other control characters.
func (p *Printer) Printf(format string, args ...any) {
	_, _ = p.Write([]byte(fmt.Sprintf(format, args...)))
}

// Write prints one message, whose last line end may be there or not. It is for
// loggers and others that want an [io.Writer] and give it a line at a time.
func (p *Printer) Write(message []byte) (int, error) {
	line := strings.TrimSuffix(string(message), "\n")
	line = Escape(MaskURLs(p.redact(line))) + "\n"
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = io.WriteString(p.w, line)
	return len(message), nil
}
