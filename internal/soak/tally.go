package main

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/kervan-mcp/kervan"
)

// outcomes are those that calls of the soak can have.
var outcomes = []kervan.Outcome{
	kervan.OutcomeOK, kervan.OutcomeRefused, kervan.OutcomeToolError, kervan.OutcomeMasked, kervan.OutcomeBadOutput,
	kervan.OutcomeTimeout, kervan.OutcomeUnknownTool, kervan.OutcomeCancelled,
}

// A tally counts what clients and server saw of the calls.
type tally struct {
	sent    []atomic.Int64 // by kind
	ended   []atomic.Int64 // by outcome: the answers, and what clients cancelled
	seen    []atomic.Int64 // by outcome: the events
	strange atomic.Int64   // events of other outcomes
	perCall []atomic.Int32 // events of each call that has a number
	dropped []atomic.Bool  // the numbered calls that were given up at once

	masked    atomic.Int64 // masked events
	late      atomic.Int64 // late events of stubborn
	wentOn    atomic.Int64 // handlers of stubborn that ended
	noticed   atomic.Int64 // cancellations that the handler noticed
	told      atomic.Int64 // registry events that clients were told of
	changed   atomic.Int64 // changes of the tools
	lists     atomic.Int64 // lists that were answered
	sdk       atomic.Int64 // calls of the SDK's client
	reconnect atomic.Int64 // sessions of the SDK's client

	mu       sync.Mutex
	problems []string
	failures int
}

func newTally(calls int) *tally {
	return &tally{
		sent:  make([]atomic.Int64, len(kinds)),
		ended: make([]atomic.Int64, len(outcomes)),
		seen:  make([]atomic.Int64, len(outcomes)),
		// Ids begin at 1.
		perCall: make([]atomic.Int32, calls+1),
		dropped: make([]atomic.Bool, calls+1),
	}
}

func indexOf[T comparable](all []T, one T) int {
	for i, v := range all {
		if v == one {
			return i
		}
	}
	return -1
}

// idPrefix tells the ids of the numbered calls from those that the SDK makes.
const idPrefix = "call-"

// event is the app's sink.
func (t *tally) event(e kervan.Event) {
	switch e := e.(type) {
	case kervan.CallEvent:
		if i := indexOf(outcomes, e.Outcome); i >= 0 {
			t.seen[i].Add(1)
		} else {
			t.strange.Add(1)
			t.fail("an event has the outcome %q", e.Outcome)
		}
		if number, ok := strings.CutPrefix(e.RequestID, idPrefix); ok {
			if n, err := strconv.Atoi(number); err == nil && n < len(t.perCall) {
				t.perCall[n].Add(1)
			}
		}
	case kervan.MaskedEvent:
		t.masked.Add(1)
	case kervan.LateEvent:
		if e.Tool == stubborn.tool {
			t.late.Add(1)
		}
	case kervan.RegistryEvent:
		if e.ListChanged {
			t.told.Add(1)
		}
	}
}

// end counts how a call ended for its client.
func (t *tally) end(k *kind, outcome kervan.Outcome) error {
	if indexOf(k.ends, outcome) < 0 {
		return fmt.Errorf("%s: it ended with %q, not with %q", k.name, outcome, k.ends)
	}
	t.ended[indexOf(outcomes, outcome)].Add(1)
	return nil
}

// drops counts the calls that were given up at once, and those of them that began
// nevertheless: a client may be gone before the server has read its call.
func (t *tally) drops() (all, begun int64) {
	for i := range t.dropped {
		if t.dropped[i].Load() {
			all++
			begun += int64(min(1, t.perCall[i].Load()))
		}
	}
	return all, begun
}

// fail keeps the first problems and counts all.
func (t *tally) fail(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failures++; len(t.problems) < 10 {
		t.problems = append(t.problems, fmt.Sprintf(format, args...))
	}
}

// sum adds counters up.
func sum(counters []atomic.Int64) int64 {
	var total int64
	for i := range counters {
		total += counters[i].Load()
	}
	return total
}
