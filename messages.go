package kervan

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kervan-mcp/kervan/internal/schema"
)

// Every text of this package that a client or a model reads stands here.

const textInternal = "internal error"

const (
	maxViolations = 10  // listed one by one; the rest is a count
	maxNameInText = 128 // runes of a name that a client sent
)

func textMasked(tool, ref string) string {
	return fmt.Sprintf("Internal error in tool %q (ref: %s)", tool, ref)
}

func textTimeout(tool string, d time.Duration) string {
	return fmt.Sprintf("Tool %q timed out after %d ms.", tool, d.Milliseconds())
}

func textCancelled(tool string) string {
	return fmt.Sprintf("Tool %q was cancelled.", tool)
}

func textOverloaded(tool string) string {
	return fmt.Sprintf("Tool %q is refused for now: %d earlier calls of it are still running after they timed out or were cancelled. Try again later.", tool, maxAbandoned)
}

func textScopes(tool string, missing []string) string {
	return fmt.Sprintf("Tool %q needs the scope %s, which this caller does not have.", tool, quoteList(missing, len(missing)))
}

// textInvalidInput is the report a model gets for arguments it must correct.
func textInvalidInput(tool string, violations []schema.Violation) string {
	return report(fmt.Sprintf("Input validation error: the arguments of %q were refused", tool), violations)
}

// textInvalidOutput says that the tool, not the caller, broke its schema.
func textInvalidOutput(tool string, violations []schema.Violation) string {
	return report(fmt.Sprintf("Output validation error: the result of %q does not fit its output schema, which is a fault of the tool", tool), violations)
}

func textMissingOutput(tool string) string {
	return fmt.Sprintf("Output validation error: tool %q declares an output schema but returned no structured content, which is a fault of the tool.", tool)
}

func report(head string, violations []schema.Violation) string {
	var b strings.Builder
	b.WriteString(head)
	if n := len(violations); n == 1 {
		b.WriteString(":")
	} else {
		fmt.Fprintf(&b, " (%d problems):", n)
	}
	for i, v := range violations {
		if i == maxViolations {
			fmt.Fprintf(&b, "\n- and %d more", len(violations)-maxViolations)
			break
		}
		b.WriteString("\n- ")
		if v.Pointer != "" {
			b.WriteString(clip(v.Pointer, 200))
			b.WriteString(": ")
		}
		b.WriteString(v.Message)
	}
	return b.String()
}

func textUnknownTool(name string, near []string) string {
	s := fmt.Sprintf("Unknown tool %q.", clip(name, maxNameInText))
	if len(near) > 0 {
		s += " Did you mean " + quoteList(near, 3) + "?"
	}
	return s
}

const (
	textInvalidParams = "Invalid params: there is no such prompt or resource, or an argument is missing or wrong."
	textCannotAsk     = "This server keeps no sessions, so it can ask only clients of protocol 2026-07-28 for the input that this tool needs."
	textBadCursor     = "Invalid cursor: use the nextCursor of an earlier answer, or none."
	textBadState      = "Invalid requestState: it is unknown, expired, or of another call. Call the tool again without it."
)

func textMissingCapability(names []string) string {
	return "The client lacks a capability that this tool needs: " + strings.Join(names, ", ") + "."
}

func textMaskedMethod(method, ref string) string {
	return fmt.Sprintf("Internal error in %s (ref: %s)", method, ref)
}

func textMethodTimeout(method string, d time.Duration) string {
	return fmt.Sprintf("%s timed out after %d ms.", method, d.Milliseconds())
}

// quoteList writes at most limit quoted names and a count of the others.
func quoteList(names []string, limit int) string {
	var b strings.Builder
	for i, n := range names {
		if i == limit {
			fmt.Fprintf(&b, " and %d more", len(names)-limit)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", clip(n, maxNameInText))
	}
	return b.String()
}

// clip cuts s after limit runes and makes invisible characters visible.
func clip(s string, limit int) string {
	if utf8.RuneCountInString(s) > limit {
		s = string([]rune(s)[:limit]) + "…"
	}
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return strings.Map(func(r rune) rune {
				if r == utf8.RuneError || !unicode.IsPrint(r) {
					return '\uFFFD'
				}
				return r
			}, s)
		}
	}
	return s
}
