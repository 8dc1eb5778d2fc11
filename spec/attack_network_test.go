package spec_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/kerventest"
	"github.com/kervan-mcp/kervan/spec"
)

// A hostile network has names that lead where an attacker wants, and a server at
// 127.0.0.1 that is all hosts under example.com.
type hostile struct {
	t    *testing.T
	api  *kerventest.API
	port string

	mu      sync.Mutex
	lookups []string
	names   map[string][]string // what a name leads to; others lead to 127.0.0.1
	seen    []*http.Request
	events  []spec.Event
	answer  http.HandlerFunc
}

func newHostile(t *testing.T) *hostile {
	h := &hostile{t: t, api: kerventest.UpstreamTLS(t), names: map[string][]string{
		"private.example.com": {"10.0.0.7"}, "meta.example.com": {"169.254.169.254"}, "mixed.example.com": {"127.0.0.1", "10.0.0.7"}, "mapped.example.com": {"::ffff:169.254.169.254"},
		"nat.example.com": {"64:ff9b::a9fe:a9fe"}, "own.example.com": {"127.0.0.2"}, "empty.example.com": {}, "zone.example.com": {"fe80::1%eth0"}, "any.example.com": {"0.0.0.0"},
	}}
	_, h.port, _ = net.SplitHostPort(h.api.Host())
	h.api.Handle("*", func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.seen = append(h.seen, r)
		h.mu.Unlock()
		h.answer(w, r)
	})
	return h
}

func (h *hostile) LookupNetIP(_ context.Context, _, name string) ([]netip.Addr, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lookups = append(h.lookups, name)
	answers, known := h.names[name]
	if !known && !strings.HasSuffix(name, "example.com") {
		return nil, errors.New("no such host")
	}
	if !known {
		answers = []string{"127.0.0.1"}
	}
	var addrs []netip.Addr
	for _, a := range answers {
		addrs = append(addrs, netip.MustParseAddr(a))
	}
	return addrs, nil
}

// client serves a tool named t that calls https://api.example.com.
func (h *hostile) client(era kerventest.Era, lines, hosts string, network guard.Policy) *kerventest.Client {
	text := strings.Replace(fileOf(tool("t", "start", lines, `{select: "@"}`)), "[KEY, OTHER]", "[{name: KEY, hosts: ["+h.at(hosts)+"]}]", 1)
	network.Resolver, network.TLS = h, h.api.TLS()
	s, err := spec.Load(h.t.Context(), []byte(strings.ReplaceAll(text, "BASE", h.at("https://api.example.com:PORT"))), spec.Options{
		Secrets: spec.MapSecrets(map[string]string{"KEY": plainKey}), Network: network,
		Events: func(e spec.Event) { h.mu.Lock(); defer h.mu.Unlock(); h.events = append(h.events, e) },
	})
	require.NoError(h.t, err)
	h.t.Cleanup(func() { require.NoError(h.t, s.Close()) })
	app := kervan.NewApp("attack", "1", kervan.WithLogger(discard))
	app.Add(s.Tools()...)
	return kerventest.New(h.t, app, kerventest.InEra(era))
}

func (h *hostile) at(s string) string { return strings.ReplaceAll(s, "PORT", h.port) }

// outcome returns how the latest call ended, and what was requested in it.
func (h *hostile) outcome() (spec.Outcome, []*http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var last spec.UpstreamEvent
	for _, e := range h.events {
		if e, ok := e.(spec.UpstreamEvent); ok {
			last = e
		}
	}
	seen := h.seen
	h.seen, h.events = nil, nil
	return last.Outcome, seen
}

var eras = []kerventest.Era{kerventest.Modern, kerventest.Legacy}

