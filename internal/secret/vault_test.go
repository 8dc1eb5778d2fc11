package secret

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A clock is a time that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)} }

func known(v *Vault, value string) bool {
	text, n := v.Redactor().Text("<" + value + ">")
	return n == 1 && text == "<"+Mark+">"
}

func value(i int) string { return fmt.Sprintf("value-number-%05d", i) }

func TestRule6_3_OldAndNewValuesAreKept(t *testing.T) {
	c := newClock()
	v := NewVault(c.now)
	for i := range 20 {
		v.Add("TOKEN", value(i))
	}
	for i := range 20 {
		require.True(t, known(v, value(i)), "a day is not over, %d", i)
	}
	c.at = c.at.Add(24 * time.Hour)
	v.Add("TOKEN", value(20))
	require.True(t, known(v, value(0)), "24 hours are not exceeded")
	c.at = c.at.Add(time.Second)
	v.Add("TOKEN", value(20))
	for i := range 21 {
		require.Equal(t, i >= 5, known(v, value(i)), i)
	}
	c.at = c.at.Add(1000 * time.Hour)
	v.Add("OTHER", "another-value")
	require.True(t, known(v, value(5)), "the last 16 stay for ever")
}

func TestRule6_3_ValueSeenAgainIsYoungAgain(t *testing.T) {
	c := newClock()
	v := NewVault(c.now)
	for i := range 17 {
		v.Add("TOKEN", value(i))
	}
	c.at = c.at.Add(25 * time.Hour)
	v.Add("TOKEN", value(0))
	for i := range 17 {
		require.Equal(t, i != 1, known(v, value(i)), i)
	}
}

func TestRule6_3_NamesAreKeptApart(t *testing.T) {
	c := newClock()
	v := NewVault(c.now)
	for i := range 100 {
		v.Add(fmt.Sprint("NAME", i), value(i))
	}
	c.at = c.at.Add(100 * time.Hour)
	for i := range 16 {
		v.Add("NAME0", value(200+i))
	}
	require.False(t, known(v, value(0)))
	require.True(t, known(v, value(1)))
}

func TestRule6_2_ShortValuesAreIgnored(t *testing.T) {
	v := NewVault(nil)
	v.Add("A", "short")
	v.Add("B", "       x       ")
	v.AddRendered("x")
	v.Add("C", Mark)
	text, n := v.Redactor().Text("short x       x        " + Mark)
	require.Zero(t, n)
	require.Equal(t, "short x       x        "+Mark, text)
}

func TestRule6_3_FullVaultFailsClosed(t *testing.T) {
	for name, fill := range map[string]func(v *Vault){
		"values": func(v *Vault) {
			for i := range maxValues + 1 {
				v.Add("TOKEN", value(i))
			}
		},
		"bytes": func(v *Vault) {
			for i := range 5 {
				v.Add("TOKEN", strings.Repeat(value(i), maxBytes/len(value(i))/4))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClock()
			v := NewVault(c.now)
			fill(v)
			r := v.Redactor()
			text, n := r.Text("harmless")
			require.Equal(t, Mark, text)
			require.Equal(t, 1, n)
			again, n := r.Text(text)
			require.Equal(t, Mark, again)
			require.Zero(t, n)
			out, _, err := r.JSON([]byte(`{"a":1}`))
			require.NoError(t, err)
			require.Equal(t, `"[redacted]"`, string(out))
			tree, _ := r.Tree(map[string]any{"a": "b"})
			require.Equal(t, Mark, tree)
			require.EqualError(t, r.Error(fmt.Errorf("harmless")), Mark)
			v.AddRendered("Basic a rendered value")

			if name == "values" {
				c.at = c.at.Add(25 * time.Hour)
				text, n = v.Redactor().Text("harmless " + value(maxValues))
				require.Equal(t, "harmless "+Mark, text)
				require.Equal(t, 1, n)
			}
		})
	}
}

func TestRule6_3_RenderedValues(t *testing.T) {
	v := NewVault(nil)
	v.Add("PASSWORD", "hunter2-hunter2")
	header := "Basic dXNlcjpodW50ZXIyLWh1bnRlcjI="
	require.False(t, known(v, header))
	v.AddRendered(header)
	require.True(t, known(v, header))
	require.True(t, known(v, "QmFzaWMgZFhObGNqcG9kVzUwWlhJeUxXaDFiblJsY2pJPQ=="), "base64 of it")

	v.AddRendered("hunter2-hunter2\nA caller's own words")
	_, n := v.Redactor().Text("A caller's own words")
	require.Zero(t, n, "lines of a rendered value are no secrets")

	before := v.Redactor()
	v.AddRendered("hunter2%2Dhunter2")
	v.AddRendered(header)
	require.Same(t, before, v.Redactor(), "what is redacted whole already changes nothing")
}

func TestRule6_3_RenderedValuesAreBounded(t *testing.T) {
	v := NewVault(nil)
	for i := range maxRendered + 10 {
		v.AddRendered(value(i))
	}
	require.Len(t, v.rendered, maxRendered)
	require.False(t, known(v, value(9)))
	require.True(t, known(v, value(10)))
	for i := range 40 {
		v.AddRendered(strings.Repeat(value(i), maxRenderedValue/len(value(i))))
	}
	size := 0
	for _, r := range v.rendered {
		size += len(r)
	}
	require.LessOrEqual(t, size, maxRenderedBytes)
	require.Greater(t, size, maxRenderedBytes*9/10)
	v.AddRendered(strings.Repeat("x", maxRenderedValue+1))
	require.False(t, known(v, strings.Repeat("x", maxRenderedValue+1)))
}

func TestVaultSnapshots(t *testing.T) {
	v := NewVault(nil)
	empty := v.Redactor()
	require.Same(t, empty, v.Redactor())
	v.Add("A", "hunter2-hunter2")
	first := v.Redactor()
	v.Add("A", "hunter2-hunter2")
	require.Same(t, first, v.Redactor(), "a known value changes nothing")
	v.Add("A", "hunter3-hunter3")
	require.NotSame(t, first, v.Redactor())
	_, n := empty.Text("hunter2-hunter2")
	require.Zero(t, n)
	_, n = first.Text("hunter3-hunter3")
	require.Zero(t, n)
}

func TestVaultAbsorb(t *testing.T) {
	c := newClock()
	a, b := NewVault(c.now), NewVault(c.now)
	for i := range 10 {
		a.Add("TOKEN", value(i))
	}
	c.at = c.at.Add(25 * time.Hour)
	for i := range 10 {
		b.Add("TOKEN", value(100+i))
	}
	b.AddRendered("a rendered value")
	b.Absorb(a)
	b.Absorb(b)
	for i := range 10 {
		require.Equal(t, i >= 4, known(b, value(i)), "the oldest go first, %d", i)
		require.True(t, known(b, value(100+i)))
	}
	a.Absorb(b)
	require.True(t, known(a, "a rendered value"))
	require.True(t, known(a, value(109)))
}

func TestVaultConcurrently(t *testing.T) {
	a, b := NewVault(nil), NewVault(nil)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				v := []*Vault{a, b}[i%2]
				s := value(g*1000 + i%20)
				v.Add("TOKEN", s)
				if !known(v, s) {
					t.Errorf("%s is not redacted after it was added", s)
				}
				v.AddRendered("Bearer " + s)
				if i%10 == 0 {
					a.Absorb(b)
					b.Absorb(a)
				}
			}
		})
	}
	wg.Wait()
}
