package httptool

import (
	"time"
)

// An Outcome says how a call ended.
type Outcome string

// The outcomes of a call. Every call has exactly one of them.
const (
	OutcomeOK        Outcome = "ok"
	OutcomeRefused   Outcome = "refused"         // too many calls in a minute or at once
	OutcomeLimiter   Outcome = "limiter_failed"  // the limiter could not be asked, so the call was refused
	OutcomeInvalid   Outcome = "invalid"         // the request cannot be built of these arguments
	OutcomeSecret    Outcome = "secret"          // a secret is missing, not usable, or may not go to the host
	OutcomeBlocked   Outcome = "blocked"         // an address or a redirect was refused
	OutcomeFailed    Outcome = "failed"          // the network failed
	OutcomeStatus    Outcome = "upstream_status" // the response is no success
	OutcomeResponse  Outcome = "bad_response"    // the response is too large or cannot be read
	OutcomeSelect    Outcome = "select_failed"   // the expression failed
	OutcomeOutput    Outcome = "bad_output"      // the output has the wrong form, or cannot be cut
	OutcomeTimeout   Outcome = "timeout"         // the time was up first
	OutcomeCancelled Outcome = "cancelled"       // the caller left first
	OutcomeFault     Outcome = "fault"           // a fault of the program, a panic included
)

// An Event ends every call. It holds nothing that an argument, a secret or an
// upstream could have put into it.
type Event struct {
	Tool       string
	Host       string // host:port of the tool
	Status     int    // of the last response; 0: there was none
	Bytes      int64  // of the body, decoded
	Duration   time.Duration
	Redactions int // in the body and in the output
	Outcome    Outcome
}

// report sends the event of a call. A sink that panics fails no call.
func (c *call) report() {
	if c.rt.Events == nil {
		return
	}
	defer func() { _ = recover() }()
	c.rt.Events(Event{
		Tool:       c.tool.Name,
		Host:       c.tool.ownHost(),
		Status:     c.status,
		Bytes:      c.bytes,
		Duration:   time.Since(c.start),
		Redactions: c.redactions,
		Outcome:    c.outcome,
	})
}
