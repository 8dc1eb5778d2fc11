package httptool

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/kervan-mcp/kervan/internal/secret"
	"github.com/kervan-mcp/kervan/internal/template"
)

// The limits of a [Tool] that does not give its own.
const (
	DefaultTimeout          = 10 * time.Second
	DefaultMaxResponseBytes = 1 << 20
	DefaultMaxOutputChars   = 20_000
)

// A Tool is one HTTP request with places for arguments. It is immutable once it
// is used, and then safe for concurrent use.
type Tool struct {
	Name   string
	Method string // upper case; "" means GET

	// Scheme (http or https), Host (as guard.NormalizeHost returns it) and Port
	// ("" means the scheme's) are literal.
	Scheme, Host, Port string
	Path               *template.Text // nil means "/"
	Query              string         // the URL's own query, which comes first
	QueryFields        []template.Field
	Headers            []Header
	Body               *template.Body   // sent as JSON; nil: none
	Form               []template.Field // sent as a form; not with Body

	Timeout          time.Duration // for all of a call; 0 means DefaultTimeout
	MaxResponseBytes int64         // as it comes, and decoded; 0 means DefaultMaxResponseBytes
	MaxOutputChars   int           // 0 means DefaultMaxOutputChars
	FollowRedirects  int           // 0: none is followed

	// Select is the expression that makes the output of a JSON response. With
	// Raw, which excludes it, the output is the text of the response.
	Select string
	Raw    bool
	// Fits reports whether a value, as [jsonx.Parse] returns it, fits the output
	// schema. nil: there is none, and the output is text only.
	Fits func(tree any) bool

	PerMinute, Concurrency int // 0 or less: no bound

	Vars    []string // the variables that the templates name
	Secrets []string // the secrets that the templates name, each once
	// Hosts lists, for a secret, where it may go, as [HostPort] returns it. A
	// secret without an entry may go to the tool's own host and port only.
	Hosts map[string][]string
	// AllowInsecureSecrets lets secrets go over plain http, for development.
	AllowInsecureSecrets bool
}

// A Header is a header of the request.
type Header struct {
	Name  string
	Value *template.Text
}

// A Limiter bounds the calls of a key in a minute and at once. A positive
// retryAfter refuses the call, which then counts nothing. Otherwise release
// ends the call.
type Limiter interface {
	Acquire(ctx context.Context, key string, perMinute, concurrency int) (release func(), retryAfter time.Duration, err error)
}

// A Runtime is what the calls of many tools share. It is not changed while it
// is used; what it holds must be safe for concurrent use.
type Runtime struct {
	// Transport sends a request and follows no redirects. It is the guard's.
	Transport http.RoundTripper
	// Select evaluates an expression on a JSON document. It is the sandbox's,
	// and not needed for tools with Raw.
	Select func(ctx context.Context, expression string, data []byte) ([]byte, error)
	// Secret returns a secret for a host:port and a tool; "" means that there is
	// none. Its errors are not shown to a model.
	Secret func(ctx context.Context, name, host, tool string) (string, error)
	Vars   map[string]string
	Vault  *secret.Vault // what is redacted; every secret is added before it is sent

	Limiter  Limiter // nil: no bound
	LimitKey string  // what the limiter's keys begin with; the tool's name follows
	Budget   *Budget // nil: no bound
	// Events is told of the end of each call; nil: nobody is. It must return
	// quickly.
	Events func(Event)
}

// A Result is what a call shows.
type Result struct {
	// Text is the output: of a tool with an output schema the same JSON as
	// Structured.
	Text string
	// Structured is a JSON object, for a tool with an output schema. It was not
	// validated unless it had to be shortened. nil without a schema.
	Structured json.RawMessage
	// Notes are sentences for the model on what was left out.
	Notes []string
}

// An Error is why a call failed.
type Error struct {
	Message string // a sentence for the model, complete and redacted
	Cause   error  // for logs, redacted; may be nil
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Call sends the request with the given arguments, a JSON object that was
// validated; none is the same as an empty object. It returns an [*Error], or
// another error for a fault of the program, panics of the runtime's functions
// included. No error shows a secret.
//
// A call that ctx or the tool's timeout ends closes its connection and returns
// at once, as far as the runtime's functions do.
func (t *Tool) Call(ctx context.Context, rt *Runtime, args []byte) (res *Result, err error) {
	c := newCall(ctx, t, rt)
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	defer func() {
		if v := recover(); v != nil {
			res, err = nil, c.panicked(v)
		}
		c.report()
	}()
	res, err = c.run(ctx, args)
	if err != nil {
		return nil, c.conclude(ctx, err)
	}
	return res, nil
}
