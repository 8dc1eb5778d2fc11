package kervan

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/kervan-mcp/kervan/internal/schema"
)

// newRef makes the eight hex digits that join what a client sees to a log
// line (rule 1.12).
func newRef() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return hex.EncodeToString(b[:])
}

// mask logs err, with its stack if it was a panic, and returns the reference
// by which the log line is found.
func (a *App) mask(tool, requestID string, err error) string {
	ref := newRef()
	args := []any{"tool", tool, "ref", ref, "request", requestID, "error", errorText(err)}
	if p := find[*panicError](err); p != nil && p.stack != nil {
		args = append(args, "stack", string(p.stack))
	}
	a.settings.logger.Error("an internal error was masked", args...)
	a.emit(MaskedEvent{Tool: tool, Ref: ref, Err: err})
	return ref
}

// logHidden logs what a ToolError keeps from the client, if anything.
func (a *App) logHidden(tool, requestID string, te *ToolError, err error) {
	private := te.private()
	if private == nil && err == error(te) {
		return
	}
	// A message may hold arguments, which are not logged.
	around := errorText(err)
	if te.message != "" {
		around = strings.ReplaceAll(around, te.message, "…")
	}
	args := []any{"tool", tool, "request", requestID}
	if around != "…" {
		args = append(args, "around", around)
	}
	a.settings.logger.Warn("a tool error keeps details from the client", append(args, "cause", errorText(private))...)
}

// late tells what a handler ended with after its call had been answered.
func (a *App) late(call *Call, err error) {
	a.emit(LateEvent{Tool: call.tool, Err: err})
	if err == nil || is(err, context.Canceled) || is(err, context.DeadlineExceeded) || is(err, errTimedOut) {
		return
	}
	args := []any{"tool", call.tool, "request", call.from.id, "error", errorText(err)}
	if p := find[*panicError](err); p != nil && p.stack != nil {
		args = append(args, "stack", string(p.stack))
	}
	a.settings.logger.Warn("a handler failed after its call had ended", args...)
}

func (a *App) logViolations(call *Call, violations []schema.Violation) {
	pointers := make([]string, 0, maxViolations)
	for _, v := range violations[:min(len(violations), maxViolations)] {
		pointers = append(pointers, v.Pointer)
	}
	a.settings.logger.Error("a result breaks its tool's output schema",
		"tool", call.tool, "request", call.from.id, "violations", len(violations), "pointers", pointers)
}

// find is errors.As, for errors whose methods are user code and may panic. A
// nil pointer counts as not found.
func find[E error](err error) (found E) {
	defer func() {
		if recover() != nil {
			var none E
			found = none
		}
	}()
	errors.As(err, &found)
	return found
}

// is is errors.Is, for errors whose methods are user code and may panic.
func is(err, target error) (yes bool) {
	defer func() {
		if recover() != nil {
			yes = false
		}
	}()
	return errors.Is(err, target)
}

// errorText is err.Error(), which may be user code that panics.
func errorText(err error) (s string) {
	if err == nil {
		return ""
	}
	defer func() {
		if recover() != nil {
			s = fmt.Sprintf("an error of type %T that cannot be printed", err)
		}
	}()
	return err.Error()
}

// emit gives e to the sink of WithEvents.
func (a *App) emit(e Event) {
	if a.settings.sink == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			a.settings.logger.Error("the event sink panicked", "event", fmt.Sprintf("%T", e), "error", errorText(&panicError{value: v}))
		}
	}()
	a.settings.sink(e)
}
