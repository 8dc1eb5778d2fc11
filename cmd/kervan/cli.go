package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// Exit codes.
const (
	exitOK    = 0
	exitError = 1
)

// A grammar is the command line. A command is a field here and a file of its
// own: its type has the command's flags, and a Run method that takes what
// newParser binds.
type grammar struct {
	Run     runCommand  `cmd:"" help:"${help_run}"`
	Version versionFlag `help:"${help_version}"`
}

// command runs the command that args name, and returns the exit code.
func command(ctx context.Context, p *process, args []string) int {
	done := false
	parser := newParser(ctx, new(grammar), p, func(int) { done = true })
	if len(args) == 0 {
		_, _ = parser.Parse([]string{"--help"})
		return exitError
	}
	parsed, err := parser.Parse(args)
	switch {
	case done: // the help or the version was printed
		return exitOK
	case err != nil:
		usageError(p, err)
		return exitError
	}
	if err := parsed.Run(); err != nil {
		p.fail(err)
		return exitError
	}
	return exitOK
}

// newParser makes the parser that fills g; exit is called when a flag such as
// --help has done all there was to do. The texts of the command line are in
// texts.go.
func newParser(ctx context.Context, g *grammar, p *process, exit func(int)) *kong.Kong {
	return kong.Must(g,
		kong.Name("kervan"),
		kong.Description(helpKervan),
		kong.Vars(helpTexts),
		kong.ExplicitGroups(helpGroups),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
		kong.Writers(p.messages, p.messages),
		kong.Exit(exit),
		kong.Bind(p),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
}

// usageError prints the help of the command that was meant, and what is wrong.
func usageError(p *process, err error) {
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil {
		_ = parse.Context.PrintUsage(false)
		p.messages.Printf("")
	}
	p.fail(err)
}

// fail prints an error, and each of several in a line of its own.
func (p *process) fail(err error) {
	var several problems
	if !errors.As(err, &several) || len(several) == 1 {
		p.messages.Printf("Error: %v", err)
		return
	}
	p.messages.Printf("Error: %s", textProblems)
	for _, problem := range several {
		p.messages.Printf("  %v", problem)
	}
}

// problems are all that keeps a command from starting.
type problems []error

func (p problems) Error() string {
	texts := make([]string, len(p))
	for i, err := range p {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

func (p *problems) add(err ...error) { *p = append(*p, err...) }

// A versionFlag prints the version.
type versionFlag bool

// BeforeReset is called by the parser when the flag is given.
func (versionFlag) BeforeReset(app *kong.Kong, p *process) error {
	_, _ = fmt.Fprintln(p.out, version())
	app.Exit(exitOK)
	return nil
}

// version is what the build knows of itself: the module's version, or the
// commit of a working copy.
func version() string {
	number := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		number = info.Main.Version
	}
	return fmt.Sprintf("kervan %s (%s, %s/%s)", number, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// A port is a TCP port; 0 is a free one.
type port uint16

// Decode reads a decimal number without a sign. What follows the flag is its
// value in any case, so that -1 is a bad port and not an unknown flag.
func (p *port) Decode(ctx *kong.DecodeContext) error {
	if token := ctx.Scan.Pop(); !token.IsEOL() {
		return p.parse(token.String())
	}
	return errPort
}

func (p *port) parse(s string) error {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil {
		return errPort
	}
	*p = port(n)
	return nil
}
