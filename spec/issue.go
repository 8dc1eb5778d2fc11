package spec

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A Severity says whether an [Issue] stops the file from being loaded.
type Severity int

// The severities.
const (
	SeverityError   Severity = iota // the file does not load
	SeverityWarning                 // it loads, but probably not as it was meant
	SeverityNote                    // about the other issues
)

// String returns error, warning or note.
func (s Severity) String() string {
	switch s {
	case SeverityError:
		return "error"
	case SeverityWarning:
		return "warning"
	}
	return "note"
}

// An Issue is something wrong with a file, and where. Its texts hold no
// control characters, whatever the file holds.
type Issue struct {
	// Path leads to the value: tools[0].http.url. It is empty for the whole
	// file.
	Path string
	// Message says what is wrong and what to write: lower case, no final
	// period, one line.
	Message string
	// Line and Column count from 1, the column in characters. They are 0
	// where no place in the file is meant.
	Line, Column int
	Severity     Severity
}

// String returns the path and the message: "tools[0].http.url: …".
func (i Issue) String() string {
	if i.Path == "" {
		return i.Message
	}
	return i.Path + ": " + i.Message
}

// in is String with the file and the place in front, as editors and terminals
// link it.
func (i Issue) in(file string) string {
	where := visible(file)
	if i.Line > 0 {
		where += ":" + strconv.Itoa(i.Line) + ":" + strconv.Itoa(i.Column)
	}
	message := i.Message
	if i.Severity != SeverityError {
		message = i.Severity.String() + ": " + message
	}
	if i.Path == "" {
		return where + ": " + message
	}
	return where + " " + i.Path + ": " + message
}

// A LoadError holds everything that is wrong with a file, as far as the checks
// came.
type LoadError struct {
	File   string  // as errors show it: [Options].Name, or the path of LoadFile and LoadFS
	Issues []Issue // in the order of the file; the first ones if there are very many
}

// Error returns one line for each issue:
//
//	kervan.yaml:12:5 tools[0].http.url: …
func (e *LoadError) Error() string {
	lines := make([]string, len(e.Issues))
	for i, issue := range e.Issues {
		lines[i] = issue.in(e.File)
	}
	return strings.Join(lines, "\n")
}

// maxIssues is how many problems are reported one by one.
const maxIssues = 100

// issues collects what a stage finds.
type issues struct {
	list    []Issue
	dropped int
	errors  int
}

// add reports a problem of n.
func (s *issues) add(n *node, message string) {
	s.put(SeverityError, n, n.line, n.column, message)
}

// addName reports a problem of a member's name, at the object that holds it.
func (s *issues) addName(object *node, m member, message string) {
	s.put(SeverityError, object, m.line, m.column, message)
}

// warn reports what may be meant so.
func (s *issues) warn(n *node, message string) {
	s.put(SeverityWarning, n, n.line, n.column, message)
}

func (s *issues) put(severity Severity, n *node, line, column int, message string) {
	if severity == SeverityError {
		s.errors++
	}
	if len(s.list) == maxIssues {
		s.dropped++
		return
	}
	s.list = append(s.list, Issue{Path: n.path(), Line: line, Column: column, Severity: severity, Message: message})
}

// sorted returns the issues in the order of the file.
func (s *issues) sorted() []Issue {
	slices.SortStableFunc(s.list, func(a, b Issue) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if s.dropped > 0 {
		return append(s.list, Issue{Message: textMoreIssues(s.dropped), Severity: SeverityNote})
	}
	return s.list
}
