package kervan

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The defaults of an app (rule 1.1).
const (
	defaultToolTimeout   = 30 * time.Second
	defaultArgumentLimit = 10_000
)

// An Option changes a default of [NewApp].
type Option interface{ apply(*settings) }

type optionFunc func(*settings)

func (f optionFunc) apply(s *settings) { f(s) }

// settings are what the options of an app decide.
type settings struct {
	title           string
	instructions    string
	timeout         time.Duration
	elements        int
	logger          *slog.Logger
	sink            func(Event)
	protocolLogging bool
	repair          bool
	visible         func(context.Context, ToolInfo) bool
	serverOptions   []func(*mcp.ServerOptions)
	stateKeys       [][]byte
	registry        Registry
	problems        []string
}

func newSettings(name, version string, opts []Option) *settings {
	s := &settings{timeout: defaultToolTimeout, elements: defaultArgumentLimit}
	for _, o := range opts {
		if o == nil {
			s.problem("an option is nil; leave it out")
			continue
		}
		o.apply(s)
	}
	if s.logger == nil {
		s.logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	s.logger = slog.New(safeHandler{s.logger.Handler()})
	if strings.TrimSpace(name) == "" {
		s.problem("the name of the app is blank; give NewApp a name")
	}
	if strings.TrimSpace(version) == "" {
		s.problem("the version of the app is blank; give NewApp a version such as 0.1.0")
	}
	if s.timeout <= 0 {
		s.problem(fmt.Sprintf("the tool timeout is %v; give WithToolTimeout a positive duration", s.timeout))
	}
	return s
}

func (s *settings) problem(text string) { s.problems = append(s.problems, text) }

// WithTitle sets the name that clients show to people. Default: the app's name.
func WithTitle(title string) Option {
	return optionFunc(func(s *settings) { s.title = title })
}

// WithInstructions tells models what the server is for and how to use it.
// Default: none.
func WithInstructions(text string) Option {
	return optionFunc(func(s *settings) { s.instructions = text })
}

// WithToolTimeout sets the deadline of a call of a tool that has none of its
// own; it covers validation, middleware and handler. Default: 30
// seconds. It must be positive.
func WithToolTimeout(d time.Duration) Option {
	return optionFunc(func(s *settings) { s.timeout = d })
}

// WithArgumentLimit bounds the array elements and object members of one
// call's arguments, all levels together. Default: 10,000, which zero
// means too; negative means no limit.
func WithArgumentLimit(n int) Option {
	return optionFunc(func(s *settings) {
		switch {
		case n == 0:
			s.elements = defaultArgumentLimit
		case n < 0:
			s.elements = 0
		default:
			s.elements = n
		}
	})
}

// WithLogger sets where the app logs. Arguments, results and the texts of
// ToolErrors are never logged. Default: warnings and errors as text to
// stderr. Nil keeps the default; slog.DiscardHandler silences it.
func WithLogger(l *slog.Logger) Option {
	return optionFunc(func(s *settings) { s.logger = l })
}

// WithEvents calls sink for every event, on the goroutine where it happens:
// it must be quick and safe for concurrent use. A panic in it is logged.
func WithEvents(sink func(Event)) Option {
	return optionFunc(func(s *settings) { s.sink = sink })
}

// WithProtocolLogging also sends what a handler logs through [Call.Logger] to
// the client, for requests that ask for it with a log level in their _meta.
// Default: off, since log lines may hold what clients should not see.
func WithProtocolLogging() Option {
	return optionFunc(func(s *settings) { s.protocolLogging = true })
}

// WithArgumentRepair decodes an argument that arrives as a string where the
// schema wants a number, integer, boolean, array or object, if the string is
// exactly one such JSON value. Some models send them so. A field that may be
// a string is never touched, and each repair is a [RepairEvent]. Default: off.
func WithArgumentRepair() Option {
	return optionFunc(func(s *settings) { s.repair = true })
}

// WithVisibility decides which tools a caller may see and call: a tool for
// which visible returns false is left out of lists and is an unknown tool in
// calls. It must be quick and safe for concurrent use; a panic hides the
// tool. Default: all tools are visible to all.
func WithVisibility(visible func(ctx context.Context, tool ToolInfo) bool) Option {
	return optionFunc(func(s *settings) { s.visible = visible })
}

// WithServerOptions is the door to the parts of the protocol that Kervan adds
// nothing to, such as completion: configure runs on the options of each SDK
// server, after Kervan has set its own.
func WithServerOptions(configure func(*mcp.ServerOptions)) Option {
	return optionFunc(func(s *settings) {
		if configure == nil {
			s.problem("WithServerOptions got nil; leave it out")
			return
		}
		s.serverOptions = append(s.serverOptions, configure)
	})
}

// WithStateKeys gives the keys that seal the request state of interim
// results, so that several processes can open each other's. The first seals,
// all open; each has at least 32 bytes. Default: one random key a process.
func WithStateKeys(keys ...[]byte) Option {
	return optionFunc(func(s *settings) {
		if len(keys) == 0 {
			s.problem("WithStateKeys got no key; give it at least one of 32 bytes")
		}
		for _, k := range keys {
			if len(k) < 32 {
				s.problem("a key of WithStateKeys is too short; use at least 32 random bytes")
				continue
			}
			s.stateKeys = append(s.stateKeys, append([]byte(nil), k...))
		}
	})
}

// WithRegistry serves the tools of r instead of a registry of the app's own.
// Add and its relatives then need r to be a [MemoryRegistry] or to embed one.
func WithRegistry(r Registry) Option {
	return optionFunc(func(s *settings) {
		if isNil(r) {
			s.problem("WithRegistry got nil; leave it out or give it a registry")
			return
		}
		s.registry = r
	})
}
