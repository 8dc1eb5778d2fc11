package httptool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/kervan-mcp/kervan/internal/jsonx"
	"github.com/kervan-mcp/kervan/internal/secret"
)

// output makes the result of a body. It is redacted before anything looks at
// it, before it is cut, and once more as it leaves if it is not the same by then.
func (c *call) output(ctx context.Context, b *body) (*Result, error) {
	if c.tool.Raw {
		return c.rawOutput(b)
	}
	document, err := c.document(b)
	if err != nil {
		return nil, err
	}
	selected, err := c.selectFrom(ctx, document)
	if err != nil {
		return nil, err
	}
	if c.tool.Fits == nil {
		return c.textOutput(string(selected)), nil
	}
	if len(b.text) == 0 && string(selected) == "null" {
		selected = []byte("{}")
	}
	return c.structuredOutput(ctx, selected)
}

// rawOutput shows the text of a body.
func (c *call) rawOutput(b *body) (*Result, error) {
	if len(b.text) > 0 && b.media.kind == mediaOther {
		return nil, &failure{OutcomeResponse, textMedia(b.media, wantText), nil}
	}
	// In a text that is JSON a secret may be spelled in layers that only a
	// reader of JSON sees. A text without one is shown as it came.
	if document, err := canonical(b.text); err == nil {
		redacted, n, err := c.redactor().JSON(document)
		if err == nil && n > 0 {
			c.redactions += n
			return c.textOutput(string(redacted)), nil
		}
	}
	return c.textOutput(c.redactText(string(b.text))), nil
}

// document returns the canonical JSON of a body, which is null if it is empty.
func (c *call) document(b *body) ([]byte, error) {
	if len(b.text) == 0 {
		return []byte("null"), nil
	}
	if b.media.kind != mediaJSON && b.media.kind != mediaMissing {
		return nil, &failure{OutcomeResponse, textMedia(b.media, wantJSON), nil}
	}
	document, err := canonical(b.text)
	if err != nil {
		return nil, &failure{OutcomeResponse, textNotJSON(err), err}
	}
	return document, nil
}

// selectFrom evaluates the tool's expression on a redacted document. What it
// made of the document is redacted again, since it may have joined its parts.
func (c *call) selectFrom(ctx context.Context, document []byte) ([]byte, error) {
	if c.rt.Select == nil {
		return nil, errors.New("httptool: the tool selects, and the runtime cannot")
	}
	document, err := c.redactJSON(document)
	if err != nil {
		return nil, err
	}
	selected, err := c.rt.Select(ctx, c.tool.Select, document)
	if err != nil {
		return nil, &failure{OutcomeSelect, textSelect(err), err}
	}
	if selected, err = canonical(selected); err != nil {
		return nil, err
	}
	return c.redactJSON(selected)
}

// A clean is a text, or a JSON document, in which a redactor has found nothing.
// It would find nothing again; one made after a change of the vault may.
type clean struct {
	by       *secret.Redactor
	text     string
	document []byte
}

// redactJSON redacts a canonical document.
func (c *call) redactJSON(document []byte) ([]byte, error) {
	r := c.redactor()
	if r == c.clean.by && bytes.Equal(document, c.clean.document) {
		return document, nil
	}
	redacted, n, err := r.JSON(document)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		c.clean = clean{by: r, document: document}
		return document, nil
	}
	c.redactions += n
	return canonical(redacted)
}

// textOutput is a result without structure, made of a redacted text.
func (c *call) textOutput(text string) *Result {
	return &Result{Text: c.redactText(cutText(text, c.tool.maxOutputChars()))}
}

func (c *call) redactText(text string) string {
	r := c.redactor()
	if r == c.clean.by && text == c.clean.text {
		return text
	}
	text, n := r.Text(text)
	if n == 0 {
		c.clean = clean{by: r, text: text}
	}
	c.redactions += n
	return text
}

// structuredOutput is the result of a tool with an output schema.
func (c *call) structuredOutput(ctx context.Context, object []byte) (*Result, error) {
	if !bytes.HasPrefix(object, []byte("{")) {
		return nil, &failure{OutcomeOutput, textNotObject(object), nil}
	}
	object, notes, err := c.shorten(ctx, object)
	if err != nil {
		return nil, err
	}
	if object, err = c.redactJSON(object); err != nil {
		return nil, err
	}
	return &Result{Text: string(object), Structured: json.RawMessage(object), Notes: notes}, nil
}

// shorten cuts an object that is too long. One that does not fit the schema
// anyway is left as it is, for whoever validates it to say where.
func (c *call) shorten(ctx context.Context, object []byte) ([]byte, []string, error) {
	limit := c.tool.maxOutputChars()
	if utf8.RuneCount(object) <= limit {
		return object, nil, nil
	}
	tree, err := jsonx.Parse(object, jsonx.Limits{})
	if err != nil || !c.tool.Fits(tree) {
		return object, nil, nil
	}
	short, omissions, ok := cutStructured(ctx, object, limit, c.tool.Fits)
	if !ok {
		return nil, nil, &failure{OutcomeOutput, textTooLong(limit), nil}
	}
	return short, []string{c.redactText(textOmissions(limit, omissions))}, nil
}
