package compare

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/netip"
	"strconv"
	"testing"

	"code.dny.dev/ssrf"
	"github.com/kervan-mcp/kervan/guard"
)

// onlyHere are rows of guard that ssrf does not have, each with the reason.
// Rows inside a prefix that both have, and IPv6 rows outside 2000::/3, which both
// refuse as a whole, are no difference.
var onlyHere = map[string]string{
	"3ffe::/16": "6bone, returned to IANA in 2006 and never given out again; the first Teredo, which carries IPv4 addresses, lies in it",
}

// verdicts are addresses on which the two differ although the tables agree.
var verdicts = map[string]string{
	"168.63.129.16":             "Azure's metadata service has an address in public space",
	"2001:470::5efe:10.0.0.1":   "ISATAP carries an IPv4 address that is not public",
	"2001:470::200:5efe:a9fe:1": "ISATAP carries an address of a metadata service",
	"::ffff:8.8.8.8":            "guard judges and dials an IPv4-mapped address as IPv4, ssrf refuses the form",
	"::ffff:93.184.216.34":      "the same",
}

// rows reads the prefixes of a table in guard's source: the table is not
// exported, and this is another module.
func rows(t *testing.T, table string) []netip.Prefix {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../tables.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var prefixes []netip.Prefix
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Names[0].Name != table {
			return true
		}
		for _, element := range spec.Values[0].(*ast.CompositeLit).Elts {
			text, err := strconv.Unquote(element.(*ast.CallExpr).Args[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			prefixes = append(prefixes, netip.MustParsePrefix(text))
		}
		return false
	})
	if len(prefixes) < 10 {
		t.Fatalf("table %s was not understood", table)
	}
	return prefixes
}

// covered reports whether one of the prefixes contains all of p.
func covered(p netip.Prefix, by []netip.Prefix) bool {
	for _, q := range by {
		if q.Bits() <= p.Bits() && q.Contains(p.Addr()) {
			return true
		}
	}
	return false
}

func TestRule7_1_TablesAgainstSSRF(t *testing.T) {
	for table, theirs := range map[string][]netip.Prefix{"special4": ssrf.IPv4DeniedPrefixes, "special6": ssrf.IPv6DeniedPrefixes} {
		ours := rows(t, table)
		for _, p := range theirs {
			if !covered(p, ours) {
				t.Errorf("%s: ssrf refuses %s, guard does not", table, p)
			}
		}
		for _, p := range ours {
			outside := p.Addr().Is6() && !p.Overlaps(ssrf.IPv6GlobalUnicast)
			if !outside && !covered(p, theirs) && onlyHere[p.String()] == "" {
				t.Errorf("%s: guard refuses %s, ssrf does not", table, p)
			}
		}
	}
	explained(t, onlyHere, func(p string) bool {
		prefix := netip.MustParsePrefix(p)
		return covered(prefix, rows(t, "special6")) && !covered(prefix, ssrf.IPv6DeniedPrefixes)
	})
}

// explained fails for an explanation of what is no difference any more.
func explained(t *testing.T, differences map[string]string, holds func(string) bool) {
	t.Helper()
	for what := range differences {
		if !holds(what) {
			t.Errorf("%s is no difference", what)
		}
	}
}

// answers is a resolver with one answer.
type answers []netip.Addr

func (a answers) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) { return a, nil }

// refuses asks guard's public API. A second answer, which is refused for a
// reason of its own, shows that the first passed, and no dial follows.
func refuses(t *testing.T, a netip.Addr) bool {
	t.Helper()
	transport, err := guard.NewTransport(guard.Policy{Resolver: answers{a, netip.Addr{}}})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://a.example/", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = transport.RoundTrip(req)
	blocked, ok := errors.AsType[*guard.BlockedError](err)
	if !ok {
		t.Fatalf("%s: %v", a, err)
	}
	return blocked.Reason != guard.ReasonInvalidAddress
}

// The two agree on the first and last address of every row, and on those right
// beside it.
func TestRule7_1_VerdictsAgainstSSRF(t *testing.T) {
	guardian := ssrf.New(ssrf.WithAnyPort())
	differ := func(a netip.Addr) bool { return refuses(t, a) != (guardian.SafeAddr(a) != nil) }
	for _, table := range []string{"special4", "special6", "metadata"} {
		for _, p := range rows(t, table) {
			last := lastOf(p)
			for _, a := range []netip.Addr{p.Addr().Prev(), p.Addr(), last, last.Next()} {
				if a.IsValid() && differ(a) && verdicts[a.String()] == "" && !inside(a, onlyHere) {
					t.Errorf("guard and ssrf differ on %s", a)
				}
			}
		}
	}
	explained(t, verdicts, func(a string) bool { return differ(netip.MustParseAddr(a)) })
}

func inside(a netip.Addr, prefixes map[string]string) bool {
	for p := range prefixes {
		if netip.MustParsePrefix(p).Contains(a) {
			return true
		}
	}
	return false
}

// lastOf is the last address of a prefix.
func lastOf(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for bit := p.Bits(); bit < len(b)*8; bit++ {
		b[bit/8] |= 1 << (7 - bit%8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}
