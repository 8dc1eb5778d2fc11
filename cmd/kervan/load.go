package main

import (
	"context"

	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/spec"
)

// options are how specs are loaded, as the command line says.
func (s *server) options() spec.Options {
	return spec.Options{
		Name: s.command.Spec,
		Network: guard.Policy{
			AllowPrivate: s.command.AllowPrivateNetwork,
			Deny:         s.command.DenyNetworks,
		},
		AllowInsecureSecrets: s.command.AllowInsecureSecrets,
		Sandbox:              s.sandbox,
		Logger:               s.process.log,
	}
}

// load loads the spec of in with the secrets and variables of env. The secrets
// that it names are kept out of messages, those of its errors too: an author may
// have written the value in the place of the name.
func (s *server) load(ctx context.Context, in inputs, env *spec.Env, options spec.Options) (*spec.Spec, error) {
	if in.textErr != nil {
		return nil, in.textErr
	}
	s.process.hideNamed(in.text, env)
	options.Secrets = env
	return spec.Load(ctx, in.text, options)
}

// accept serves loaded in the place of what is served now. With an error nothing
// changes, and loaded is closed.
func (s *server) accept(loaded *spec.Spec) error {
	if err := spec.Apply(s.registry, loaded); err != nil {
		_ = loaded.Close()
		return err
	}
	if s.current != nil {
		_ = s.current.Close()
	}
	s.current = loaded
	return nil
}
