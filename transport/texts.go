package transport

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// What people read of this package. Every error is one line.
var (
	errNoApp       = errors.New("cannot serve: the app is nil")
	errBothFlags   = errors.New("cannot serve: --http and --stdio exclude each other; give one of them")
	errBothOptions = errors.New("cannot serve: the options choose two transports; give one of them")
	errNilIO       = errors.New("cannot serve over stdio: WithIO needs a reader and a writer")
	errNilOption   = errors.New("cannot serve: an option is nil")
	errStdioTaken  = errors.New("cannot serve over stdio: the process's standard input and output are being served already; give the other one its own with WithIO")
	errTwiceFlags  = errors.New("cannot serve: BindFlags is given twice")
)

func badTransport(s string) error {
	return fmt.Errorf("cannot serve: %s is %q; set it to stdio or http, or leave it out", envTransport, s)
}

func badOption(name string, value any) error {
	return fmt.Errorf("cannot serve: %s is %v; it must be positive", name, value)
}

func stdioError(what string, err error) error {
	return fmt.Errorf("cannot serve over stdio: %s: %s", what, strings.ReplaceAll(err.Error(), "\n", "; "))
}

// waitingText is what someone sees who starts a server in a terminal.
func waitingText() string {
	return "Waiting for an MCP client on standard input. To look around: npx @modelcontextprotocol/inspector " +
		commandLine(os.Args) + "  (Ctrl-C stops)\n"
}

// commandLine returns the arguments as they may be typed again.
func commandLine(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		if words[i] = a; a == "" || strings.ContainsFunc(a, needsQuotes) {
			words[i] = strconv.Quote(a)
		}
	}
	return strings.Join(words, " ")
}

func needsQuotes(r rune) bool {
	return r <= ' ' || r > '~' || strings.ContainsRune("\"'\\$`&|;<>()*?[]{}!#", r)
}
