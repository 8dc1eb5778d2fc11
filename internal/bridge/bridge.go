// Package bridge lets the transports and the test client reach what an App
// does not export: its start, the SDK server of a registry, and what a
// transport knows about a caller. The root package registers itself here in
// its init, so nothing of it becomes a public promise.
package bridge

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Root is what package kervan does for the packages that serve an App. The
// apps and registries are *kervan.App and kervan.Registry; they are any here
// because this package cannot import the root.
type Root interface {
	// Start reports the definition errors of app, and marks it as served.
	Start(app any) error
	// Server returns the SDK server that projects a registry. The same spec
	// gets the same server for as long as its registry lives.
	Server(app any, spec ServerSpec) (*mcp.Server, error)
	// Tool returns what a transport checks before it hands a call over, and
	// whether the caller in ctx may see the tool at all.
	Tool(ctx context.Context, app, registry any, name string) (ToolFacts, bool)
	// HeaderNames returns the Mcp-Param-* header names that the tools of the
	// app's own registry bind, for CORS.
	HeaderNames(app any) []string
	// Cancelled tells of a call that was cancelled before it began.
	Cancelled(app any, tool, requestID string)
	// Emit gives a kervan.Event to the app's sink.
	Emit(app, event any)
	// HasVisibility reports whether the app shows tools to some callers only.
	HasVisibility(app any) bool
	// Logger returns the app's logger.
	Logger(app any) *slog.Logger
	// Describe changes name, version and instructions for clients that ask
	// from now on.
	Describe(app any, name, version, instructions string)
	// Close drops the app's cached servers and their subscriptions.
	Close(app any)
}

var root Root

// Register is called once, by the root package's init.
func Register(r Root) { root = r }

// Kervan returns the root package's side of the bridge.
func Kervan() Root { return root }

// A ServerSpec says which SDK server is wanted.
type ServerSpec struct {
	Registry any  // a kervan.Registry; nil means the app's own
	Quiet    bool // advertise no listChanged: it cannot be delivered
	Bare     bool // without the app's prompts and resources
}

// ToolFacts are what a transport needs to know of a tool.
type ToolFacts struct {
	Scopes  []string
	Headers []HeaderParam
}

// A HeaderParam is an argument that a client mirrors in a header, because
// the tool's schema binds it with x-mcp-header.
type HeaderParam struct {
	Header string   // the full name: Mcp-Param-…
	Path   []string // member names from the arguments' root
}

// A Caller is what a transport knows about who makes a call.
type Caller struct {
	Principal string // verified identity, empty when anonymous
	Registry  string // stable name of the registry, for sealed state
	// PublicTTL, if positive, is how many milliseconds caches may share lists
	// for; otherwise lists are private and stale at once.
	PublicTTL int
}

// RequestIDHeader is where a transport tells the id of a request, in the
// header of the SDK's RequestExtra: the SDK itself gives it to no handler.
const RequestIDHeader = "Kervan-Request-Id"

// DirectMethod is the method of a tools/call or tools/list whose params the
// transport read itself and put into the context, see [WithDirectCall]. The
// SDK would decode the params two to four times, at 32 KiB of garbage each, and
// scan the result once more. A request of this method without such a context
// is refused.
const DirectMethod = "kervan/direct"

// A DirectCall is what the params of a tools/call or tools/list hold; nothing
// else is in them.
type DirectCall struct {
	List      bool // tools/list
	Cursor    string
	Name      string
	Arguments []byte
	Meta      []byte // a JSON object, or nil

	// Result is the JSON of the result, set before the SDK answers with an
	// empty one in its place.
	Result []byte

	state atomic.Int32
}

const (
	directBegun int32 = iota + 1
	directAbandoned
)

// Begin reports whether the call may run: its transport has not given it up.
func (d *DirectCall) Begin() bool { return d.state.CompareAndSwap(0, directBegun) }

// Abandon gives up a call that has not begun, and reports whether that is so:
// the SDK drops what it has not started when its client goes away.
func (d *DirectCall) Abandon() bool { return d.state.CompareAndSwap(0, directAbandoned) }

type directKey struct{}

// WithDirectCall returns a context that carries c to the projection.
func WithDirectCall(ctx context.Context, c *DirectCall) context.Context {
	return context.WithValue(ctx, directKey{}, c)
}

// DirectCallFrom returns the call that a transport put in ctx, or nil.
func DirectCallFrom(ctx context.Context) *DirectCall {
	c, _ := ctx.Value(directKey{}).(*DirectCall)
	return c
}

type callerKey struct{}

// WithCaller returns a context that carries c to the pipeline.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the caller that a transport put in ctx.
func CallerFrom(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}
