package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/kervan-mcp/kervan"
)

// A kind is a sort of call.
type kind struct {
	name   string
	weight int // of 100 calls
	tool   string
	// arguments makes them, and check sees that an answer is theirs.
	arguments func(r *rand.Rand) string
	check     func(arguments string, a *answer) error
	// ends are the outcomes that are right.
	ends []kervan.Outcome
	// cancel closes the connection once the handler runs, drop at once.
	cancel, drop bool
	progress     bool
}

func fixed(arguments string) func(*rand.Rand) string {
	return func(*rand.Rand) string { return arguments }
}

func ends(outcomes ...kervan.Outcome) []kervan.Outcome { return outcomes }

// kinds are what is called, in the order of the table.
var kinds = []*kind{
	{name: "good", weight: 36, tool: "add", ends: ends(kervan.OutcomeOK), arguments: twoNumbers, check: checkSum},
	{name: "good, list", weight: 10, tool: "total", ends: ends(kervan.OutcomeOK), arguments: someItems, check: checkTotal},
	{name: "with progress", weight: 5, tool: "steps", ends: ends(kervan.OutcomeOK), arguments: fixed(`{}`), progress: true},
	{name: "refused", weight: 12, tool: "add", ends: ends(kervan.OutcomeRefused), arguments: wrongNumbers},
	{name: "tool error", weight: 5, tool: "fail", ends: ends(kervan.OutcomeToolError), arguments: fixed(`{}`)},
	{name: "masked", weight: 3, tool: "break", ends: ends(kervan.OutcomeMasked), arguments: fixed(`{}`), check: checkMasked},
	{name: "panicking", weight: 5, tool: "crash", ends: ends(kervan.OutcomeMasked), arguments: fixed(`{}`), check: checkMasked},
	{name: "bad output", weight: 2, tool: "total", ends: ends(kervan.OutcomeBadOutput), arguments: fixed(`{"items":[{"name":"a","quantity":1001}]}`)},
	{name: "timed out", weight: 3, tool: "slow", ends: ends(kervan.OutcomeTimeout), arguments: fixed(`{}`)},
	stubborn,
	{name: "unknown tool", weight: 3, tool: "nothing", ends: ends(kervan.OutcomeUnknownTool), arguments: fixed(`{}`)},
	{name: "changing tool", weight: 8, tool: "flip", ends: ends(kervan.OutcomeOK, kervan.OutcomeUnknownTool), arguments: fixed(`{}`)},
	cancelled,
	{name: "cancelled at once", weight: 2, tool: "wait", ends: ends(kervan.OutcomeCancelled), cancel: true, drop: true},
}

// Kinds that are dealt with by themselves.
var (
	stubborn  = &kind{name: "timed out, goes on", weight: 2, tool: "stubborn", ends: ends(kervan.OutcomeTimeout), arguments: fixed(`{}`)}
	cancelled = &kind{name: "cancelled", weight: 4, tool: "wait", ends: ends(kervan.OutcomeCancelled), cancel: true}
)

// pick chooses a kind by weight.
func pick(r *rand.Rand) *kind {
	n := r.IntN(100)
	for _, k := range kinds {
		if n -= k.weight; n < 0 {
			return k
		}
	}
	panic("the weights do not add up to 100")
}

func twoNumbers(r *rand.Rand) string {
	return fmt.Sprintf(`{"a":%d,"b":%d}`, r.IntN(1_000_000), r.IntN(1_000_000))
}

// wrongNumbers are wrong in one of several ways.
func wrongNumbers(r *rand.Rand) string {
	return []string{
		`{"a":"1","b":2}`, `{"a":1}`, `{"a":1,"b":2,"c":3}`, `{"a":1.5,"b":2}`, `[1,2]`, `{"a":null,"b":1}`,
	}[r.IntN(6)]
}

func someItems(r *rand.Rand) string {
	in := totalIn{Items: []item{}}
	for i := range r.IntN(20) {
		in.Items = append(in.Items, item{fmt.Sprintf("item <%d> & more", i), 1 + r.IntN(40)})
	}
	encoded, _ := json.Marshal(in) // plain data
	return string(encoded)
}

func checkSum(arguments string, a *answer) error {
	var in addIn
	var out addOut
	if err := both(arguments, a, &in, &out); err != nil {
		return err
	}
	if out.Sum != in.A+in.B {
		return fmt.Errorf("%s adds up to %d", arguments, out.Sum)
	}
	return nil
}

func checkTotal(arguments string, a *answer) error {
	var in totalIn
	var out totalOut
	if err := both(arguments, a, &in, &out); err != nil {
		return err
	}
	want := 0
	for _, i := range in.Items {
		want += i.Quantity
	}
	if out.Total != want || len(out.Items) != len(in.Items) {
		return fmt.Errorf("%s adds up to %d of %d items", arguments, out.Total, len(out.Items))
	}
	return nil
}

func both(arguments string, a *answer, in, out any) error {
	if err := json.Unmarshal([]byte(arguments), in); err != nil {
		return err
	}
	return json.Unmarshal(a.Result.StructuredContent, out)
}

func checkMasked(_ string, a *answer) error {
	if text := a.text(); strings.Contains(text, errSecret.Error()) {
		return fmt.Errorf("a client sees %q", text)
	}
	return nil
}

// An answer is a JSON-RPC response to a tools/call.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Result *struct {
		Content           []struct{ Text string } `json:"content"`
		StructuredContent json.RawMessage         `json:"structuredContent"`
		IsError           bool                    `json:"isError"`
	} `json:"result"`
	Error *struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	} `json:"error"`

	progress int // notifications before it
}

func (a *answer) text() string {
	if a.Result == nil || len(a.Result.Content) == 0 {
		return ""
	}
	return a.Result.Content[0].Text
}

// outcome tells from the answer alone how the call ended, "" if it is like none.
func (a *answer) outcome() kervan.Outcome {
	switch {
	case a.Error != nil && a.Result == nil && a.Error.Code == -32602 && strings.HasPrefix(a.Error.Message, "Unknown tool"):
		return kervan.OutcomeUnknownTool
	case a.Error != nil || a.Result == nil:
		return ""
	case !a.Result.IsError:
		return kervan.OutcomeOK
	}
	text := a.text()
	switch {
	case strings.HasPrefix(text, "Input validation error"):
		return kervan.OutcomeRefused
	case strings.HasPrefix(text, "Output validation error"):
		return kervan.OutcomeBadOutput
	case strings.HasPrefix(text, "Internal error in tool"):
		return kervan.OutcomeMasked
	case strings.Contains(text, "timed out after"):
		return kervan.OutcomeTimeout
	case text == "it is not possible today":
		return kervan.OutcomeToolError
	}
	return ""
}
