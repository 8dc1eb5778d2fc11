package guard

import (
	"net/netip"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRule7_1_Tables(t *testing.T) {
	date := regexp.MustCompile(`^(19|20)\d\d-(0[1-9]|1[0-2])$`)
	source := regexp.MustCompile(`^RFC \d+$`)
	seen := map[netip.Prefix]bool{}
	check := func(b block, v4 bool) {
		require.Equal(t, b.prefix.Masked(), b.prefix)
		require.Equal(t, v4, b.prefix.Addr().Is4(), b.prefix)
		require.False(t, seen[b.prefix], "%s twice", b.prefix)
		seen[b.prefix] = true
		require.NotEmpty(t, b.name)
		require.Regexp(t, source, b.source)
		if b.date != "" {
			require.Regexp(t, date, b.date)
		}
	}
	for _, b := range special4 {
		check(b, true)
	}
	for _, b := range special6 {
		check(b, false)
	}
}

// Every row refuses its first and its last address, and the tables refuse
// nothing else: what lies right before and after a row is public unless another
// row has it.
func TestRule7_1_TableEdges(t *testing.T) {
	for _, blocks := range [][]block{special4, special6} {
		for _, b := range blocks {
			first, last := b.prefix.Addr(), lastOf(b.prefix)
			require.False(t, public(first), b.prefix)
			require.False(t, public(last), b.prefix)
			for _, neighbour := range []netip.Addr{first.Prev(), last.Next()} {
				if !neighbour.IsValid() {
					continue
				}
				inSpace := neighbour.Is4() || netip.MustParsePrefix("2000::/3").Contains(neighbour)
				require.Equal(t, inSpace && !inBlocks(blocks, neighbour), public(neighbour), neighbour)
			}
		}
	}
}

// lastOf is the last address of a prefix.
func lastOf(p netip.Prefix) netip.Addr {
	b := p.Masked().Addr().AsSlice()
	for bit := p.Bits(); bit < len(b)*8; bit++ {
		b[bit/8] |= 1 << (7 - bit%8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}
