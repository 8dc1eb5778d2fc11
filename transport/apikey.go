package transport

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
)

// minKeyLen keeps out keys that can be guessed.
const minKeyLen = 16

// APIKeys authenticates requests by a key in a header, such as "X-API-Key";
// with "Authorization", the key is sent as a bearer token, which most clients
// can do. keys gives what is known of who has each key, which needs a UserID
// and may have an Expiration. A key has at least 16 characters; make it of random
// bytes. Requests without a key, and with an unknown or expired one, are refused
// with 401. It takes the place of [Authenticate].
//
// How long the comparison takes tells nothing about the keys. The infos must
// not be changed afterwards; for keys that come and go use [APIKeyFunc].
func APIKeys(header string, keys map[string]*auth.TokenInfo) Option {
	return optionFunc(func(o *options) error {
		inBearer := http.CanonicalHeaderKey(header) == headerAuthorization
		table, err := newKeyTable(keys, inBearer)
		if err != nil {
			return err
		}
		return APIKeyFunc(header, table.lookup).apply(o)
	})
}

// APIKeyFunc is [APIKeys] with keys that lookup knows. It gets the key as sent,
// if it has at least 16 characters, and returns nil and no error for one that it
// does not know. An error, a panic, and info without UserID are answered with
// 500 and a reference to the log. It is called at the same time from several
// requests, and should look for a hash of the key, so that neither timing nor a
// stolen table gives keys away.
func APIKeyFunc(header string, lookup func(ctx context.Context, key string) (*auth.TokenInfo, error)) Option {
	return optionFunc(func(o *options) error {
		a := apiKeys{header: http.CanonicalHeaderKey(header), lookup: lookup}
		switch {
		case !isHeaderName(header):
			return badValue("the header of APIKeys", header, "it must be the name of a header, such as X-API-Key")
		case lookup == nil:
			return errNoLookup
		}
		return Authenticate(a.authenticate).apply(o)
	})
}

// apiKeys is the hook for authentication.
type apiKeys struct {
	header string
	lookup func(context.Context, string) (*auth.TokenInfo, error)
}

func (a *apiKeys) authenticate(r *http.Request) (*auth.TokenInfo, error) {
	values := r.Header[a.header]
	switch {
	case len(values) > 1:
		return nil, &Refusal{Status: http.StatusBadRequest, Message: textRepeatedKey}
	case len(values) == 0 || values[0] == "":
		return nil, a.unauthorized(textNeedsKey)
	}
	key, present := values[0], true
	if a.header == headerAuthorization {
		if key, present = bearerToken(key); !present {
			return nil, a.unauthorized(textNeedsKey)
		}
	}
	if len(key) < minKeyLen {
		return nil, a.unauthorized(textUnknownKey)
	}
	info, err := a.lookup(r.Context(), key)
	switch {
	case err != nil:
		return nil, err
	case info == nil || !info.Expiration.IsZero() && !time.Now().Before(info.Expiration):
		return nil, a.unauthorized(textUnknownKey)
	case info.UserID == "":
		return nil, errAnonymous
	}
	return info, nil
}

// unauthorized refuses with the challenge that a 401 must have. For a header of
// its own there is no registered scheme; this one names the header, and does
// not make clients begin with OAuth.
func (a *apiKeys) unauthorized(message string) *Refusal {
	value := schemeBearer
	switch {
	case a.header != headerAuthorization:
		value = challenge("ApiKey", []param{{"header", a.header}})
	case message == textUnknownKey:
		value = challenge(schemeBearer, []param{{"error", codeInvalidToken}})
	}
	return &Refusal{Status: http.StatusUnauthorized, Header: http.Header{headerAuthenticate: {value}}, Message: message}
}

// isHeaderName reports a token of RFC 9110.
func isHeaderName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// A keyTable finds keys in a time that does not depend on them: it compares
// digests, which nobody can choose because of the salt, and all of them.
type keyTable struct {
	salt    [32]byte
	digests [][sha256.Size]byte
	infos   []*auth.TokenInfo
}

func newKeyTable(keys map[string]*auth.TokenInfo, inBearer bool) (*keyTable, error) {
	if len(keys) == 0 {
		return nil, errNoKeys
	}
	t := new(keyTable)
	_, _ = rand.Read(t.salt[:]) // never fails: crypto/rand ends the process instead
	for key, info := range keys {
		switch {
		case len(key) < minKeyLen:
			return nil, errShortKey
		case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
			return nil, errBadKey
		case inBearer && !isToken(key):
			return nil, errNoToken
		case info == nil || info.UserID == "":
			return nil, errNoUser
		}
		t.digests = append(t.digests, t.digest(key))
		t.infos = append(t.infos, info)
	}
	return t, nil
}

func (t *keyTable) digest(key string) [sha256.Size]byte {
	return sha256.Sum256(append(t.salt[:len(t.salt):len(t.salt)], key...))
}

func (t *keyTable) lookup(_ context.Context, key string) (*auth.TokenInfo, error) {
	digest := t.digest(key)
	found := -1
	for i := range t.digests {
		same := subtle.ConstantTimeCompare(t.digests[i][:], digest[:])
		found = subtle.ConstantTimeSelect(same, i, found)
	}
	if found < 0 {
		return nil, nil
	}
	return t.infos[found], nil
}
