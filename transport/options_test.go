package transport_test

import (
	"flag"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

func TestRule3_13_ChoiceOfTransport(t *testing.T) {
	busy := listenLocal(t).Addr().String()
	_, busyPort, _ := net.SplitHostPort(busy)
	overHTTP := "cannot serve on " + busy + ": address already in use" // and nothing else chooses the address
	const (
		both = "cannot serve: --http and --stdio exclude each other; give one of them"
		two  = "cannot serve: the options choose two transports; give one of them"
	)
	for _, tt := range []struct {
		name, env, args string
		opts            []transport.Option
		want            string // the error
	}{
		{"default", "", "", nil, ""},
		{"environment", "http", "", nil, overHTTP},
		{"environment stdio", "stdio", "", nil, ""},
		{"bad environment", "HTTP", "", nil, `cannot serve: KERVAN_TRANSPORT is "HTTP"; set it to stdio or http, or leave it out`},
		{"option", "", "", []transport.Option{transport.HTTP()}, overHTTP},
		{"option before environment", "http", "", []transport.Option{transport.Stdio()}, ""},
		{"flag", "", "--http --port " + busyPort, nil, overHTTP},
		{"flag before environment", "http", "--stdio", nil, ""},
		{"flags of HTTP only", "", "--host 0.0.0.0 --port 1 --path /x", nil, ""},
		{"both flags", "", "--http --stdio", nil, both},
		{"both options", "", "", []transport.Option{transport.HTTP(), transport.Stdio()}, two},
		{"flag and option", "", "--http", []transport.Option{transport.Stdio()}, two},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("KERVAN_TRANSPORT", tt.env)
			t.Setenv("KERVAN_ADDR", busy)
			fs := flag.NewFlagSet("test", flag.ContinueOnError)
			opts := append(tt.opts, transport.BindFlags(fs), transport.WithIO(strings.NewReader(""), io.Discard))
			require.NoError(t, fs.Parse(strings.Fields(tt.args)))
			err := transport.Serve(t.Context(), kervan.NewApp("test", "1"), opts...)
			if tt.want == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, tt.want)
			}
		})
	}
}

func TestBadOptions(t *testing.T) {
	stream := transport.WithIO(strings.NewReader(""), io.Discard)
	for _, tt := range []struct {
		opt  transport.Option
		want string
	}{
		{nil, "cannot serve: an option is nil"},
		{transport.WithIO(nil, io.Discard), "cannot serve over stdio: WithIO needs a reader and a writer"},
		{transport.WithMaxLine(0), "cannot serve: WithMaxLine is 0; it must be positive"},
		{transport.WithDrain(-1), "cannot serve: WithDrain is -1ns; it must be positive"},
	} {
		assert.EqualError(t, transport.ServeStdio(t.Context(), kervan.NewApp("test", "1"), stream, tt.opt), tt.want)
	}
	assert.EqualError(t, transport.Serve(t.Context(), nil, stream), "cannot serve: the app is nil")
}
