package spec

import (
	"net"
	"strconv"
	"strings"

	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/internal/httptool"
)

// A target is a URL of the file in its parts. Scheme, host and port are
// literal and normalised.
type target struct {
	scheme, host, port string
	path               string // a template
	query              string // literal, without the question mark
}

// origin is the host and port by which secrets are bound.
func (t target) origin() string { return net.JoinHostPort(t.host, t.port) }

// parseURL parts a URL (rule 5.9). It does not use net/url, which accepts
// spellings that the resolvers of some systems read as another host, and which
// knows no templates.
func parseURL(text string) (t target, fault string) {
	scheme, rest, absolute := strings.Cut(text, "://")
	t.scheme = strings.ToLower(scheme)
	switch {
	case !absolute && (strings.HasPrefix(text, "http:") || strings.HasPrefix(text, "https:")):
		return t, textURLSlashes
	case !absolute:
		return t, textURLNotAbsolute
	case strings.Contains(scheme, "{{"):
		return t, textURLTemplate("scheme")
	case t.scheme != "http" && t.scheme != "https":
		return t, textURLScheme(scheme)
	}
	end := strings.IndexAny(rest, "/?#\\")
	if end < 0 {
		end = len(rest)
	}
	authority, rest := rest[:end], rest[end:]
	if fault := t.setAuthority(authority); fault != "" {
		return t, fault
	}
	if strings.Contains(rest, "#") {
		return t, textURLFragment
	}
	t.path, t.query, _ = strings.Cut(rest, "?")
	if strings.Contains(t.query, "{{") {
		return t, textURLQueryTemplate
	}
	return t, ""
}

// setAuthority reads what stands between the slashes and the path.
func (t *target) setAuthority(authority string) (fault string) {
	if strings.Contains(authority, "@") {
		return textURLCredentials
	}
	if strings.Contains(authority, "{{") {
		return textURLTemplate("host or port")
	}
	host, port, fault := splitPort(authority)
	if fault != "" {
		return fault
	}
	if port == "" {
		port = httptool.DefaultPort(t.scheme)
	}
	normal, err := guard.NormalizeHost(host)
	if err != nil {
		return textURLHost(host)
	}
	t.host, t.port = normal, port
	return ""
}

// splitPort parts host and port, of which the latter may be missing. An IPv6
// address stands in brackets.
func splitPort(authority string) (host, port, fault string) {
	host, port = authority, ""
	colon := strings.LastIndexByte(authority, ':')
	if colon > strings.LastIndexByte(authority, ']') {
		host, port = authority[:colon], authority[colon+1:]
		if number, err := strconv.Atoi(port); err != nil || number < 1 || number > 65_535 || strconv.Itoa(number) != port {
			return "", "", textPort(port)
		}
	}
	switch {
	case host == "":
		return "", "", textNoHost
	case strings.Contains(host, ":") && host[0] != '[':
		return "", "", textIPv6Brackets
	}
	return host, port, ""
}

// parseHost reads an entry of a secret's hosts: host or host:port.
func parseHost(text string) (origin, fault string) {
	origin, err := httptool.HostPort(text)
	switch {
	case err == nil:
		return origin, ""
	case strings.Contains(text, "{{"):
		return "", textHostTemplate
	case strings.Contains(text, "*"):
		return "", textHostWildcard
	}
	return "", textHostEntry(text)
}