// TestRule7_4_RedirectsOfTools: no redirect leads a tool where it must not go,
// with any policy, and the client does not learn where a name leads.
func TestRule7_4_RedirectsOfTools(t *testing.T) {
	locations := []string{
		"https://169.254.169.254/x", "https://169.254.169.254:PORT/x", "https://[::ffff:169.254.169.254]:PORT/", "https://[fd00:ec2::254]:PORT/", "https://[64:ff9b::a9fe:a9fe]:PORT/",
		"https://[2002:a9fe:a9fe::1]:PORT/", "https://[::a9fe:a9fe]:PORT/", "https://100.100.100.200:PORT/", "https://168.63.129.16:PORT/", "https://meta.example.com:PORT/", "https://mapped.example.com:PORT/",
		"https://nat.example.com:PORT/", "https://zone.example.com:PORT/", "https://empty.example.com:PORT/", "https://any.example.com:PORT/", "https://2852039166:PORT/", "https://0xa9fea9fe:PORT/", "https://0251.0376.0251.0376:PORT/",
		"https://169.254.43518:PORT/", "https://169.254.169.254.:PORT/", "https://１６９.254.169.254:PORT/", "https://169。254。169。254:PORT/", "https://%31%36%39.254.169.254:PORT/", "https://[fe80::1%25eth0]:PORT/",
		"//169.254.169.254:PORT/", `/\169.254.169.254:PORT/`, `\\169.254.169.254:PORT/`, "///169.254.169.254:PORT/", "https:169.254.169.254", "https:///169.254.169.254", "http://api.example.com:PORT/", "http://169.254.169.254/",
		"file:///etc/passwd", "gopher://api.example.com:PORT/", "javascript:1", "https://a@api.example.com:PORT/", "https://api.example.com:PORT@169.254.169.254/", "https://api.example.com:22/", "https://api.example.com:0/",
		"https://a_b.example.com:PORT/", "https://a..example.com:PORT/", "https://[::1", "https://api.example.com:PORT\t/", " ", "",
	}
	private := []string{
		"https://private.example.com:PORT/", "https://mixed.example.com:PORT/", "https://own.example.com:PORT/", "https://127.0.0.2:PORT/", "https://[::ffff:127.0.0.2]:PORT/", "https://[::1]:PORT/", "https://10.0.0.7:PORT/",
		"https://[fc00::1]:PORT/", "https://[64:ff9b::a00:7]:PORT/", "//127.0.0.2:PORT/", "https://192.168.0.1:PORT/", "https://0.0.0.0:PORT/", "https://[::]:PORT/",
	}
	for _, era := range eras {
		h := newHostile(t)
		for _, policy := range []guard.Policy{{AllowPrivate: true}, {Allow: []string{"127.0.0.1"}}} {
			c := h.client(era, "method: POST, body: {private: word}", "api.example.com:PORT", policy)
			targets := locations
			if !policy.AllowPrivate {
				targets = append(slices.Clone(locations), private...)
			}
			for _, location := range targets {
				h.answer = func(w http.ResponseWriter, _ *http.Request) {
					w.Header()["Location"] = []string{h.at(location)}
					w.WriteHeader(http.StatusTemporaryRedirect)
				}
				text := c.CallErr("t", nil)
				outcome, seen := h.outcome()
				assert.Equal(t, spec.OutcomeBlocked, outcome, "%q: %s", location, text)
				assert.Len(t, seen, 1, location)
				for _, address := range []string{"169.254", "10.0.0.7", "127.0.0.2", "a9fe", "0.0.0.0"} {
					assert.False(t, strings.Contains(text, address) && !strings.Contains(location, address), "%q: %s", location, text)
				}
				assert.NotContains(t, text, "/etc")
			}
		}
		for _, name := range h.lookups {
			assert.True(t, strings.HasSuffix(name, ".example.com") && !strings.ContainsAny(name, "_%"), "%q was looked up", name)
		}
	}
}

// TestRule7_2_Rebinding: a name that leads elsewhere later is judged anew, also
// when a redirect leads back to it, and once for each connection.
func TestRule7_2_Rebinding(t *testing.T) {
	for _, era := range eras {
		h := newHostile(t)
		c := h.client(era, "", "api.example.com:PORT", guard.Policy{Allow: []string{"127.0.0.1"}})
		rebinds := false
		h.answer = func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "close")
			w.Header().Set("Content-Type", "application/json")
			if rebinds && r.URL.Path == "/start" {
				h.mu.Lock()
				h.names["api.example.com"] = []string{"169.254.169.254"}
				h.mu.Unlock()
				http.Redirect(w, r, "/next", http.StatusFound)
				return
			}
			_, _ = w.Write([]byte("1"))
		}
		assert.Equal(t, "1", c.Call("t", nil).Text)
		assert.Equal(t, []string{"api.example.com"}, h.lookups)
		rebinds = true
		c.CallErr("t", nil)
		outcome, seen := h.outcome()
		assert.Equal(t, spec.OutcomeBlocked, outcome)
		assert.Len(t, seen, 2, "one of the first call, one before the redirect")
		for _, answers := range [][]string{{"10.0.0.7"}, {"127.0.0.1", "169.254.169.254"}, {"10.0.0.7", "127.0.0.1"}, {}, {"127.0.0.2"}} {
			h.names["api.example.com"] = answers
			c.CallErr("t", nil)
			outcome, seen = h.outcome()
			assert.NotEqual(t, spec.OutcomeOK, outcome, "%v", answers)
			assert.Empty(t, seen, "%v", answers)
		}
	}
}

