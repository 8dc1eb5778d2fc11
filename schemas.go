package kervan

import (
	"sync"
	"weak"

	"github.com/kervan-mcp/kervan/internal/schema"
)

// schemas lets tools of one registry share compiled schemas: many have the
// same, such as the one of no arguments, and a compiled schema is what most of
// a tool's memory goes into. It holds them weakly, so that a tool that is
// removed takes its schemas with it. Nil shares nothing.
type schemas struct {
	mu    sync.Mutex
	known map[schemaKey]weak.Pointer[schema.Validator]
	swept int // how many were known after the last sweep
}

type schemaKey struct {
	text   string
	output bool
}

func (s *schemas) compile(text []byte, o schema.Options) (*schema.Validator, error) {
	if s == nil {
		return schema.Compile(text, o)
	}
	key := schemaKey{string(text), o.Output}
	s.mu.Lock()
	v := s.known[key].Value()
	s.mu.Unlock()
	if v != nil {
		return v, nil
	}
	v, err := schema.Compile(text, o)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	if s.known == nil {
		s.known = map[schemaKey]weak.Pointer[schema.Validator]{}
	}
	s.known[key] = weak.Make(v)
	return v, nil
}

// sweep drops the schemas that are gone, when there may be many.
func (s *schemas) sweep() {
	if len(s.known) < 2*s.swept+64 {
		return
	}
	for key, w := range s.known {
		if w.Value() == nil {
			delete(s.known, key)
		}
	}
	s.swept = len(s.known)
}
