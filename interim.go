package kervan

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// An interim result asks the client for input before the tool can go on
// (rule 1.16).
type interim struct {
	requests mcp.InputRequestMap
	encoded  []byte // the same as JSON
	state    string
	meta     []byte // members of _meta
}

// maxRounds bounds how often a tool may ask within one call.
const maxRounds = 10

// stateLifetime is how long a client may take to answer.
const stateLifetime = 10 * time.Minute

var errTooManyRounds = errors.New("the tool asked for input too often in one call")

// interimAnswer encodes an interim result, where user code may panic.
func interimAnswer(r *Result) (*answer, error) {
	in := &interim{requests: r.InputRequests, state: r.RequestState}
	var err error
	if in.meta, err = encodeMeta(r.Meta); err != nil {
		return nil, errUnencodable{err}
	}
	for id, request := range r.InputRequests {
		if isNil(request) {
			return nil, fmt.Errorf("input request %q is nil", id)
		}
	}
	data, err := json.Marshal(r.InputRequests)
	if err != nil {
		return nil, errUnencodable{err}
	}
	if in.encoded, err = jsonx.AppendCanonical(nil, data); err != nil {
		return nil, errUnencodable{err}
	}
	return &answer{interim: in, outcome: OutcomeInputRequired}, nil
}

// interimResult is the interim result for a client of the new era.
func (p *projection) interimResult(req *request, in *interim) mcp.Result {
	state := p.app.seals.seal(in.state, binding(req), time.Now().Add(stateLifetime))
	return &interimResult{frame: p, interim: in, sealed: state}
}

type interimResult struct {
	mcp.ResultBase
	frame   *projection
	interim *interim
	sealed  string
}

// MarshalJSON writes the result as 2026-07-28 has it.
func (r *interimResult) MarshalJSON() ([]byte, error) {
	b := r.frame.appendMeta([]byte{'{'}, r.interim.meta, r.Meta)
	b = append(append(b, `"inputRequests":`...), r.interim.encoded...)
	b = jsonx.AppendString(append(b, `,"requestState":`...), r.sealed)
	return append(b, `,"resultType":"input_required"}`...), nil
}

// openState verifies the state that a client sent with a call.
func (a *App) openState(req *request, sealed string) error {
	if sealed == "" {
		return nil
	}
	state, ok := a.seals.open(sealed, binding(req), time.Now())
	if !ok {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: textBadState}
	}
	req.state = state
	return nil
}

// binding digests what a state belongs to: another tool, caller, registry or
// other arguments cannot use it.
func binding(req *request) []byte {
	args := req.arguments
	if tree, err := jsonx.Parse(args, jsonx.Limits{Depth: maxArgumentDepth}); err == nil {
		args = jsonx.AppendValue(nil, tree)
	}
	h := sha256.New()
	for _, part := range [][]byte{[]byte(req.tool.tool.info.Name), []byte(req.principal), []byte(req.registry), args} {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write(part)
	}
	return h.Sum(nil)
}

// A sealer encrypts and authenticates request states with AES-256-GCM.
type sealer struct{ keys []cipher.AEAD }

func newSealer(secrets [][]byte) *sealer {
	if len(secrets) == 0 {
		random := make([]byte, 32)
		_, _ = rand.Read(random) // never fails
		secrets = [][]byte{random}
	}
	s := &sealer{}
	for _, secret := range secrets {
		key := sha256.Sum256(append([]byte("kervan request state 1\x00"), secret...))
		block, err := aes.NewCipher(key[:])
		if err != nil {
			continue // not with a key of 32 bytes
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			continue
		}
		s.keys = append(s.keys, aead)
	}
	return s
}

func (s *sealer) seal(state string, binding []byte, expires time.Time) string {
	plain := binary.BigEndian.AppendUint64(nil, uint64(expires.Unix()))
	sealed := s.keys[0].Seal(nil, nil, append(plain, state...), binding)
	return base64.RawURLEncoding.EncodeToString(sealed)
}

func (s *sealer) open(sealed string, binding []byte, now time.Time) (string, bool) {
	data, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil || base64.RawURLEncoding.EncodeToString(data) != sealed {
		return "", false // one state has one spelling
	}
	for _, key := range s.keys {
		plain, err := key.Open(nil, nil, data, binding)
		if err != nil || len(plain) < 8 {
			continue
		}
		if now.Unix() > int64(binary.BigEndian.Uint64(plain)) {
			return "", false
		}
		return string(plain[8:]), true
	}
	return "", false
}
