package spec

import (
	"time"

	"github.com/kervan-mcp/kervan/internal/httptool"
)

// An Event is something that happened in a call, for metrics and tests. The
// types of this package named …Event are all there are. No event carries paths,
// arguments, results or secrets.
type Event interface{ event() }

// An Outcome says how the upstream request of a call ended.
type Outcome string

// The outcomes. Every call has exactly one of them.
const (
	OutcomeOK        = Outcome(httptool.OutcomeOK)        // the response became a result
	OutcomeRefused   = Outcome(httptool.OutcomeRefused)   // too many calls in a minute or at once
	OutcomeLimiter   = Outcome(httptool.OutcomeLimiter)   // the shared limiter failed, so the call was refused
	OutcomeInvalid   = Outcome(httptool.OutcomeInvalid)   // no request can be built of these arguments
	OutcomeSecret    = Outcome(httptool.OutcomeSecret)    // a secret is missing or may not go to the host
	OutcomeBlocked   = Outcome(httptool.OutcomeBlocked)   // an address or a redirect was refused
	OutcomeFailed    = Outcome(httptool.OutcomeFailed)    // the network failed
	OutcomeStatus    = Outcome(httptool.OutcomeStatus)    // the response is no success
	OutcomeResponse  = Outcome(httptool.OutcomeResponse)  // the response is too large or cannot be read
	OutcomeSelect    = Outcome(httptool.OutcomeSelect)    // the expression failed
	OutcomeOutput    = Outcome(httptool.OutcomeOutput)    // the output does not fit its schema or its limit
	OutcomeTimeout   = Outcome(httptool.OutcomeTimeout)   // timeoutMs passed first
	OutcomeCancelled = Outcome(httptool.OutcomeCancelled) // the client left first
	OutcomeFault     = Outcome(httptool.OutcomeFault)     // a fault of the program, a panic included
)

// An UpstreamEvent ends the upstream request of a call, sent or not.
type UpstreamEvent struct {
	Tool     string
	Host     string // host:port of the tool
	Status   int    // of the last response; 0: none came
	Bytes    int64  // of its body, decoded
	Duration time.Duration
	Outcome  Outcome
}

// A RedactionEvent says that an upstream showed secrets, which were taken out.
type RedactionEvent struct {
	Tool  string
	Host  string // host:port of the tool
	Count int
}

func (UpstreamEvent) event()  {}
func (RedactionEvent) event() {}

// sendEvents tells of a call that ended.
func sendEvents(sink func(Event), e httptool.Event) {
	sink(UpstreamEvent{
		Tool: e.Tool, Host: e.Host, Status: e.Status, Bytes: e.Bytes, Duration: e.Duration, Outcome: Outcome(e.Outcome),
	})
	if e.Redactions > 0 {
		sink(RedactionEvent{Tool: e.Tool, Host: e.Host, Count: e.Redactions})
	}
}
