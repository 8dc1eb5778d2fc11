package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
)

// A testIssuer stands in for an authorization server. TEST ISSUER: for this
// example and its test only. It signs whatever it is given.
type testIssuer struct {
	public  ed25519.PublicKey
	private ed25519.PrivateKey
}

func newTestIssuer() *testIssuer {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err) // the system has no randomness
	}
	return &testIssuer{public, private}
}

// token returns a signed JWT.
func (i *testIssuer) token(c claims) string {
	signed := encode(map[string]string{"alg": "EdDSA", "typ": "at+jwt"}) + "." + encode(c)
	return signed + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(i.private, []byte(signed)))
}

func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers marshal
	}
	return base64.RawURLEncoding.EncodeToString(data)
}
