package httptool

import (
	"context"
	"math"
	"net"
	"time"

	"github.com/kervan-mcp/kervan/internal/jsonx"
	"github.com/kervan-mcp/kervan/internal/secret"
)

// A call is one call of a tool while it runs. It belongs to one goroutine.
type call struct {
	tool    *Tool
	rt      *Runtime
	start   time.Time
	timeout time.Duration

	outcome    Outcome
	status     int   // of the last response; 0: none came
	bytes      int64 // of the body, decoded
	redactions int
	clean      clean // the last that was looked through

	releaseBudget func()
}

func newCall(ctx context.Context, t *Tool, rt *Runtime) *call {
	c := &call{tool: t, rt: rt, start: time.Now(), timeout: or(t.Timeout, DefaultTimeout), outcome: OutcomeOK, releaseBudget: func() {}}
	// A caller with less time is told how much that was.
	if deadline, ok := ctx.Deadline(); ok {
		c.timeout = max(0, min(c.timeout, deadline.Sub(c.start)))
	}
	return c
}

func (c *call) run(ctx context.Context, args []byte) (*Result, error) {
	release, err := c.admit(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	req, err := c.prepare(ctx, args)
	if err != nil {
		return nil, err
	}
	// The body counts until its output is made.
	defer func() { c.releaseBudget() }()
	body, err := c.fetch(ctx, req)
	if err != nil {
		return nil, err
	}
	return c.output(ctx, body)
}

// admit asks the limiter.
func (c *call) admit(ctx context.Context) (release func(), err error) {
	if c.rt.Limiter == nil {
		return func() {}, nil
	}
	release, retryAfter, err := c.rt.Limiter.Acquire(ctx, c.rt.LimitKey+c.tool.Name, c.tool.PerMinute, c.tool.Concurrency)
	switch {
	case err != nil:
		return nil, &failure{OutcomeLimiter, textLimiter(c.tool.Name), err}
	case retryAfter > 0:
		if release != nil {
			release()
		}
		seconds := int64(math.Ceil(retryAfter.Seconds()))
		return nil, &failure{OutcomeRefused, textRate(c.tool.Name, seconds), nil}
	case release == nil:
		return func() {}, nil
	}
	return release, nil
}

// prepare checks and asks for the secrets, and builds the request.
func (c *call) prepare(ctx context.Context, args []byte) (*request, error) {
	if len(args) == 0 {
		args = []byte("{}")
	}
	input, err := jsonx.Parse(args, jsonx.Limits{})
	if err != nil {
		return nil, &failure{OutcomeInvalid, textArguments, err}
	}
	if name, missing := c.missingVar(); missing {
		return nil, &failure{OutcomeInvalid, textNoVar(name), nil}
	}
	secrets, err := c.secrets(ctx)
	if err != nil {
		return nil, err
	}
	return c.render(input, secrets)
}

func (c *call) missingVar() (name string, missing bool) {
	for _, name := range c.tool.Vars {
		if _, ok := c.rt.Vars[name]; !ok {
			return name, true
		}
	}
	return "", false
}

// redactor returns what redacts the secrets that are known by now.
func (c *call) redactor() *secret.Redactor { return c.rt.Vault.Redactor() }

// ownHost is the tool's host and port.
func (t *Tool) ownHost() string { return net.JoinHostPort(t.Host, or(t.Port, DefaultPort(t.Scheme))) }

func (t *Tool) method() string { return or(t.Method, "GET") }

func (t *Tool) maxResponseBytes() int64 { return or(t.MaxResponseBytes, DefaultMaxResponseBytes) }

func (t *Tool) maxOutputChars() int { return or(t.MaxOutputChars, DefaultMaxOutputChars) }

// or returns v, or what stands in for its zero value.
func or[T comparable](v, standIn T) T {
	var zero T
	if v == zero {
		return standIn
	}
	return v
}
