package main

import (
	"context"
	"slices"
	"time"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/internal/bridge"
	"github.com/kervan-mcp/kervan/spec"
)

// settle is how long a file that looks bad is left alone before it is read
// again: it may be in the middle of being written.
const settle = 200 * time.Millisecond

// reload reads the files again and serves what they say now. If that is the same
// as before, nothing happens; if it is wrong, the last good version stays.
func (s *server) reload(ctx context.Context) {
	in := s.command.read()
	for !in.equal(s.judged) {
		loaded, err := s.loadAgain(ctx, in)
		if err == nil {
			s.judged = in
			s.replace(loaded)
			return
		}
		if !sleep(ctx, settle) {
			return
		}
		again := s.command.read()
		if again.equal(in) {
			s.judged = in
			s.refuse(err)
			return
		}
		in = again
	}
}

// loadAgain loads what the files say, by the same rules as at the start.
func (s *server) loadAgain(ctx context.Context, in inputs) (*spec.Spec, error) {
	if in.envErr != nil {
		return nil, append(lines(in.envErr), lines(in.textErr)...)
	}
	wrong := s.command.checkProduction(in.env)
	if s.gate != nil {
		if _, err := readToken(*s.command.AuthTokenEnv, in.env); err != nil {
			wrong.add(err)
		}
	}
	loaded, err := s.load(ctx, in, in.env, s.options())
	if wrong.add(lines(err)...); wrong == nil {
		return loaded, nil
	}
	if loaded != nil {
		_ = loaded.Close()
	}
	return nil, wrong
}

// replace serves loaded from now on. Running calls finish as they began.
func (s *server) replace(loaded *spec.Spec) {
	before, known := s.registry.Tools(), s.current.Warnings()
	if err := s.accept(loaded); err != nil {
		s.refuse(err)
		return
	}
	if s.gate != nil {
		token, _ := readToken(*s.command.AuthTokenEnv, s.judged.env) // loadAgain saw that it is good
		s.guardWith(token)
	}
	bridge.Kervan().Describe(s.app, loaded.Name(), loaded.Version(), loaded.Description())
	s.process.messages.Printf("%s", textReloaded(s.command.Spec, compare(before, s.registry.Tools())))
	s.warn(loaded.Warnings(), known)
}

// refuse says why the last good version stays.
func (s *server) refuse(err error) {
	s.process.messages.Printf("%s", textKept(s.command.Spec))
	for _, line := range lines(err) {
		s.process.messages.Printf("  %v", line)
	}
}

// A difference names the tools in which two lists differ.
type difference struct{ added, removed, changed []string }

func compare(before, after []*kervan.RegisteredTool) difference {
	find := func(tools []*kervan.RegisteredTool, name string) *kervan.RegisteredTool {
		i := slices.IndexFunc(tools, func(t *kervan.RegisteredTool) bool { return t.Info().Name == name })
		if i < 0 {
			return nil
		}
		return tools[i]
	}
	var d difference
	for _, t := range after {
		name := t.Info().Name
		switch find(before, name) {
		case nil:
			d.added = append(d.added, name)
		case t:
		default:
			d.changed = append(d.changed, name)
		}
	}
	for _, t := range before {
		if name := t.Info().Name; find(after, name) == nil {
			d.removed = append(d.removed, name)
		}
	}
	return d
}

// sleep waits for d, and reports whether ctx is still there.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
