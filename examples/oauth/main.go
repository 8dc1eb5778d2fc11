// Oauth is an OAuth resource server: it serves tools to whoever has an access
// token that an issuer signed for it. So that it runs without an issuer, it has
// a TEST ISSUER (testissuer.go), whose token it prints.
//
//	go run ./examples/oauth
//
//	claude mcp add --transport http vault http://127.0.0.1:3000/mcp --header "Authorization: Bearer TOKEN"
//	curl -s http://127.0.0.1:3000/.well-known/oauth-protected-resource/mcp
package main

import (
	"context"
	"crypto/ed25519"
	"log"
	"time"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

const (
	resource = "http://127.0.0.1:3000/mcp"
	issuer   = "http://127.0.0.1:9000"
)

func main() {
	test := newTestIssuer()
	log.Print("a token to try this with, good for an hour:\n", test.token(claims{
		Issuer: issuer, Subject: "ada", Audience: audience{resource}, Scope: "secrets:read",
		Expires: time.Now().Add(time.Hour).Unix(),
	}))
	if err := transport.Serve(context.Background(), newApp(), transport.HTTP(), authentication(test.public)); err != nil {
		log.Fatal(err)
	}
}

// authentication accepts tokens of the issuer that are for this resource.
func authentication(key ed25519.PublicKey) transport.Option {
	return transport.Bearer(verifyJWT(key), transport.BearerOptions{
		Resource:             resource,
		AuthorizationServers: []string{issuer},
		Scopes:               []string{"secrets:read"},
		ScopesSupported:      []string{"secrets:read", "secrets:write"},
		ClockSkew:            30 * time.Second,
	})
}

func newApp() *kervan.App {
	app := kervan.NewApp("vault", "1.0.0")
	app.Add(
		kervan.Tool("whoami", "Tells who calls.", whoami).ReadOnly(),
		kervan.Tool("rotate", "Replaces a secret by a new one.", rotate).Scopes("secrets:write"),
	)
	return app
}

type identity struct {
	User   string   `json:"user"`
	Scopes []string `json:"scopes"`
}

func whoami(ctx context.Context, _ kervan.None) (identity, error) {
	info := kervan.CallFromContext(ctx).Auth()
	if info == nil {
		return identity{}, kervan.ToolErrorf("nobody is authenticated")
	}
	return identity{info.UserID, info.Scopes}, nil
}

type rotateIn struct {
	Name string `json:"name" jsonschema:"minLength=1,maxLength=100"`
}

func rotate(_ context.Context, in rotateIn) (string, error) { return in.Name + " is rotated", nil }
