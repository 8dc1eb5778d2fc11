package sandbox

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Every text of this package that a person or a model reads stands here.

const (
	textClosed         = "select is shut down"
	textMemory         = "the expression needs more memory on this data than select may use; select less, or a smaller document"
	textCrashed        = "the process that evaluated the expression ended; probably the expression needs too much memory, or nests too deeply, on this data"
	textLongExpression = "the expression is longer than 1,000 characters"
	textNoMessage      = "the expression cannot be evaluated on this data"
	textCureProcess    = "set sandbox.Options.ProcessOnly to accept a separate process with less protection"
	textCureImport     = `if a package of this program fails when it is initialised without environment variables, add to it: import _ "github.com/kervan-mcp/kervan/sandbox"`
	textNotExecutable  = "this is a shared library or a plugin, which cannot be started as a process of its own"
	textReplaced       = "the file of the running program was replaced; restart the program"
)

// What a call was doing when its context ended.
const (
	doingWaiting    = "waiting for a process to evaluate the expression"
	doingEvaluating = "evaluating the expression"
)

func textTimeout(doing string) string { return "the time ran out while " + doing }

func textCancelled(doing string) string { return "cancelled while " + doing }

func textInputTooLarge(size, limit int) string {
	return fmt.Sprintf("the data is too large for select: %d bytes, at most %d", size, limit)
}

// textUnavailable says why no process starts, and what helps.
func textUnavailable(problem, cure string) string {
	text := "expressions cannot be evaluated: " + problem
	if cure != "" {
		text += "; " + cure
	}
	return text
}

func textRefusedLayer(m measure) string {
	return fmt.Sprintf("the system does not let the select process be locked down: no %s (%s)", m.Layer, m.Problem)
}

func textStartTimeout(d time.Duration, said string) string {
	return withSaid(fmt.Sprintf("the select process was not ready after %v", d), said)
}

func textStartFailed(problem, said string) string {
	return withSaid(fmt.Sprintf("the select process did not start (%s)", problem), said)
}

func textNoStart(err error) string {
	return fmt.Sprintf("the select process cannot be started: %v", err)
}

// maxSaid is how much of what a process wrote to its standard error is shown.
const maxSaid = 400

// withSaid adds the part of a failed process's standard error that says most: from
// its panic on, or else the end.
func withSaid(text, said string) string {
	from := max(len(said)-maxSaid, 0)
	for _, start := range []string{"panic: ", "fatal error: "} {
		if i := strings.Index(said, start); i >= 0 {
			from = i
			break
		}
	}
	said = oneLine(said[from:], maxSaid)
	if said == "" {
		return text
	}
	return text + ": " + said
}

// withHint joins what is wrong and what to write instead.
func withHint(message, hint string) string {
	if hint == "" {
		return message
	}
	return message + "; " + hint
}

// oneLine returns at most limit bytes of s as one line of printable text.
func oneLine(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	return strings.ToValidUTF8(s[:min(len(s), limit)], "")
}
