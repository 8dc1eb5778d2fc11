package transport

import (
	"net/http"
	"net/netip"
	"strings"
)

// hostRules say which Host headers are served. The zero value serves the names
// of the loopback interface only.
type hostRules struct {
	patterns []hostPattern
	allow    func(host string) bool
}

// A hostPattern is a host, or all hosts below a domain.
type hostPattern struct {
	name string // without port, lower-case; "example.com" for "*.example.com"
	all  bool   // every host below name, not name itself
}

// AllowedHosts sets the Host headers that are served, in place of the default,
// which is localhost, 127.0.0.1 and ::1 whatever the port. A pattern is a host
// name or address without a port, or *.example.com for every host below that
// domain. Requests for other hosts are answered with 403, so a web page that
// points its own name at this server (DNS rebinding) reaches nothing.
//
// Behind a proxy the Host is usually the public name. A server that other
// machines can reach does not start without this option or [AllowedHostFunc].
// Given together, a host is served that one of the two allows.
func AllowedHosts(patterns ...string) Option {
	return optionFunc(func(o *options) error {
		if len(patterns) == 0 {
			return badValue("AllowedHosts", "empty", "name at least one host")
		}
		o.hosts.patterns = nil
		for _, s := range patterns {
			p, ok := parseHostPattern(s)
			if !ok {
				return badValue("AllowedHosts", s, "give host names or addresses without scheme and port, or *.example.com; AllowedHostFunc can decide otherwise")
			}
			o.hosts.patterns = append(o.hosts.patterns, p)
		}
		return nil
	})
}

// AllowedHostFunc has allow decide which Host headers are served. It gets the
// host without port, in lower case and without a final dot, and is called for
// every request, at the same time from several. A panic in it counts as no.
func AllowedHostFunc(allow func(host string) bool) Option {
	return optionFunc(func(o *options) error {
		if allow == nil {
			return badValue("AllowedHostFunc", "nil", "give a function")
		}
		o.hosts.allow = allow
		return nil
	})
}

func parseHostPattern(s string) (hostPattern, bool) {
	if addr, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil && addr.Zone() == "" {
		return hostPattern{name: addr.String()}, true
	}
	name, all := strings.CutPrefix(s, "*.")
	name, ok := cleanName(name)
	return hostPattern{name: name, all: all}, ok
}

func (p hostPattern) matches(host string) bool {
	if !p.all {
		return host == p.name
	}
	head, below := strings.CutSuffix(host, p.name)
	return below && len(head) > 1 && head[len(head)-1] == '.'
}

// given reports whether someone decided which hosts are served.
func (h *hostRules) given() bool { return h.patterns != nil || h.allow != nil }

// allows reports whether a host that came out of splitHost is served.
func (h *hostRules) allows(host string) bool {
	if !h.given() {
		return isLoopbackName(host)
	}
	for _, p := range h.patterns {
		if p.matches(host) {
			return true
		}
	}
	return h.allow != nil && h.ask(host)
}

func (h *hostRules) ask(host string) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return h.allow(host)
}

func isLoopbackName(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

// checkHost refuses requests for hosts that are not served (rule 3.2).
func (q *request) checkHost() *refusal {
	host, _, ok := splitHost(q.r.Host)
	if ok && q.h.o.hosts.allows(host) {
		return nil
	}
	q.h.warnHost.Do(func() { q.h.logger.Warn(logHost, "host", q.r.Host) })
	return refuseHost
}

// checkRepeated refuses headers of which there must be one, because what stands
// before this server might read another one of them (rule 3.1).
func (q *request) checkRepeated() *refusal {
	for name, values := range q.r.Header {
		if len(values) > 1 && isSingle(name) {
			return refuseRepeated
		}
	}
	if host := q.r.Header["Host"]; len(host) > 0 && host[0] != q.r.Host {
		return refuseRepeated // net/http takes one of them away
	}
	return nil
}

func isSingle(name string) bool {
	switch name {
	case "Host", "Authorization", "Content-Type", "Origin":
		return true
	}
	return strings.HasPrefix(name, "Mcp-")
}

// splitHost splits what a Host header holds, and reports whether it can be one.
// The host is lower-case, without brackets and without one final dot.
func splitHost(s string) (host, port string, ok bool) {
	if inside, bracketed := strings.CutPrefix(s, "["); bracketed {
		inside, rest, closed := strings.Cut(inside, "]")
		addr, err := netip.ParseAddr(inside)
		if !closed || err != nil || !addr.Is6() || addr.Zone() != "" {
			return "", "", false
		}
		port, ok = cutPort(rest)
		return addr.String(), port, ok
	}
	name, rest := s, ""
	if i := strings.IndexByte(s, ':'); i >= 0 {
		name, rest = s[:i], s[i:]
	}
	if port, ok = cutPort(rest); !ok {
		return "", "", false
	}
	host, ok = cleanName(name)
	return host, port, ok
}

// cutPort returns the port of what follows a host, "" when nothing does.
func cutPort(rest string) (port string, ok bool) {
	if rest == "" {
		return "", true
	}
	port, ok = strings.CutPrefix(rest, ":")
	if !ok || len(port) == 0 || len(port) > 5 || port[0] == '0' {
		return "", false
	}
	n := 0
	for i := range len(port) {
		if port[i] < '0' || port[i] > '9' {
			return "", false
		}
		n = n*10 + int(port[i]-'0')
	}
	return port, n <= 65535
}

// cleanName returns a host name in lower case and without one final dot, and
// reports whether it consists of plain labels.
func cleanName(name string) (string, bool) {
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if name == "" || len(name) > 253 || name[0] == '.' || strings.Contains(name, "..") || name[len(name)-1] == '.' {
		return "", false
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '.', c == '_':
		default:
			return "", false
		}
	}
	return name, true
}

// headerOf is Header.Get for a name in canonical form.
func headerOf(h http.Header, name string) string {
	if v := h[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}
