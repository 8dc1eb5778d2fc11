package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/kervan-mcp/kervan/spec"
)

// What the help says.
const helpKervan = "Kervan serves the tools of a kervan.yaml to AI clients, over MCP (the Model Context Protocol)."

var helpTexts = map[string]string{
	"help_version": "Print the version and exit.",
	"help_run":     "Serve the tools of a kervan.yaml: over stdio to the client that starts this, or over HTTP.",
	"help_spec":    "Path of the kervan.yaml.",

	"help_http":           "Serve over HTTP. Default: what KERVAN_TRANSPORT says, else stdio.",
	"help_host":           "Address to listen on. Default: that of KERVAN_ADDR, else 127.0.0.1, which only programs of this machine reach.",
	"help_port":           "Port to listen on, 0 for a free one. Default: that of KERVAN_ADDR or PORT, else 3000.",
	"help_path":           "Path of the endpoint. Default: /mcp.",
	"help_allowed_host":   "Name by which clients reach the server, without port, or *.example.com. Needed for an address that other machines reach; repeat it for more.",
	"help_allowed_origin": "Origin of web pages that may call, such as https://app.example.com; repeat it for more.",
	"help_auth_token_env": "Environment variable with the bearer token, of 16 characters or more, that every request must carry.",
	"help_no_auth":        "Serve everybody who reaches the address. Each call is made with your secrets.",

	"help_env_file": "File with KEY=VALUE lines, for secrets and vars. Later files win, and the environment wins over files; repeat it for more.",
	"help_watch":    "Load the spec and the environment files again when they change. While they are wrong, the last good version is served.",

	"help_allow_private_network":  "Let tools call addresses of private networks and of this machine. Refused with KERVAN_ENV=production.",
	"help_allow_insecure_secrets": "Let tools that have allowInsecureHttp send secrets over plain http. Refused with KERVAN_ENV=production.",
	"help_deny_network":           "Address or CIDR that tools may not call; repeat it for more.",
}

var helpGroups = []kong.Group{
	{Key: "http", Title: "Over HTTP:"},
	{Key: "network", Title: "What tools may call:"},
}

// What is wrong with the command line, and what to do. Each is one line.
var (
	errPort         = errors.New("must be a number from 0 to 65535")
	errTokenAndNone = errors.New("--auth-token-env and --no-auth exclude each other; give one of them")
	errTokenName    = errors.New("--auth-token-env takes the name of an environment variable, such as KERVAN_TOKEN, and not the token; set the variable to the token")
)

const textProblems = "nothing is served, because:"

func textNeedsHTTP(flag string) error {
	return fmt.Errorf("%s has an effect over HTTP only; add --http, or leave %s out", flag, flag)
}

func textTransport(value string) error {
	return fmt.Errorf("KERVAN_TRANSPORT is %q; set it to stdio or http, or leave it out", value)
}

func textAddr(value string) error {
	return fmt.Errorf("KERVAN_ADDR is %q; set it to host:port, or leave it out", value)
}

func textPort(value string) error {
	return fmt.Errorf("PORT is %q; set it to a number from 0 to 65535, or leave it out", value)
}

func textPath(path string) error {
	return fmt.Errorf("--path is %q; it must begin with / and have no ?, # or wildcard", path)
}

func textAllowedHost(host string) error {
	return fmt.Errorf("--allowed-host is %q; give a host name or address without scheme and port, or *.example.com", host)
}

func textAllowedOrigin(origin string) error {
	return fmt.Errorf("--allowed-origin is %q; give scheme and host, such as https://app.example.com, and the port if it is not the scheme's own", origin)
}

func textListen(e endpoint, reason string) error {
	return fmt.Errorf("cannot serve on %s: %s; choose another address with --port or --host", e.address(), reason)
}

func textNeedsHosts(e endpoint) error {
	return fmt.Errorf("cannot serve on %s: other machines can reach this address, so name the hosts that they use with --allowed-host", e.address())
}

func textNeedsToken(e endpoint) error {
	return fmt.Errorf("cannot serve on %s: whoever reaches this address would call with your secrets; name the variable with a bearer token with --auth-token-env, or let everybody in with --no-auth", e.address())
}

