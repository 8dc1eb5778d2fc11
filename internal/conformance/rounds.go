package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
)

// The ids of the inputs that the suite answers.
const (
	idName     = "user_name"
	idCapital  = "capital_question"
	idRoots    = "client_roots"
	idConfirm  = "confirm"
	idGreeting = "greeting"
	idStep1    = "step1"
	idStep2    = "step2"
	idContext  = "user_context"
)

// roundTools need several rounds of one call (SEP-2322). Whatever they need to
// remember is in the request state, which Kervan seals.
func roundTools() []*kervan.ToolDef {
	tool := func(name, description string, handler func(context.Context, kervan.None) (*kervan.Result, error)) *kervan.ToolDef {
		return kervan.Tool("test_input_required_result_"+name, description, handler)
	}
	return []*kervan.ToolDef{
		tool("elicitation", "Asks the user for a name.", greetUser),
		tool("sampling", "Asks the client's model for the capital of France.", askCapital),
		tool("list_roots", "Asks the client for its roots.", countRoots),
		tool("request_state", "Asks for confirmation and remembers that it did.", confirm),
		tool("multiple_inputs", "Asks for a name, a greeting and the roots at once.", askEverything),
		tool("multi_round", "Asks for a name, then for a color.", askTwice),
		tool("tampered_state", "Refuses a state that is not its own.", confirm),
		tool("capabilities", "Asks only for what the client can answer.", askWhatIsPossible),
	}
}

func nameForm() *mcp.ElicitParams { return form("What is your name?", field("name", "string")) }

func greetUser(ctx context.Context, _ kervan.None) (*kervan.Result, error) {
	if name := acceptedText(responses(ctx), idName, "name"); name != "" {
		return say("Hello, " + name + "!")
	}
	return ask("", mcp.InputRequestMap{idName: nameForm()})
}

func askCapital(ctx context.Context, _ kervan.None) (*kervan.Result, error) {
	if text, ok := sampled(responses(ctx), idCapital); ok {
		return say("The model says: " + text)
	}
	return ask("", mcp.InputRequestMap{idCapital: prompt("What is the capital of France?", 100)})
}

func countRoots(ctx context.Context, _ kervan.None) (*kervan.Result, error) {
	roots, ok := rootsOf(responses(ctx), idRoots)
	if !ok {
		return ask("", mcp.InputRequestMap{idRoots: &mcp.ListRootsParams{}})
	}
	uris := make([]string, 0, len(roots))
	for _, r := range roots {
		uris = append(uris, r.URI)
	}
	return say(fmt.Sprintf("The client has %d root(s): %s", len(roots), strings.Join(uris, ", ")))
}

// confirm goes on only with its own state. Kervan has refused a tampered one
// before.
func confirm(ctx context.Context, _ kervan.None) (*kervan.Result, error) {
	const asked = "asked for confirmation"
	if kervan.CallFromContext(ctx).RequestState() == asked {
		if ok, _ := accepted(responses(ctx), idConfirm, "ok").(bool); ok {
			return say("state-ok: confirmed")
		}
	}
	return ask(asked, mcp.InputRequestMap{idConfirm: form("Please confirm", field("ok", "boolean"))})
}

func askEverything(ctx context.Context, _ kervan.None) (*kervan.Result, error) {
	answers := responses(ctx)
	name := acceptedText(answers, idName, "name")
	greeting, greeted := sampled(answers, idGreeting)
	roots, listed := rootsOf(answers, idRoots)
	if name != "" && greeted && listed {
		return say(fmt.Sprintf("%s %s, you have %d root(s).", greeting, name, len(roots)))
	}
	return ask("asked for everything", mcp.InputRequestMap{
		idName:     nameForm(),
		idGreeting: prompt("Generate a greeting", 50),
		idRoots:    &mcp.ListRootsParams{},
	})
}

// askTwice keeps the first answer in the state of the second round.
func askTwice(ctx context.Context, _ kervan.None) (*kervan.Result, error) {
	const first, second = "first", "second:"
	answers := responses(ctx)
	state := kervan.CallFromContext(ctx).RequestState()
	if name, ok := strings.CutPrefix(state, second); ok {
		if color := acceptedText(answers, idStep2, "color"); color != "" {
			return say(name + " likes " + color + ".")
		}
		return askColor(state)
	}
	if name := acceptedText(answers, idStep1, "name"); state == first && name != "" {
		return askColor(second + name)
	}
	return ask(first, mcp.InputRequestMap{idStep1: form("Step 1: What is your name?", field("name", "string"))})
}

func askColor(state string) (*kervan.Result, error) {
	return ask(state, mcp.InputRequestMap{idStep2: form("Step 2: What is your favorite color?", field("color", "string"))})
}

func askWhatIsPossible(ctx context.Context, _ kervan.None) (*kervan.Result, error) {
	call := kervan.CallFromContext(ctx)
	if len(call.InputResponses()) > 0 {
		return say("Thank you.")
	}
	requests := mcp.InputRequestMap{}
	if can := call.ClientCapabilities(); can != nil {
		if can.Elicitation != nil {
			requests[idName] = nameForm()
		}
		if can.Sampling != nil {
			requests[idGreeting] = prompt("Generate a short greeting", 50)
		}
		if can.RootsV2 != nil {
			requests[idRoots] = &mcp.ListRootsParams{}
		}
	}
	if len(requests) == 0 {
		return say("The client can answer nothing.")
	}
	return ask("", requests)
}
