package kervan

import (
	"net"
	"time"
)

// An Event is something that happened in an app, for metrics and tests. The
// types of this package named …Event are all there are. No event carries
// arguments or results.
type Event interface{ event() }

// An Outcome says how a call ended.
type Outcome string

// The outcomes of a call. Every call ends in exactly one of them.
const (
	OutcomeOK            Outcome = "ok"
	OutcomeToolError     Outcome = "tool_error"     // a ToolError, or a result that says isError
	OutcomeRefused       Outcome = "refused"        // the arguments broke the input schema
	OutcomeBadOutput     Outcome = "bad_output"     // the result broke the output schema
	OutcomeMasked        Outcome = "masked"         // any other error, or a panic
	OutcomeTimeout       Outcome = "timeout"        // the deadline passed first
	OutcomeCancelled     Outcome = "cancelled"      // the client cancelled first
	OutcomeUnknownTool   Outcome = "unknown_tool"   // no such tool for this caller
	OutcomeInputRequired Outcome = "input_required" // an interim result
	OutcomeRejected      Outcome = "rejected"       // not begun: a missing scope or client capability, a bad request state, too many abandoned handlers
)

// A CallEvent ends every tools/call.
type CallEvent struct {
	Tool      string
	RequestID string
	Outcome   Outcome
	Duration  time.Duration
	Ref       string // of a masked error
	Problems  int    // how many violations, if the arguments or the result broke their schema
}

// A MaskedEvent carries an error that a client saw only as a reference.
type MaskedEvent struct {
	Tool string // the method, for a prompt or resource
	Ref  string
	Err  error
}

// A RepairEvent says what was changed in arguments before validation: nulls
// that counted as not given, and strings that were decoded because of
// [WithArgumentRepair]. The elements are JSON Pointers.
type RepairEvent struct {
	Tool     string
	Nulls    []string
	Repaired []string
}

// A LateEvent says that a handler ended after its call had been answered, or
// was not begun any more because the call's time was up.
type LateEvent struct {
	Tool string
	Err  error // nil if it succeeded
}

// A RegistryEvent says that the tools of a registry changed.
type RegistryEvent struct {
	Tools       int  // how many there are now
	ListChanged bool // whether the list differs, so that clients are told
}

// A DefinitionEvent tells of a definition what App.Err does not: an error
// that came after the app was first served, or a Go type whose schema admits
// anything, because it has MarshalJSON or UnmarshalJSON and no JSONSchema
// method.
type DefinitionEvent struct {
	Tool       string
	Err        error  // nil for an opaque type
	OpaqueType string // empty for an error
}

// A TransportEvent comes from what serves the app: it listens, or the limiter
// that processes share has failed and each limits by itself meanwhile.
type TransportEvent struct {
	Listening net.Addr // nil for a failed limiter
	Limiter   error    // at most one a minute
}

func (TransportEvent) event()  {}
func (CallEvent) event()       {}
func (MaskedEvent) event()     {}
func (RepairEvent) event()     {}
func (LateEvent) event()       {}
func (RegistryEvent) event()   {}
func (DefinitionEvent) event() {}
