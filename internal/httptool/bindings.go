package httptool

import (
	"context"
	"errors"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/internal/secret"
)

// HostPort normalises the host, or host and port, that a secret is bound to:
// lower case, IDNA lookup form, canonical addresses with brackets around IPv6,
// and always with a port, which is 443 unless it is given. A trailing dot makes
// another host. Schemes, paths, wildcards and impossible ports are errors.
func HostPort(binding string) (string, error) {
	host, port := binding, "443"
	if strings.Contains(binding, "/") {
		return "", errBinding // a URL, and not one with a bad port
	}
	inner, bracketed := strings.CutPrefix(binding, "[")
	switch {
	case bracketed && strings.HasSuffix(inner, "]"):
		host = strings.TrimSuffix(inner, "]")
	case strings.Contains(binding, ":"):
		var err error
		if host, port, err = net.SplitHostPort(binding); err != nil {
			return "", errBinding
		}
	}
	if strings.Contains(host, ":") != bracketed {
		return "", errBinding // brackets are for IPv6 and IPv6 only
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || strconv.FormatUint(n, 10) != port {
		return "", errPort
	}
	host, err := guard.NormalizeHost(host)
	if err != nil {
		return "", errBinding
	}
	return net.JoinHostPort(host, port), nil
}

// hostPort is [HostPort] of where a URL leads.
func hostPort(u *url.URL) (string, error) {
	host, err := guard.NormalizeHost(u.Hostname())
	if err != nil {
		return "", err
	}
	return net.JoinHostPort(host, or(u.Port(), DefaultPort(u.Scheme))), nil
}

// DefaultPort is the port of a scheme whose URL names none.
func DefaultPort(scheme string) string {
	if scheme == "http" {
		return "80"
	}
	return "443"
}

// mayReceive reports whether a secret may go to a host and port.
func (t *Tool) mayReceive(name, target string) bool {
	hosts, bound := t.Hosts[name]
	if !bound {
		return target == t.ownHost()
	}
	return slices.Contains(hosts, target)
}

// secrets returns the values of the tool's secrets for its own host. Nothing is
// asked for unless all of them may go there.
func (c *call) secrets(ctx context.Context) (map[string]string, error) {
	target := c.tool.ownHost()
	if len(c.tool.Secrets) > 0 && c.insecure(c.tool.Scheme) {
		return nil, &failure{OutcomeSecret, textInsecure(c.tool.Secrets[0], target), nil}
	}
	for _, name := range c.tool.Secrets {
		if !c.tool.mayReceive(name, target) {
			return nil, &failure{OutcomeSecret, textNotBound(name, target), nil}
		}
	}
	return c.ask(ctx, target)
}

// allowRedirect checks that every secret of the tool may go where a redirect
// leads, even if it would not be sent: the URL itself may hold it. The source
// of the secrets must agree where the origin is another.
func (c *call) allowRedirect(ctx context.Context, scheme, target string, sameOrigin bool) error {
	for _, name := range c.tool.Secrets {
		if c.insecure(scheme) || !c.tool.mayReceive(name, target) {
			return &failure{OutcomeBlocked, textRedirectSecret(name), nil}
		}
	}
	if sameOrigin {
		return nil
	}
	_, err := c.ask(ctx, target)
	return err
}

// insecure reports whether a scheme is one that secrets may not go over.
func (c *call) insecure(scheme string) bool {
	return scheme != "https" && !c.tool.AllowInsecureSecrets
}

// ask gets the tool's secrets from their source. What it returns is redacted
// from now on.
func (c *call) ask(ctx context.Context, target string) (map[string]string, error) {
	values := make(map[string]string, len(c.tool.Secrets))
	for _, name := range c.tool.Secrets {
		if c.rt.Secret == nil {
			return nil, errors.New("httptool: the tool has secrets, and the runtime no source of them")
		}
		value, err := c.rt.Secret(ctx, name, target, c.tool.Name)
		if err != nil {
			return nil, &failure{OutcomeSecret, textSecretRefused(name, target), err}
		}
		if value == "" {
			return nil, &failure{OutcomeSecret, textNoSecret(name, target), nil}
		}
		if err := secret.Check(value); err != nil {
			return nil, &failure{OutcomeSecret, textBadSecret(name, err), err}
		}
		c.rt.Vault.Add(name, value)
		values[name] = value
	}
	return values, nil
}
