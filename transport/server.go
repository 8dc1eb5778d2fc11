package transport

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/internal/bridge"
)

// Bounds of the http.Server of ServeHTTP; the handler has its own for bodies,
// writes and streams. The size of headers is net/http's default.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
)

// Environment variables that say where to listen.
const (
	envAddr = "KERVAN_ADDR"
	envPort = "PORT"
)

// ServeHTTP serves app over Streamable HTTP until ctx ends; then it shuts down
// as [Handler.Shutdown] does, and returns nil. See [Addr] for the address and
// [Path] for the path. It installs no handler for SIGINT and SIGTERM; [Serve]
// does.
//
// It returns the mistakes in the app's definition and in the options, and an
// error when it cannot listen. On an address that other machines can reach it
// does not start without [AllowedHosts] or [AllowedHostFunc].
func ServeHTTP(ctx context.Context, app *kervan.App, opts ...Option) error {
	o, err := newOptions(opts)
	if err != nil {
		return err
	}
	return serveHTTP(ctx, app, o)
}

func serveHTTP(ctx context.Context, app *kervan.App, o *options) error {
	if err := o.applyPath(); err != nil {
		return err
	}
	addr, err := o.address(os.Getenv(envAddr), os.Getenv(envPort))
	if err != nil {
		return err
	}
	h, err := newHandler(app, o)
	if err != nil {
		return err
	}
	listener, err := o.listen(ctx, addr)
	if err != nil {
		return err
	}
	return h.serveListener(ctx, listener)
}

// applyPath takes the path of --path, else of Path, else the default.
func (o *options) applyPath() error {
	if o.flags != nil && o.flags.given("path") {
		if err := Path(o.flags.path).apply(o); err != nil {
			return badValue("--path", o.flags.path, "it must begin with / and have no ?, # or wildcard")
		}
	}
	if o.path == "" {
		o.path = defaultPath
	}
	return nil
}

// address returns where to listen (rule 3.13).
func (o *options) address(envAddr, envPort string) (string, error) {
	addr := defaultAddr
	switch {
	case o.addr != "":
		addr = o.addr
	case envAddr != "":
		addr = envAddr
	case envPort != "":
		if _, err := strconv.ParseUint(envPort, 10, 16); err != nil {
			return "", errBadPort
		}
		addr = net.JoinHostPort("127.0.0.1", envPort)
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", serveError(addr, badAddr)
	}
	if o.flags != nil && o.flags.given("host") {
		host = strings.Trim(o.flags.host, "[]")
	}
	if o.flags != nil && o.flags.given("port") {
		port = strconv.Itoa(o.flags.port)
	}
	return net.JoinHostPort(host, port), nil
}

// listen opens the listener, unless it could be reached by names that nobody
// has allowed.
func (o *options) listen(ctx context.Context, addr string) (net.Listener, error) {
	host, _, _ := net.SplitHostPort(addr) // made by address
	if !o.hosts.given() && !isLoopback(host) {
		return nil, serveError(addr, needHosts)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, serveError(addr, listenProblem(err))
	}
	// localhost is what the resolver says it is.
	at, ok := listener.Addr().(*net.TCPAddr)
	if !o.hosts.given() && (!ok || !at.IP.IsLoopback()) {
		_ = listener.Close()
		return nil, serveError(addr, needHosts)
	}
	return listener, nil
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

// listenProblem returns the cause alone: the address stands before it already.
func listenProblem(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	var call *os.SyscallError
	if errors.As(err, &call) {
		err = call.Err
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}

// serveListener serves until ctx ends or accepting fails.
func (h *Handler) serveListener(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          slog.NewLogLogger(h.logger.Handler(), slog.LevelWarn),
		// Calls end by Shutdown, not because ctx does.
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	addr := listener.Addr()
	h.logger.Info(logListening, "address", addr.String(), "path", h.o.path)
	bridge.Kervan().Emit(h.app, kervan.TransportEvent{Listening: addr})
	if h.o.onListen != nil {
		h.o.onListen(addr)
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		_ = h.Shutdown(context.WithoutCancel(ctx))
		_ = server.Close()
		return serveError(addr.String(), listenProblem(err))
	case <-ctx.Done():
	}
	h.stop(server)
	<-failed
	return nil
}

// stop shuts a server down in the order of rule 3.12.
func (h *Handler) stop(server *http.Server) {
	ctx := context.Background()
	h.drain(ctx)
	closed := make(chan struct{})
	deadline, cancel := context.WithTimeout(ctx, h.drainTime()+2*lastWait)
	defer cancel()
	go func() {
		defer close(closed)
		_ = server.Shutdown(deadline) // closes the listener at once
	}()
	_ = h.finish(ctx)
	sleepUntil(closed, lastWait)
	_ = server.Close()
	<-closed
}

// sleepUntil waits for done, for at most d.
func sleepUntil(done <-chan struct{}, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}
