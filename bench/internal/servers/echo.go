package servers

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/kervan-mcp/kervan/bench/internal/work"
)

// An echo is the floor: it decodes a request and encodes an answer, and checks
// nothing of the protocol, the tool or the arguments. Lists are encoded once, so
// that what is left of them is net/http.
type echo struct {
	calls map[string]work.Tool // by what a call of the tool contains
	list  json.RawMessage
}

type answer struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   any             `json:"error,omitempty"`
}

type text struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type callResult struct {
	Content           []text          `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent"`
}

func newEcho(tools []work.Tool) (*echo, error) {
	e := &echo{calls: map[string]work.Tool{}}
	for _, t := range tools {
		if t.Name == work.AddTool.Name || t.Name == work.OrderTool.Name {
			e.calls[`"name":"`+t.Name+`"`] = t
		}
	}
	type listed struct {
		Name         string             `json:"name"`
		Description  string             `json:"description"`
		InputSchema  *jsonschema.Schema `json:"inputSchema"`
		OutputSchema *jsonschema.Schema `json:"outputSchema"`
	}
	in, err := jsonschema.For[struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
	}](nil)
	if err != nil {
		return nil, err
	}
	out, err := jsonschema.For[struct {
		Sum float64 `json:"sum"`
	}](nil)
	if err != nil {
		return nil, err
	}
	list := make([]listed, len(tools))
	for i, t := range tools {
		list[i] = listed{t.Name, t.Description, in, out}
	}
	e.list, err = json.Marshal(map[string]any{"tools": list})
	return e, err
}

func (e *echo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if bytes.Contains(body, []byte(`"method":"tools/list"`)) {
		e.answerList(w, body)
		return
	}
	for part, tool := range e.calls {
		if bytes.Contains(body, []byte(part)) {
			answerCall(w, body, tool)
			return
		}
	}
	http.Error(w, "no such tool", http.StatusNotFound)
}

func answerCall(w http.ResponseWriter, body []byte, tool work.Tool) {
	id, out, err := tool.Answer(body)
	if err != nil {
		write(w, answer{JSONRPC: "2.0", ID: id, Error: map[string]any{"code": -32602, "message": err.Error()}})
		return
	}
	structured, err := json.Marshal(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	write(w, answer{JSONRPC: "2.0", ID: id, Result: callResult{[]text{{"text", string(structured)}}, structured}})
}

func write(w http.ResponseWriter, a answer) {
	encoded, err := json.Marshal(a)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(encoded)
}

func (e *echo) answerList(w http.ResponseWriter, body []byte) {
	var call struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(body, &call); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for _, part := range [][]byte{[]byte(`{"jsonrpc":"2.0","id":`), call.ID, []byte(`,"result":`), e.list, []byte("}")} {
		_, _ = w.Write(part)
	}
}
