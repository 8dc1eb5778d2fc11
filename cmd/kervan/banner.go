package main

import (
	"net"
	"slices"

	"github.com/kervan-mcp/kervan/spec"
)

// announce says what was loaded and, over stdio, that it is served.
func (s *server) announce() {
	var names []string
	for _, t := range s.registry.Tools() {
		names = append(names, t.Info().Name)
	}
	say := s.process.messages.Printf
	say("%s", textLoaded(s.current, s.command.Spec, names))
	if s.command.AllowPrivateNetwork {
		say("%s", textPrivateAllowed)
	}
	if s.command.AllowInsecureSecrets {
		say("%s", textInsecureAllowed)
	}
	if s.watcher != nil {
		say("%s", textWatching(s.command.files()))
	}
	if s.endpoint == nil {
		say("%s", textServingStdio)
	}
}

// announceHTTP says where it is served.
func (s *server) announceHTTP(addr net.Addr) {
	say := s.process.messages.Printf
	say("%s", textServingHTTP(addr, s.endpoint.path))
	switch {
	case s.gate != nil:
		say("%s", textTokenNeeded(*s.command.AuthTokenEnv))
	case !s.endpoint.onLoopback():
		say("%s", textOpen)
	case s.command.AllowedHosts != nil && !s.command.NoAuth:
		say("%s", textOpenBehindProxy)
	}
}

// warn prints warnings of a spec that are not known yet, wherever they stand in
// the file.
func (s *server) warn(warnings, known []spec.Issue) {
	for _, w := range warnings {
		if !slices.ContainsFunc(known, func(k spec.Issue) bool { return k.Path == w.Path && k.Message == w.Message }) {
			s.process.messages.Printf("%s", textWarning(s.command.Spec, w))
		}
	}
}
