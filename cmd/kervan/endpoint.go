package main

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

// Environment variables that say where to serve; the transport's own.
const (
	envTransport = "KERVAN_TRANSPORT"
	envAddr      = "KERVAN_ADDR"
	envPort      = "PORT"
)

// What is served where neither a flag nor the environment says otherwise.
const (
	defaultHost = "127.0.0.1"
	defaultPort = "3000"
	defaultPath = "/mcp"
)

// An endpoint is where MCP is served over HTTP.
type endpoint struct{ host, port, path string }

func (e endpoint) address() string { return net.JoinHostPort(e.host, e.port) }

// onLoopback reports whether only programs of this machine reach the endpoint.
func (e endpoint) onLoopback() bool {
	addr, err := netip.ParseAddr(e.host)
	return err == nil && addr.IsLoopback()
}

// overHTTP reports whether to serve over HTTP, and not over stdio: as the flag
// says, else the environment.
func (c *runCommand) overHTTP() (bool, error) {
	if c.HTTP {
		return true, nil
	}
	switch value := os.Getenv(envTransport); value {
	case "", "stdio":
		return false, nil
	case "http":
		return true, nil
	default:
		return false, textTransport(value)
	}
}

// httpFlags are the flags given that have an effect over HTTP only.
func (c *runCommand) httpFlags() []string {
	var given []string
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"--host", c.Host != nil}, {"--port", c.Port != nil}, {"--path", c.Path != nil},
		{"--allowed-host", c.AllowedHosts != nil}, {"--allowed-origin", c.AllowedOrigins != nil},
		{"--auth-token-env", c.AuthTokenEnv != nil}, {"--no-auth", c.NoAuth},
	} {
		if flag.given {
			given = append(given, flag.name)
		}
	}
	return given
}

// endpoint returns where to serve: as the flags say, else KERVAN_ADDR, else
// PORT for the port, as the transport does (rule 3.13).
func (c *runCommand) endpoint() (endpoint, error) {
	e := endpoint{host: defaultHost, port: defaultPort, path: defaultPath}
	var err error
	if addr := os.Getenv(envAddr); addr != "" {
		if e.host, e.port, err = net.SplitHostPort(addr); err != nil {
			err = textAddr(addr)
		}
	} else if number := os.Getenv(envPort); number != "" {
		if e.port = number; new(port).parse(number) != nil {
			err = textPort(number)
		}
	}
	if c.Host != nil {
		e.host = strings.Trim(*c.Host, "[]")
	}
	if strings.EqualFold(e.host, "localhost") {
		e.host = defaultHost // and not what a resolver says
	}
	if c.Port != nil {
		e.port = strconv.Itoa(int(*c.Port))
	}
	if c.Path != nil {
		e.path = *c.Path
	}
	return e, err
}

// checkPatterns returns what is wrong with the path and the lists of hosts and
// origins. The transport knows what it accepts.
func (c *runCommand) checkPatterns(e endpoint) problems {
	var wrong problems
	if !accepted(transport.Path(e.path)) {
		wrong.add(textPath(e.path))
	}
	for _, host := range c.AllowedHosts {
		if !accepted(transport.AllowedHosts(host)) {
			wrong.add(textAllowedHost(host))
		}
	}
	for _, origin := range c.AllowedOrigins {
		if !accepted(transport.AllowedOrigins(origin)) {
			wrong.add(textAllowedOrigin(origin))
		}
	}
	return wrong
}

func accepted(option transport.Option) bool {
	_, err := transport.NewHandler(kervan.NewApp("probe", "0"), option)
	return err == nil
}

// checkAddress returns why nothing can listen at the endpoint.
func checkAddress(ctx context.Context, e endpoint) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", e.address())
	if err != nil {
		return textListen(e, reason(err))
	}
	return listener.Close()
}

// reason is the innermost text of a network error; what is around it, the
// message says already.
func reason(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	var call *os.SyscallError
	if errors.As(err, &call) {
		err = call.Err
	}
	return err.Error()
}
