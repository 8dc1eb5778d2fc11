package transport

import (
	"flag"
	"io"
	"time"

	"github.com/kervan-mcp/kervan/internal/wire"
)

// An Option changes how an app is served. Of two options for the same thing the
// later one counts.
type Option interface{ apply(*options) error }

type optionFunc func(*options) error

func (f optionFunc) apply(o *options) error { return f(o) }

type options struct {
	transport string
	flags     *flags
	noSignals bool

	reader  io.Reader
	writer  io.Writer
	ownIO   bool // reader and writer were given
	maxLine int
	drain   time.Duration // 0: each transport's own default

	httpOptions
}

func newOptions(opts []Option) (*options, error) {
	o := &options{maxLine: wire.DefaultMaxLine, httpOptions: defaultHTTPOptions()}
	for _, opt := range opts {
		if opt == nil {
			return nil, errNilOption
		}
		if err := opt.apply(o); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (o *options) setTransport(name string) error {
	if o.transport != "" && o.transport != name {
		return errBothOptions
	}
	o.transport = name
	return nil
}

// Stdio serves over standard input and output, whatever KERVAN_TRANSPORT says.
// Together with [HTTP] it is an error.
func Stdio() Option {
	return optionFunc(func(o *options) error { return o.setTransport(nameStdio) })
}

// HTTP serves over Streamable HTTP, whatever KERVAN_TRANSPORT says; see
// [ServeHTTP]. Together with [Stdio] it is an error.
func HTTP() Option {
	return optionFunc(func(o *options) error { return o.setTransport(nameHTTP) })
}

// WithIO serves r and w instead of the process's standard input and output,
// which are then left alone. Each message is one Write. When serving ends, r is
// closed if it is an [io.Closer], so that a read in progress returns; w stays
// open.
func WithIO(r io.Reader, w io.Writer) Option {
	return optionFunc(func(o *options) error {
		if r == nil || w == nil {
			return errNilIO
		}
		o.reader, o.writer, o.ownIO = r, w, true
		return nil
	})
}

// WithMaxLine bounds the length of a message over stdio, in bytes. A longer one
// is answered with an error and skipped. The default is 4 MiB; it must be
// positive.
func WithMaxLine(bytes int) Option {
	return optionFunc(func(o *options) error {
		if bytes <= 0 {
			return badOption("WithMaxLine", bytes)
		}
		o.maxLine = bytes
		return nil
	})
}

// WithDrain sets how long running calls may still take to be answered after the
// client closed its side of stdio, the context ended, or a signal came; then
// they are cancelled. The default is 5 seconds over stdio and 10 seconds over
// HTTP; it must be positive.
func WithDrain(d time.Duration) Option {
	return optionFunc(func(o *options) error {
		if d <= 0 {
			return badOption("WithDrain", d)
		}
		o.drain = d
		return nil
	})
}

// WithoutSignals makes [Serve] leave SIGINT and SIGTERM to the program, which
// ends serving through the context.
func WithoutSignals() Option {
	return optionFunc(func(o *options) error {
		o.noSignals = true
		return nil
	})
}

// flags are the values of the flags that BindFlags adds.
type flags struct {
	set         *flag.FlagSet
	http, stdio bool
	host, path  string
	port        int
}

// BindFlags adds --http, --stdio, --host, --port and --path to fs. The option
// that it returns reads their values when serving begins, so it is given to
// [Serve] after fs.Parse. --http and --stdio together are an error. The other
// three matter to HTTP only; given on the command line they go before [Addr],
// [Path] and the environment, each for its part.
func BindFlags(fs *flag.FlagSet) Option {
	f := &flags{set: fs}
	fs.BoolVar(&f.http, "http", false, "serve over HTTP")
	fs.BoolVar(&f.stdio, "stdio", false, "serve over standard input and output")
	fs.StringVar(&f.host, "host", "127.0.0.1", "`address` to listen on, with --http")
	fs.IntVar(&f.port, "port", 3000, "port to listen on, with --http")
	fs.StringVar(&f.path, "path", "/mcp", "path of the endpoint, with --http")
	return optionFunc(func(o *options) error {
		if o.flags != nil && o.flags != f {
			return errTwiceFlags
		}
		o.flags = f
		return nil
	})
}

func (f *flags) apply(o *options) error {
	switch {
	case f.http && f.stdio:
		return errBothFlags
	case f.http:
		return o.setTransport(nameHTTP)
	case f.stdio:
		return o.setTransport(nameStdio)
	}
	return nil
}

// given reports whether a flag was on the command line.
func (f *flags) given(name string) bool {
	given := false
	f.set.Visit(func(g *flag.Flag) { given = given || g.Name == name })
	return given
}
