package work

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// ResultOf returns the result of an answer that is not an error.
func ResultOf(answer []byte) (json.RawMessage, error) {
	var frame struct {
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(answer, &frame); err != nil || frame.Result == nil || frame.Error != nil {
		return nil, fmt.Errorf("not a result (%v): %s", err, Clip(answer))
	}
	return frame.Result, nil
}

// Check compares an answer with what the function returns, as structured content
// and as text. A string is text only.
func (c *Call) Check(answer []byte) error {
	var result struct {
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	raw, err := ResultOf(answer)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return err
	}
	out, err := c.Tool.Direct([]byte(c.Arguments))
	if err != nil {
		return err
	}
	want, isText := out.(string)
	if !isText {
		encoded, err := json.Marshal(out)
		if err != nil {
			return err
		}
		want = string(encoded)
	}
	good := !result.IsError && len(result.Content) == 1 && result.Content[0].Type == "text"
	if isText {
		good = good && result.StructuredContent == nil && result.Content[0].Text == want
	} else {
		good = good && sameJSON([]byte(want), result.StructuredContent) && sameJSON([]byte(want), []byte(result.Content[0].Text))
	}
	if !good {
		return fmt.Errorf("want %s\nhave %s", Clip([]byte(want)), Clip(answer))
	}
	return nil
}

// CheckRefused sees that an answer says no.
func CheckRefused(answer []byte) error {
	var refusal struct {
		Result struct{ IsError bool }
		Error  json.RawMessage
	}
	if err := json.Unmarshal(answer, &refusal); err != nil || !refusal.Result.IsError && refusal.Error == nil {
		return fmt.Errorf("wrong arguments were accepted (%v): %s", err, Clip(answer))
	}
	return nil
}

// A List checks a list of tools page by page.
type List struct{ seen map[string]bool }

// Page checks the answer that has the next page: every tool has a description and
// both schemas, and is new. It returns the cursor of the page after it.
func (l *List) Page(answer []byte) (next string, err error) {
	type object struct {
		Type       string
		Properties map[string]any
		Required   []string
	}
	var page struct {
		NextCursor string
		Tools      []struct {
			Name, Description string
			InputSchema       object
			OutputSchema      object
		}
	}
	raw, err := ResultOf(answer)
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(raw, &page); err != nil {
		return "", err
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	for _, t := range page.Tools {
		in, out := t.InputSchema, t.OutputSchema
		if l.seen[t.Name] || t.Description == "" || in.Type != "object" || len(in.Properties) != 2 || len(in.Required) != 2 ||
			out.Type != "object" || len(out.Properties) != 1 || len(out.Required) != 1 {
			return "", fmt.Errorf("tool %q is listed twice or not whole: %+v", t.Name, t)
		}
		l.seen[t.Name] = true
	}
	return page.NextCursor, nil
}

// Len returns how many tools the pages had.
func (l *List) Len() int { return len(l.seen) }

// Clip returns the beginning of a long text.
func Clip(text []byte) []byte { return bytes.TrimSpace(text[:min(len(text), 1000)]) }

func sameJSON(a, b []byte) bool {
	var values [2]any
	for i, data := range [][]byte{a, b} {
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		if d.Decode(&values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}
