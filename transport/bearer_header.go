package transport

import "strings"

const (
	schemeBearer        = "Bearer"
	headerAuthorization = "Authorization"
	headerAuthenticate  = "Www-Authenticate"
)

// A param is a parameter of a challenge.
type param struct{ name, value string }

func challenge(scheme string, params []param) string {
	var s strings.Builder
	s.WriteString(scheme)
	for i, p := range params {
		if i > 0 {
			s.WriteByte(',')
		}
		s.WriteString(" " + p.name + "=" + quoted(p.value))
	}
	return s.String()
}

// quoted writes a quoted-string of RFC 9110. Control and other than ASCII
// characters, which no parameter may have, become question marks.
func quoted(s string) string {
	var q strings.Builder
	q.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			q.WriteByte('\\')
			q.WriteRune(r)
		case r < ' ' || r > '~':
			q.WriteByte('?')
		default:
			q.WriteRune(r)
		}
	}
	q.WriteByte('"')
	return q.String()
}

// bearerToken reads the token of an Authorization header. It reports whether
// the header has the Bearer scheme, and "" for a token that cannot be one.
func bearerToken(header string) (token string, present bool) {
	scheme, rest, _ := strings.Cut(strings.TrimRight(header, " \t"), " ")
	if !strings.EqualFold(scheme, schemeBearer) {
		return "", false
	}
	if token = strings.TrimLeft(rest, " "); !isToken(token) {
		return "", true
	}
	return token, true
}

// isToken reports a b64token (RFC 6750).
func isToken(s string) bool {
	s = strings.TrimRight(s, "=")
	return s != "" && strings.Trim(s, tokenCharacters) == ""
}

const tokenCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/"
