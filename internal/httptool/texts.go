package httptool

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// Every text of this package that a model or a person reads stands here. The
// texts for a model are sentences, and are redacted before they are shown.

// maxShownName bounds a name that an upstream sent, in bytes. A longer one is
// not shown at all: to cut it could cut through a secret.
const maxShownName = 100

// maxShownOmissions is how many shortened arrays are listed; the rest is a
// count.
const maxShownOmissions = 20

// Errors of HostPort, for the author of a specification.
var (
	errBinding = errors.New(`not a host or host:port; write it as in "api.example.com" or "api.example.com:8443", without scheme, path or wildcard`)
	errPort    = errors.New("the port must be a number from 1 to 65535")
)

// Reasons of textFailed.
const (
	reasonDNS          = "its name could not be resolved"
	reasonRefused      = "connection refused"
	reasonReset        = "the connection was reset"
	reasonUnreachable  = "the host cannot be reached"
	reasonTLS          = "TLS failed, or its certificate is not trusted"
	reasonTimeout      = "the connection timed out"
	reasonEnded        = "the connection ended before the response did"
	reasonOther        = "the exchange broke off or was not valid HTTP"
	reasonRedirectHost = "redirect refused: it leads to no valid host"
)

func textTimeout(host string, d time.Duration) string {
	return fmt.Sprintf("The request to %s timed out after %d ms.", host, d.Milliseconds())
}

func textCancelled(host string) string {
	return fmt.Sprintf("The request to %s was cancelled.", host)
}

func textFailed(host, reason string) string {
	return fmt.Sprintf("The request to %s failed: %s.", host, reason)
}

func textRate(tool string, seconds int64) string {
	return fmt.Sprintf("Tool %q is called too often, or too many calls of it are running. Try again in %s.", tool, count(seconds, "second"))
}

func textLimiter(tool string) string {
	return fmt.Sprintf("Tool %q is refused for now: its rate limit cannot be checked. Try again later.", tool)
}

const textArguments = "The arguments are not a valid JSON object."

func textNoVar(name string) string {
	return fmt.Sprintf("The variable %s, which this tool needs, is not set on the server. The call cannot succeed until it is.", name)
}

func textNoSecret(name, host string) string {
	return fmt.Sprintf("The secret %s for %s is not set on the server, so nothing was sent. The call cannot succeed until it is.", name, host)
}

func textSecretRefused(name, host string) string {
	return fmt.Sprintf("The secret %s is not available for %s, so nothing was sent.", name, host)
}

func textBadSecret(name string, err error) string {
	return fmt.Sprintf("The secret %s cannot be used, so nothing was sent: %s.", name, err)
}

func textNotBound(name, host string) string {
	return fmt.Sprintf("The secret %s may not be sent to %s, so nothing was sent.", name, host)
}

func textInsecure(name, host string) string {
	return fmt.Sprintf("The secret %s may not be sent to %s without TLS, so nothing was sent.", name, host)
}

func textStatus(status int) string {
	return fmt.Sprintf("Upstream returned %s.", statusName(status))
}

func textRedirectNotFollowed(status int) string {
	return fmt.Sprintf("Upstream returned %s, a redirect, which was not followed.", statusName(status))
}

func textTooManyRedirects(limit int) string {
	return fmt.Sprintf("Upstream redirected more than %s.", count(int64(limit), "time"))
}

func textRedirectSecret(name string) string {
	return fmt.Sprintf("Upstream redirected to a place where the secret %s may not be sent, so the redirect was not followed.", name)
}

// statusName is a status with its standard text, never the upstream's own.
func statusName(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

func textTooLarge(limit int64) string {
	return fmt.Sprintf("The response is larger than %s, the limit of this tool. Ask for less.", count(limit, "byte"))
}

func textCoding(name string) string {
	if shown, ok := showName(name); ok {
		return fmt.Sprintf("The response has the unsupported content encoding %s.", shown)
	}
	return "The response has an unsupported content encoding."
}

func textDecode(coding string) string {
	return fmt.Sprintf("The response could not be decoded as %s.", coding)
}

func textNotText(m media, err error) string {
	if errors.Is(err, errCharset) {
		return fmt.Sprintf("The response%s declares an unsupported charset. Supported are UTF-8, ISO-8859-1 and windows-1252.", ofType(m))
	}
	return fmt.Sprintf("The response%s is not valid UTF-8 text.", ofType(m))
}

// What a response was expected to be.
const (
	wantJSON = "JSON"
	wantText = "text or JSON"
)

func textMedia(m media, want string) string {
	if m.name == "" {
		return fmt.Sprintf("The response has an unknown media type, and this tool needs %s.", want)
	}
	return fmt.Sprintf("The response has the media type %s, and this tool needs %s.", m.name, want)
}

func textNotJSON(err error) string {
	var fault *jsonx.Error
	if errors.As(err, &fault) && fault.Kind == jsonx.TooDeep {
		return fmt.Sprintf("The response is JSON nested deeper than %d levels.", jsonx.DefaultDepth)
	}
	return "The response is not valid JSON."
}

func textSelect(err error) string {
	return fmt.Sprintf("The response was received, but the tool's select expression failed: %s.", strings.TrimRight(err.Error(), "."))
}

func textNotObject(selected []byte) string {
	return fmt.Sprintf("The tool's select expression returned %s, but a tool with an output schema must return an object. Its author has to wrap the value, as in {items: …}.", jsonTypeOf(selected))
}

func textTooLong(limit int) string {
	return fmt.Sprintf("The output has more than %s and cannot be shortened in a way that fits its output schema. Its author has to narrow the select expression; a narrower request may also help.", count(int64(limit), "character"))
}

func textTruncated(left int) string {
	return fmt.Sprintf("\n[truncated: %d more characters]", left)
}

func textOmissions(limit int, omissions []omission) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Arrays were shortened to keep the output within %s:", count(int64(limit), "character"))
	for i, o := range omissions {
		if i == maxShownOmissions {
			fmt.Fprintf(&b, "\n- and %s", count(int64(len(omissions)-i), "more array"))
			break
		}
		fmt.Fprintf(&b, "\n- %s: the first %d of %d elements", clip(o.pointer, maxShownName), o.kept, o.total)
	}
	return b.String()
}

func ofType(m media) string {
	if m.name == "" {
		return ""
	}
	return " of type " + m.name
}

func jsonTypeOf(document []byte) string {
	switch document[0] {
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	}
	return "a number"
}

// count writes a number with its noun.
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// showName returns a name of an upstream if it is short and plain.
func showName(name string) (string, bool) {
	if name == "" || len(name) > maxShownName {
		return "", false
	}
	for _, c := range []byte(name) {
		if c < ' ' || c > '~' {
			return "", false
		}
	}
	return name, true
}

// clip cuts s after limit characters and makes invisible characters visible.
func clip(s string, limit int) string {
	if utf8.RuneCountInString(s) > limit {
		s = string([]rune(s)[:limit]) + "…"
	}
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}
