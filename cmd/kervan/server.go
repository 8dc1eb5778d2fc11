package main

import (
	"context"
	"net"
	"sync"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/cmd/kervan/internal/watch"
	"github.com/kervan-mcp/kervan/sandbox"
	"github.com/kervan-mcp/kervan/spec"
	"github.com/kervan-mcp/kervan/transport"
)

// A server serves a spec, and newer versions of it. What is below current
// belongs to one goroutine at a time: the one that prepares, then the watcher's.
type server struct {
	command  *runCommand
	process  *process
	endpoint *endpoint  // nil over stdio
	gate     *tokenGate // nil where callers need no token
	sandbox  *sandbox.Pool
	registry *kervan.MemoryRegistry
	watcher  *watch.Watcher // nil without --watch
	app      *kervan.App

	current *spec.Spec
	judged  inputs // what was read last, and either accepted or refused
}

// serve serves until the client is gone or ctx ends.
func (s *server) serve(ctx context.Context) error {
	s.app = kervan.NewApp(s.current.Name(), s.current.Version(),
		kervan.WithInstructions(s.current.Description()), kervan.WithRegistry(s.registry), kervan.WithLogger(s.process.log))
	s.announce()
	ctx, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	if s.watcher != nil {
		watching.Go(func() { s.watcher.Run(ctx, func() { s.reload(ctx) }) })
	}
	err := transport.Serve(ctx, s.app, s.transport()...)
	stop()
	watching.Wait()
	return err
}

// transport returns the options of serving. The signals are main's.
func (s *server) transport() []transport.Option {
	if s.endpoint == nil {
		return []transport.Option{transport.WithoutSignals(), transport.Stdio()}
	}
	options := []transport.Option{
		transport.WithoutSignals(), transport.HTTP(),
		transport.Addr(s.endpoint.address()), transport.Path(s.endpoint.path),
		transport.OnListen(func(addr net.Addr) { s.announceHTTP(addr) }),
	}
	if hosts := s.command.AllowedHosts; hosts != nil {
		options = append(options, transport.AllowedHosts(hosts...))
	}
	if origins := s.command.AllowedOrigins; origins != nil {
		options = append(options, transport.AllowedOrigins(origins...))
	}
	if s.gate != nil {
		options = append(options, s.gate.option())
	}
	return options
}

func (s *server) close() {
	if s.watcher != nil {
		s.watcher.Close()
	}
	if s.current != nil {
		_ = s.current.Close()
	}
	_ = s.sandbox.Close()
}
