package kervan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// missingCapability refuses input requests that the client cannot fulfil
// (rule 1.16), and tells it what it lacks.
func missingCapability(requests mcp.InputRequestMap, caps *mcp.ClientCapabilities) error {
	unknown := caps == nil // a stateless server forgets what initialize said
	if unknown {
		caps = &mcp.ClientCapabilities{}
	}
	missing := map[string]map[string]any{}
	for _, r := range requests {
		capability, part := lacking(r, caps)
		if capability == "" {
			continue
		}
		if missing[capability] == nil {
			missing[capability] = map[string]any{}
		}
		if part != "" {
			missing[capability][part] = map[string]any{}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	text := textMissingCapability(slices.Sorted(maps.Keys(missing)))
	if unknown {
		text = textCannotAsk
	}
	data, _ := json.Marshal(map[string]any{"requiredCapabilities": missing}) // maps of strings
	return &jsonrpc.Error{
		Code:    mcp.CodeMissingRequiredClientCapabilities,
		Message: text,
		Data:    data,
	}
}

// lacking returns the capability that r needs and the client does not have,
// and the part of it, or "".
func lacking(r mcp.InputRequest, caps *mcp.ClientCapabilities) (capability, part string) {
	switch r := r.(type) {
	case *mcp.ElicitParams:
		e := caps.Elicitation
		switch {
		case r.Mode == "url" || r.Mode == "" && r.URL != "":
			if e == nil || e.URL == nil {
				return "elicitation", "url"
			}
		case e == nil || e.Form == nil && e.URL != nil: // neither set means form
			return "elicitation", "form"
		}
	case *mcp.CreateMessageParams:
		if caps.Sampling == nil {
			return "sampling", ""
		}
	case *mcp.CreateMessageWithToolsParams:
		switch {
		case len(r.Tools) > 0 && (caps.Sampling == nil || caps.Sampling.Tools == nil):
			return "sampling", "tools"
		case caps.Sampling == nil:
			return "sampling", ""
		}
	case *mcp.ListRootsParams:
		if caps.RootsV2 == nil {
			return "roots", ""
		}
	}
	return "", ""
}

// ask fulfils input requests for a client of the older era, by requests of
// the server's own.
func ask(ctx context.Context, s *mcp.ServerSession, requests mcp.InputRequestMap) (mcp.InputResponseMap, error) {
	responses := make(mcp.InputResponseMap, len(requests))
	var mu sync.Mutex
	var wg sync.WaitGroup
	var errs []error
	for id, r := range requests {
		wg.Go(func() {
			res, err := askOne(ctx, s, r)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				errs = append(errs, fmt.Errorf("input request %q: %w", id, err))
				return
			}
			responses[id] = res
		})
	}
	wg.Wait()
	return responses, errors.Join(errs...)
}

// askOne asks for one input. The answers have the types that they have in the
// new era, so that a handler need not know who calls.
func askOne(ctx context.Context, s *mcp.ServerSession, r mcp.InputRequest) (res mcp.InputResponse, err error) {
	defer catch(&err) // marshalling r may run user code
	switch r := r.(type) {
	case *mcp.ElicitParams:
		return s.Elicit(ctx, r)
	case *mcp.CreateMessageParams:
		return s.CreateMessageWithTools(ctx, withTools(r))
	case *mcp.CreateMessageWithToolsParams:
		return s.CreateMessageWithTools(ctx, r)
	case *mcp.ListRootsParams:
		return s.ListRoots(ctx, r)
	}
	return nil, fmt.Errorf("unknown kind of input request %T", r)
}

// withTools gives p the form whose answer may have several blocks.
func withTools(p *mcp.CreateMessageParams) *mcp.CreateMessageWithToolsParams {
	out := &mcp.CreateMessageWithToolsParams{
		Meta: p.Meta, IncludeContext: p.IncludeContext, MaxTokens: p.MaxTokens, Metadata: p.Metadata,
		ModelPreferences: p.ModelPreferences, StopSequences: p.StopSequences, SystemPrompt: p.SystemPrompt, Temperature: p.Temperature,
	}
	for _, m := range p.Messages {
		out.Messages = append(out.Messages, &mcp.SamplingMessageV2{Content: []mcp.Content{m.Content}, Role: m.Role})
	}
	return out
}