func textNoToken(name string) error {
	return fmt.Errorf("--auth-token-env: %s is not set; set it to a bearer token of at least %d random characters", name, minToken)
}

func textShortToken(name string) error {
	return fmt.Errorf("--auth-token-env: the token in %s is too short; make it of at least %d random characters", name, minToken)
}

func textBadToken(name string) error {
	return fmt.Errorf("--auth-token-env: the token in %s has characters that no bearer token can have; use letters, digits and -._~+/ only", name)
}

func textProduction(flag string) error {
	return fmt.Errorf("%s is for development and refused because KERVAN_ENV is production; leave it out", flag)
}

func textNetwork(network string) error {
	return fmt.Errorf("--deny-network is %q; give an address, such as 203.0.113.7, or a CIDR, such as 10.0.0.0/8", network)
}

func textUnwatchable(path string) error {
	return fmt.Errorf("%s is no regular file and cannot be read again; leave --watch out, or give a file", path)
}

func textSpecFile(path string, err error) error {
	var detail *fs.PathError
	if errors.As(err, &detail) {
		err = detail.Err
	}
	return fmt.Errorf("%s cannot be read: %w; give the path of a kervan.yaml", path, err)
}

// textEnvFiles adds what to do about files that are missing.
func textEnvFiles(wrong problems) error {
	for i, err := range wrong {
		if errors.Is(err, fs.ErrNotExist) {
			wrong[i] = fmt.Errorf("%w; create it, or leave it out of --env-file", err)
		}
	}
	return wrong
}

// What the runner says while all is well.
const (
	textServingStdio    = "kervan: serving over stdio"
	textPrivateAllowed  = "kervan: warning: tools may call private networks and this machine (--allow-private-network)"
	textInsecureAllowed = "kervan: warning: secrets may be sent over plain http (--allow-insecure-secrets)"
	textOpen            = "kervan: warning: everybody who reaches this address can call, with your secrets (--no-auth)"
	textOpenBehindProxy = "kervan: warning: everybody whom a proxy lets through can call, with your secrets; --auth-token-env asks for a token"
)

// maxNames is how many tools are named one by one.
const maxNames = 20

func textLoaded(s *spec.Spec, path string, tools []string) string {
	return fmt.Sprintf("kervan: %s %s from %s, %s", s.Name(), s.Version(), path, listed("tool", tools))
}

// listed says how many there are, and which.
func listed(what string, names []string) string {
	text := fmt.Sprintf("%d %ss", len(names), what)
	if len(names) == 1 {
		text = "1 " + what
	}
	more := ""
	if n := len(names) - maxNames; n > 0 {
		names, more = names[:maxNames], fmt.Sprintf(" and %d more", n)
	}
	return text + ": " + strings.Join(names, ", ") + more
}

func textWatching(files []string) string {
	return "kervan: watching " + strings.Join(files, ", ")
}

func textServingHTTP(addr net.Addr, path string) string {
	return fmt.Sprintf("kervan: serving on http://%s%s; Ctrl-C stops", addr, path)
}

func textTokenNeeded(name string) string {
	return fmt.Sprintf("kervan: requests need the bearer token in %s", name)
}

func textWarning(path string, w spec.Issue) string {
	if w.Line == 0 {
		return fmt.Sprintf("kervan: warning: %s: %s", path, w)
	}
	return fmt.Sprintf("kervan: warning: %s:%d:%d %s", path, w.Line, w.Column, w)
}

func textReloaded(path string, d difference) string {
	var parts []string
	for _, part := range []struct {
		what  string
		names []string
	}{{"added", d.added}, {"changed", d.changed}, {"removed", d.removed}} {
		if part.names != nil {
			parts = append(parts, part.what+" "+listed("tool", part.names))
		}
	}
	if parts == nil {
		return fmt.Sprintf("kervan: %s was loaded again, its tools are the same", path)
	}
	return fmt.Sprintf("kervan: %s was loaded again: %s", path, strings.Join(parts, "; "))
}

func textKept(path string) string {
	return fmt.Sprintf("kervan: %s was not loaded again, the last good version stays:", path)
}
