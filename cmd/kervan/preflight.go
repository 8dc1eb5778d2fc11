package main

import (
	"context"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/cmd/kervan/internal/watch"
	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/sandbox"
	"github.com/kervan-mcp/kervan/spec"
)

// prepare checks everything that can be checked before serving, and reports all
// problems at once. Without any it returns what is ready to be served, and must
// be closed.
func (c *runCommand) prepare(ctx context.Context, p *process) (*server, error) {
	s := &server{command: c, process: p, registry: new(kervan.MemoryRegistry)}
	s.sandbox = sandbox.New(sandbox.Options{Logger: p.log})
	if c.Watch { // before anything is read, so that no change is missed
		s.watcher = watch.New(c.files()...)
	}
	if err := s.preflight(ctx); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *server) preflight(ctx context.Context) error {
	s.judged = s.command.read()
	wrong := lines(s.judged.envErr)
	env := s.judged.env
	if env == nil {
		env = spec.EnvSecrets()
	}
	unsafe := append(s.command.checkProduction(env), s.command.checkNetworks()...)
	wrong.add(unsafe...)
	wrong.add(s.command.checkWatch()...)
	wrong.add(s.checkTransport(ctx, env)...)
	options := s.options()
	if unsafe != nil { // they were refused above, and once is enough
		options.AllowInsecureSecrets, options.Network = false, guard.Policy{}
	}
	loaded, err := s.load(ctx, s.judged, env, options)
	wrong.add(lines(err)...)
	if loaded != nil {
		s.warn(loaded.Warnings(), nil)
	}
	switch {
	case wrong == nil:
		return s.accept(loaded)
	case loaded != nil:
		_ = loaded.Close()
	}
	return wrong
}

// checkProduction refuses the options that are for development.
func (c *runCommand) checkProduction(env *spec.Env) problems {
	var wrong problems
	if !isProduction(env) {
		return nil
	}
	if c.AllowPrivateNetwork {
		wrong.add(textProduction("--allow-private-network"))
	}
	if c.AllowInsecureSecrets {
		wrong.add(textProduction("--allow-insecure-secrets"))
	}
	return wrong
}

// checkNetworks finds malformed entries; the guard knows what it accepts.
func (c *runCommand) checkNetworks() problems {
	var wrong problems
	for _, network := range c.DenyNetworks {
		if _, err := guard.NewTransport(guard.Policy{Deny: []string{network}}); err != nil {
			wrong.add(textNetwork(network))
		}
	}
	return wrong
}

// checkTransport decides over what to serve, and whether that is possible.
func (s *server) checkTransport(ctx context.Context, env *spec.Env) problems {
	var wrong problems
	http, err := s.command.overHTTP()
	if err != nil {
		wrong.add(err)
	}
	if !http {
		for _, flag := range s.command.httpFlags() {
			wrong.add(textNeedsHTTP(flag))
		}
		return wrong
	}
	e, err := s.command.endpoint()
	if err != nil {
		return append(wrong, err)
	}
	s.endpoint = &e
	wrong.add(s.command.checkPatterns(e)...)
	if !e.onLoopback() && s.command.AllowedHosts == nil {
		wrong.add(textNeedsHosts(e))
	}
	token, err := s.command.token(e, env)
	if err != nil {
		wrong.add(err)
	} else if token != "" {
		s.guardWith(token)
	}
	if err := checkAddress(ctx, e); err != nil {
		wrong.add(err)
	}
	return wrong
}
