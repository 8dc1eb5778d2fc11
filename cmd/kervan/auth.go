package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"regexp"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/kervan-mcp/kervan/spec"
	"github.com/kervan-mcp/kervan/transport"
)

// minToken is the fewest characters of a bearer token, so that it cannot be
// guessed.
const minToken = 16

// isBearerToken reports what a client can send in a header (RFC 6750).
var isBearerToken = regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*$`).MatchString

// A tokenGate lets requests in that carry the operator's bearer token, which
// may be replaced at any time.
type tokenGate struct {
	salt   [sha256.Size]byte
	digest atomic.Pointer[[sha256.Size]byte]
}

func newTokenGate() *tokenGate {
	g := new(tokenGate)
	_, _ = rand.Read(g.salt[:]) // never fails: crypto/rand ends the process instead
	return g
}

func (g *tokenGate) replace(token string) {
	digest := g.digestOf(token)
	g.digest.Store(&digest)
}

func (g *tokenGate) digestOf(token string) [sha256.Size]byte {
	return sha256.Sum256(append(g.salt[:len(g.salt):len(g.salt)], token...))
}

// option authenticates requests. How long it takes tells nothing of the token:
// salted digests are compared, in constant time.
func (g *tokenGate) option() transport.Option {
	return transport.APIKeyFunc("Authorization", func(_ context.Context, key string) (*auth.TokenInfo, error) {
		digest := g.digestOf(key)
		if subtle.ConstantTimeCompare(digest[:], g.digest.Load()[:]) != 1 {
			return nil, nil
		}
		return &auth.TokenInfo{UserID: "operator"}, nil
	})
}

// guardWith asks callers for a token from now on, which no message shows.
func (s *server) guardWith(token string) {
	if s.gate == nil {
		s.gate = newTokenGate()
	}
	s.process.hide(*s.command.AuthTokenEnv, token)
	s.gate.replace(token)
}

// token returns the bearer token that callers need, "" for none, or why there
// must be one that is not there. Whoever reaches the port spends the operator's
// secrets, so an endpoint off loopback is open to everybody only if that is
// said.
func (c *runCommand) token(e endpoint, env *spec.Env) (string, error) {
	switch {
	case c.AuthTokenEnv != nil && c.NoAuth:
		return "", errTokenAndNone
	case c.AuthTokenEnv != nil:
		return readToken(*c.AuthTokenEnv, env)
	case !c.NoAuth && !e.onLoopback():
		return "", textNeedsToken(e)
	}
	return "", nil
}

// readToken never shows a token, nor what stands where a name belongs.
func readToken(name string, env *spec.Env) (string, error) {
	if !isName(name) {
		return "", errTokenName
	}
	token, _ := env.Lookup(name)
	switch {
	case token == "":
		return "", textNoToken(name)
	case len(token) < minToken:
		return "", textShortToken(name)
	case !isBearerToken(token):
		return "", textBadToken(name)
	}
	return token, nil
}
