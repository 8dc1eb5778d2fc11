package work

import (
	"encoding/json"
	"testing"
)

// TestSizes holds the realistic call to the sizes that README.md tells.
func TestSizes(t *testing.T) {
	out, err := OrderTool.Direct([]byte(Order.Arguments))
	if err != nil {
		t.Fatal(err)
	}
	result, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(Order.Arguments); n < 850 || n > 950 {
		t.Errorf("the arguments have %d bytes, not about 900", n)
	}
	if n := len(result); n < 1900 || n > 2200 {
		t.Errorf("the result has %d bytes, not about 2,000", n)
	}
}

// TestChecks sees that the checks refuse what they are there for.
func TestChecks(t *testing.T) {
	good := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"sum\":3.75}"}],"structuredContent":{"sum":3.75}}}`
	if err := Add.Check([]byte(good)); err != nil {
		t.Error(err)
	}
	if CheckRefused([]byte(good)) == nil {
		t.Error("a success passes for a refusal")
	}
	for _, bad := range []string{
		`{"id":1,"error":{"code":-32602,"message":"no"}}`,
		`{"id":1,"result":{"isError":true,"content":[{"type":"text","text":"no"}]}}`,
		`{"id":1,"result":{"content":[{"type":"text","text":"{\"sum\":3.75}"}],"structuredContent":{"sum":4}}}`,
		`{"id":1,"result":{"content":[{"type":"text","text":"{\"sum\":4}"}],"structuredContent":{"sum":3.75}}}`,
		`{"id":1,"result":{"content":[],"structuredContent":{"sum":3.75}}}`,
		``,
	} {
		if Add.Check([]byte(bad)) == nil {
			t.Errorf("accepted %s", bad)
		}
	}
	text := Call{Tool: Tool{Direct: func([]byte) (any, error) { return "yes", nil }}}
	if err := text.Check([]byte(`{"id":1,"result":{"content":[{"type":"text","text":"yes"}]}}`)); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{
		`{"id":1,"result":{"content":[{"type":"text","text":"no"}]}}`,
		`{"id":1,"result":{"content":[{"type":"text","text":"yes"}],"structuredContent":{}}}`,
	} {
		if text.Check([]byte(bad)) == nil {
			t.Errorf("accepted %s", bad)
		}
	}
	const tool = `{"name":"a","description":"A.","inputSchema":{"type":"object","properties":{"a":{},"b":{}},"required":["a","b"]},"outputSchema":{"type":"object","properties":{"sum":{}},"required":["sum"]}}`
	var list List
	if next, err := list.Page([]byte(`{"id":1,"result":{"nextCursor":"n","tools":[` + tool + `]}}`)); err != nil || next != "n" || list.Len() != 1 {
		t.Errorf("%q, %v, %d tools", next, err, list.Len())
	}
	if _, err := list.Page([]byte(`{"id":1,"result":{"tools":[` + tool + `]}}`)); err == nil {
		t.Error("a tool may be listed twice")
	}
}

func TestMedian(t *testing.T) {
	if m := Median([]float64{3, 1, 2}); m != 2 {
		t.Errorf("median %v", m)
	}
	if m := Median([]float64{4, 1, 2, 3}); m != 2.5 {
		t.Errorf("median %v", m)
	}
}

func TestNumber(t *testing.T) {
	message := Add.Request(Modern)
	Number(message, 1_234_567)
	var frame struct{ ID int }
	if err := json.Unmarshal(message, &frame); err != nil || frame.ID != 1_234_567 {
		t.Errorf("%d, %v", frame.ID, err)
	}
}
