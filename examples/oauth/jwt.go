package main

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
)

// verifyJWT checks signature and issuer; audience, expiration and scopes are
// checked by transport.Bearer. It knows one key and one algorithm, and takes
// neither from the token. For an issuer of your own, use a JWT library that
// fetches its keys, and return the same TokenInfo.
func verifyJWT(key ed25519.PublicKey) auth.TokenVerifier {
	return func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		signed, encoded, ok := cutLast(token, ".")
		signature, err := base64.RawURLEncoding.DecodeString(encoded)
		if !ok || err != nil || !ed25519.Verify(key, []byte(signed), signature) {
			return nil, fmt.Errorf("%w: the signature is wrong", auth.ErrInvalidToken)
		}
		header, payload, _ := strings.Cut(signed, ".")
		var h struct{ Alg string }
		var c claims
		if err := decode(header, &h); err != nil || h.Alg != "EdDSA" {
			return nil, fmt.Errorf("%w: it is not signed with EdDSA", auth.ErrInvalidToken)
		}
		if err := decode(payload, &c); err != nil || c.Issuer != issuer || c.Subject == "" {
			return nil, fmt.Errorf("%w: the claims are wrong", auth.ErrInvalidToken)
		}
		info := &auth.TokenInfo{UserID: c.Subject, Scopes: strings.Fields(c.Scope), Extra: map[string]any{"aud": c.Audience}}
		if c.Expires != 0 {
			info.Expiration = time.Unix(c.Expires, 0)
		}
		return info, nil
	}
}

func decode(part string, out any) error {
	data, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, out)
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
