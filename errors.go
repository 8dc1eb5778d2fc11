package kervan

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// An ErrorCode names a kind of [DefinitionError].
type ErrorCode string

// The codes of definition errors.
const (
	InvalidAppOptions   ErrorCode = "INVALID_APP_OPTIONS"
	InvalidToolName     ErrorCode = "INVALID_TOOL_NAME"
	MissingDescription  ErrorCode = "MISSING_DESCRIPTION"
	InvalidInputSchema  ErrorCode = "INVALID_INPUT_SCHEMA"
	InvalidOutputSchema ErrorCode = "INVALID_OUTPUT_SCHEMA"
	InvalidHandler      ErrorCode = "INVALID_HANDLER"
	InvalidTimeout      ErrorCode = "INVALID_TIMEOUT"
	InvalidMiddleware   ErrorCode = "INVALID_MIDDLEWARE"
	DuplicateTool       ErrorCode = "DUPLICATE_TOOL"
	UnknownTool         ErrorCode = "UNKNOWN_TOOL"
	DefinitionInUse     ErrorCode = "DEFINITION_IN_USE"
)

// A DefinitionError is a mistake in how an app or a tool is defined. It is
// found when the definition is registered, never during a call.
type DefinitionError struct {
	Code    ErrorCode
	Tool    string // the tool's name; empty for the app itself
	Message string // what is wrong: lower case, no final period
	Hint    string // what to do about it
	Err     error  // the cause, if any
}

// Error returns the code in square brackets, the tool, what is wrong, and
// what to do, on one line.
func (e *DefinitionError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s] ", e.Code)
	if e.Tool != "" {
		fmt.Fprintf(&b, "tool %q: ", clip(e.Tool, maxNameInText))
	}
	b.WriteString(e.Message)
	if e.Hint != "" {
		b.WriteString("; ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

// Unwrap returns the cause, or nil.
func (e *DefinitionError) Unwrap() error { return e.Err }

// Is reports whether target is a *DefinitionError of the same code, so that
// errors.Is(err, &kervan.DefinitionError{Code: kervan.DuplicateTool}) asks
// for a kind.
func (e *DefinitionError) Is(target error) bool {
	t, ok := target.(*DefinitionError)
	return ok && t.Code == e.Code && (t.Tool == "" || t.Tool == e.Tool)
}

// A ToolError is the only error whose text reaches a client, and a client
// sees exactly its own message: never the text of what it wraps, nor of what
// wraps it. Make one with [ToolErrorf]. It is immutable, so a package-level
// ToolError may be returned by many calls at once.
type ToolError struct {
	message string
	cause   error   // for the log and for errors.Is/As
	hidden  []error // errors given as arguments: for the log only
	origin  *ToolError
}

// ToolErrorf makes the error that tells a model what went wrong and what to
// do instead. It prints like [fmt.Sprintf]; %w is refused by go vet, because
// a wrapped text would reach the client. An argument that is, or contains, an
// error that is not a *ToolError prints as "internal error", and its own text
// goes to the log.
func ToolErrorf(format string, args ...any) *ToolError {
	if false {
		_ = fmt.Sprintf(format, args...) // lets go vet check the calls of this function
	}
	e := &ToolError{}
	safe := make([]any, len(args))
	for i, arg := range args {
		safe[i] = e.publish(arg)
	}
	e.message = fmt.Sprintf(format, safe...)
	return e
}

// publish returns what may be printed for arg.
func (e *ToolError) publish(arg any) any {
	switch arg := arg.(type) {
	case *ToolError:
		if arg == nil {
			return "<nil>"
		}
		e.hidden = append(e.hidden, arg.hidden...)
		if arg.cause != nil {
			e.hidden = append(e.hidden, arg.cause)
		}
		return arg.message
	case error:
		e.hidden = append(e.hidden, arg)
		return textInternal
	}
	if holdsError(reflect.ValueOf(arg), 0) {
		e.hidden = append(e.hidden, fmt.Errorf("%v", arg))
		return textInternal
	}
	return arg
}

// Error returns the message that a client sees.
func (e *ToolError) Error() string {
	if e == nil {
		return "<nil>"
	}
	return e.message
}

// WithCause returns a copy of e with a cause, which errors.Is and errors.As
// find and the log shows, and a client never sees.
func (e *ToolError) WithCause(err error) *ToolError {
	c := *e
	c.cause = err
	c.origin = e.root()
	return &c
}

// Unwrap returns the cause, or nil.
func (e *ToolError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.cause
}

// Is reports whether target is the error that e was made from by WithCause.
func (e *ToolError) Is(target error) bool {
	t, ok := target.(*ToolError)
	return ok && t != nil && e != nil && e.root() == t.root()
}

func (e *ToolError) root() *ToolError {
	if e.origin != nil {
		return e.origin
	}
	return e
}

// private returns what the log shows of e beyond its message.
func (e *ToolError) private() error {
	errs := e.hidden
	if e.cause != nil {
		errs = append([]error{e.cause}, errs...)
	}
	return errors.Join(errs...)
}

var errorType = reflect.TypeFor[error]()

// maxErrorDepth bounds the search for errors inside a printed value; fmt
// itself prints deeper pointers as addresses.
const maxErrorDepth = 8

// holdsError reports whether printing v would print an error's text.
func holdsError(v reflect.Value, depth int) bool {
	if !v.IsValid() || depth > maxErrorDepth {
		return depth > maxErrorDepth
	}
	if depth > 0 && v.Type().Implements(errorType) {
		return v.Kind() != reflect.Interface || !v.IsNil()
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return !v.IsNil() && holdsError(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		if isPlain(v.Type().Elem()) {
			return false
		}
		for i := range v.Len() {
			if holdsError(v.Index(i), depth+1) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if holdsError(v.Field(i), depth+1) {
				return true
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if holdsError(it.Key(), depth+1) || holdsError(it.Value(), depth+1) {
				return true
			}
		}
	}
	return false
}

// isPlain reports whether values of t cannot hold an error.
func isPlain(t reflect.Type) bool {
	return t.Kind() <= reflect.Complex128 && !t.Implements(errorType) ||
		t.Kind() == reflect.String && !t.Implements(errorType)
}