// TestRule7_4_CrossOrigin: another origin gets nothing of the caller and of the
// secret, and one where the secret may not go gets no request.
func TestRule7_4_CrossOrigin(t *testing.T) {
	const lines = `method: POST, query: {q: "{{secrets.KEY}}", w: word}, body: {k: "{{secrets.KEY}}", w: word}, ` +
		`headers: {Authorization: "Bearer {{secrets.KEY}}", X-Key: word, Cookie: "a=word", Referer: "https://word/", User-Agent: "word {{secrets.KEY}}", Accept: "a/b;{{secrets.KEY}}"}`
	for _, era := range eras {
		h := newHostile(t)
		c := h.client(era, lines, "'api.example.com:PORT', 'other.example.com:PORT'", guard.Policy{Allow: []string{"127.0.0.1"}})
		for _, status := range []int{301, 302, 303, 307, 308} {
			for target, allowed := range map[string]bool{
				"https://other.example.com:PORT/": true, "https://OTHER.example.com:PORT/": true, "https://evil.example.com:PORT/": false, "https://api.example.com.:PORT/": false, "https://example.com:PORT/": false,
				"https://127.0.0.1:PORT/": false, "https://other.example.com/": false, "https://evil.example.com:PORT/?" + plainKey: false, "https://api.example.com.evil.example.com:PORT/": false, "//evil.example.com:PORT": false,
			} {
				h.answer = func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/start" {
						http.Redirect(w, r, h.at(target), status)
						return
					}
					w.Header().Set("Content-Type", "application/json")
					_, _ = w.Write([]byte("1"))
				}
				res := c.Call("t", nil)
				outcome, seen := h.outcome()
				assert.Empty(t, leak(string(res.Raw), plainKey, 2))
				if !allowed {
					assert.Equal(t, spec.OutcomeBlocked, outcome, "%d to %s: %s", status, target, res.Text)
					assert.Len(t, seen, 1, target)
					assert.NotContains(t, res.Text, "evil")
					continue
				}
				require.Len(t, seen, 2, "%s: %s", target, res.Text)
				last := seen[1]
				all := fmt.Sprint(last.Method, last.Host, last.RequestURI, last.Header, last.ContentLength)
				assert.NotContains(t, all, "word")
				assert.Empty(t, leak(all, plainKey, 2))
				last.Header.Del("Content-Length")
				assert.Len(t, last.Header, 3, "Accept, Accept-Encoding and User-Agent: %v", last.Header)
				assert.LessOrEqual(t, last.ContentLength, int64(0))
			}
		}
	}
}

// TestRule6_4_WrongHostsDoNotLoad: a secret in any place of a request to a host
// that it is not bound to, or over plain http, is an error before anything is
// asked for or sent.
func TestRule6_4_WrongHostsDoNotLoad(t *testing.T) {
	for place, lines := range map[string]string{
		"header": `headers: {A: "x {{secrets.KEY}}"}`, "query": `query: {a: [b, "{{ secrets.KEY }}"]}`, "body": `method: POST, body: {a: [{b: "x{{secrets.KEY}}"}]}`, "form": `method: POST, form: {a: "{{secrets.KEY}}"}`, "path": "",
	} {
		for _, base := range []string{
			"https://evil.example.com", "https://api.example.com.", "https://api.example.com:444", "https://api.example.com.evil.com", "https://xapi.example.com", "https://93.184.216.34", "http://api.example.com", "http://api.example.com:443",
			"https://api.example.com@evil.com", "https://0x5db8d822", "https://аpi.example.com", "https://api.example.com\\\\@evil.com", "https://api%2eexample.com", "https://{{secrets.KEY}}.example.com", "https://evil.com#@api.example.com",
		} {
			path := map[bool]string{true: "{{secrets.KEY}}", false: "x"}[place == "path"]
			text := strings.Replace(fileOf(tool("t", path, "allowInsecureHttp: true, "+lines, `{raw: true}`)), "[KEY, OTHER]", "[{name: KEY, hosts: [api.example.com]}]", 1)
			source := spec.SecretFunc(func(context.Context, string, string, string) (string, error) {
				t.Errorf("%s in %s: the source was asked", base, place)
				return plainKey, nil
			})
			_, err := spec.Load(t.Context(), []byte(strings.ReplaceAll(text, "BASE", base)), spec.Options{Secrets: source})
			var load *spec.LoadError
			require.ErrorAs(t, err, &load, "%s in %s", base, place)
			assert.Contains(t, err.Error(), "tools[0].http.url", "%s in %s", base, place)
		}
	}
}
