package transport

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan/internal/wire"
)

const (
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerSession = "Mcp-Session-Id"

	// firstModern is the first protocol version without a handshake.
	firstModern = "2026-07-28"
	// versionWithoutHeader is what clients speak that send no version header.
	versionWithoutHeader = "2025-03-26"

	methodInitialize = "initialize"
	methodCallTool   = "tools/call"
	methodListTools  = "tools/list"
	methodListen     = "subscriptions/listen"
)

var protocolVersions = mcp.SupportedProtocolVersions()

// checkHeaders compares what headers and body say of protocol version, method
// and name (rule 3.9), so that what routes or filters by headers sees the call
// that runs.
func (q *request) checkHeaders() *refusal {
	if q.call == nil { // an answer of the client to a session's request
		q.version = versionWithoutHeader
		return nil
	}
	no := q.checkVersion()
	if no == nil {
		no = q.checkMethod()
	}
	if no == nil {
		no = q.checkName()
	}
	if no == nil || !q.call.IsCall() {
		return no
	}
	return no.with(q.id())
}

// id returns the JSON of the call's id.
func (q *request) id() []byte { return wire.AppendID(nil, q.call.ID) }

func (q *request) checkVersion() *refusal {
	declared, own := headerOf(q.r.Header, headerVersion), q.facts.Version
	q.modern = declared >= firstModern || q.facts.Versioned && own >= firstModern
	q.version = declared
	switch {
	case declared == "" && !q.facts.Versioned:
		q.version = versionWithoutHeader
		return nil
	case declared == "":
		return mismatchNoVersion
	case q.facts.Versioned && own == "":
		return refuseNoMeta // it is not a string
	case q.facts.Versioned && own != declared:
		return mismatchVersion
	case !slices.Contains(protocolVersions, declared):
		if q.call.Method == methodInitialize && !q.facts.Versioned {
			q.modern = false // answered with a version that there is
			return nil
		}
		return unsupportedVersion(declared)
	case q.modern && !q.facts.Versioned && q.call.IsCall():
		return refuseNoMeta
	}
	return nil
}

// unsupportedVersion tells a client what there is, and what it asked for if
// that looks like a version.
func unsupportedVersion(requested string) *refusal {
	data := mcp.UnsupportedProtocolVersionData{Supported: protocolVersions}
	if isVersionLike(requested) {
		data.Requested = requested
	}
	f := *refuseVersion
	f.data, _ = json.Marshal(data) // strings never fail
	return &f
}

func isVersionLike(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '-', c == '.':
		default:
			return false
		}
	}
	return len(s) <= 32
}

func (q *request) checkMethod() *refusal {
	declared := headerOf(q.r.Header, headerMethod)
	switch {
	case declared == q.call.Method:
		return nil
	case declared != "":
		return mismatchMethod
	case q.modern:
		return mismatchNoMethod
	}
	return nil
}

func (q *request) checkName() *refusal {
	if !wire.HasName(q.call.Method) {
		return nil
	}
	declared := headerOf(q.r.Header, headerName)
	switch {
	case declared == "" && !q.modern:
		return nil
	case declared == "":
		return mismatchNoName
	case !q.facts.Named:
		return refuseNoName
	case declared == q.facts.Name && !strings.HasPrefix(declared, encodedPrefix):
		return nil
	}
	name, ok := decodeHeader(declared)
	if !ok || name != q.facts.Name {
		return mismatchName
	}
	return nil
}

const (
	encodedPrefix = "=?base64?"
	encodedSuffix = "?="
)

// decodeHeader returns what a header value stands for, which may be encoded to
// fit into a header.
func decodeHeader(value string) (string, bool) {
	encoded, ok := strings.CutPrefix(value, encodedPrefix)
	if !ok {
		return value, true
	}
	if encoded, ok = strings.CutSuffix(encoded, encodedSuffix); !ok {
		return value, true
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(encoded)
	return string(decoded), err == nil
}

// checkParam compares an argument with the header that mirrors it. A value that
// no header can carry is left to the validation of arguments, unless a header
// claims to carry it.
func (q *request) checkParam(header string, path []string) *refusal {
	declared := headerOf(q.r.Header, header)
	value := wire.Lookup(q.facts.Arguments, path...)
	switch {
	case value == nil || string(value) == "null":
		if declared != "" {
			return mismatchParamAbsent
		}
		return nil
	case declared == "":
		if mirrored(value) && string(value) != `""` {
			return mismatchNoParam
		}
		return nil
	}
	text, ok := decodeHeader(declared)
	if !ok || !mirrors(text, value) {
		return mismatchParam
	}
	return nil
}

// mirrored reports whether a header can carry a JSON value: strings, booleans
// and integers.
func mirrored(value []byte) bool {
	switch value[0] {
	case '"', 't', 'f':
		return true
	case '{', '[':
		return false
	}
	_, ok := wire.IntegerDigits(string(value))
	return ok
}

// mirrors reports whether a header's text stands for a JSON value. Integers
// compare by value, whatever their size.
func mirrors(text string, value []byte) bool {
	switch value[0] {
	case '"':
		return text == wire.Text(value)
	case 't', 'f':
		return text == string(value)
	case '{', '[':
		return false
	}
	want, ok := wire.IntegerDigits(string(value))
	got, ok2 := wire.IntegerDigits(text)
	return ok && ok2 && want == got
}
