package sandbox

import (
	"context"
	"errors"
)

// A Kind tells why a call of [Pool.Select] failed.
type Kind string

// The kinds of errors.
const (
	// KindInvalidExpression: the expression is not JMESPath, or is refused for what
	// it would do. [Compile] finds such expressions beforehand.
	KindInvalidExpression Kind = "invalid expression"
	// KindEvaluation: the expression does not fit the data, or the data is not JSON.
	KindEvaluation Kind = "evaluation error"
	// KindTooLarge: the data or the result is larger than the pool's limits, or the
	// evaluation needed more memory than a process may use.
	KindTooLarge Kind = "too large"
	// KindTimeout: the deadline passed, while the call waited for a process or while
	// it was evaluated.
	KindTimeout Kind = "timeout"
	// KindCancelled: the context was cancelled.
	KindCancelled Kind = "cancelled"
	// KindCrashed: the process ended during the call.
	KindCrashed Kind = "crashed"
	// KindUnavailable: no process can be started.
	KindUnavailable Kind = "unavailable"
	// KindClosed: the pool is closed.
	KindClosed Kind = "closed"
)

// An Error is the error of [Pool.Select]. It names the problem and never shows
// data. For KindTimeout and KindCancelled, [errors.Is] finds
// [context.DeadlineExceeded] and [context.Canceled].
type Error struct {
	Kind    Kind
	Message string

	cause error
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the context's error of a call that timed out or was cancelled.
func (e *Error) Unwrap() error { return e.cause }

// fail returns an error without a cause.
func fail(kind Kind, message string) *Error { return &Error{Kind: kind, Message: message} }

// contextError is the error of a call whose context ended while it was doing
// something.
func contextError(ctx context.Context, doing string) *Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return timedOut(doing)
	}
	return &Error{Kind: KindCancelled, Message: textCancelled(doing), cause: context.Canceled}
}

func timedOut(doing string) *Error {
	return &Error{Kind: KindTimeout, Message: textTimeout(doing), cause: context.DeadlineExceeded}
}

// An ExpressionError is the error of [Compile].
type ExpressionError struct {
	// Message says what is wrong.
	Message string
	// Hint says what to write instead; it may be empty.
	Hint string
	// Offset is where in the expression, in bytes from its beginning, or -1 if the
	// problem has no one place.
	Offset int
}

// Error returns the message and the hint.
func (e *ExpressionError) Error() string { return withHint(e.Message, e.Hint) }
