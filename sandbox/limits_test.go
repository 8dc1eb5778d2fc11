package sandbox

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// filled returns a document of exactly size bytes: the elements, as often as they
// fit, in a list under "items".
func filled(t testing.TB, size int, element string) []byte {
	t.Helper()
	const open, end = `{"items":[`, `]}`
	n := (size - len(open) - len(end) + 1) / (len(element) + 1)
	doc := open + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + end
	doc += strings.Repeat(" ", size-len(doc))
	require.Len(t, doc, size)
	return []byte(doc)
}

const record = `{"id":9007199254740993,"name":"item","tags":["a","b","c"],"price":10.25,"nested":{"u":true,"v":null},"x":"value"}`

// documents are elements that a large document is made of; the later ones are as
// large in memory as JSON can be.
var documents = map[string]string{
	"records":              record,
	"numbers of one digit": `0`,
	"empty objects":        `{}`,
	"escapes":              `"\n"`,
	"one string":           `"` + strings.Repeat("x", 1<<20) + `"`,
	"objects of one":       `{"x":1}`,
	"objects in objects":   strings.Repeat(`{"":`, 500) + "1" + strings.Repeat("}", 500),
}

// A document of the largest size is evaluated, whatever it is made of.
func TestRule8_7_LargestDocuments(t *testing.T) {
	p := newTestPool(t, Options{Children: 1})
	for name, element := range documents {
		data := filled(t, maxInputCeiling, element)
		out, err := p.Select(within(t, 110*time.Second), "@", data)
		require.NoError(t, err, name)
		assert.Equal(t, bytes.Count(data, []byte{','}), bytes.Count(out, []byte{','}), name)
	}
	for _, name := range []string{"records", "objects of one"} {
		data := filled(t, maxInputCeiling, documents[name])
		out, err := p.Select(within(t, 110*time.Second), "{a: items[*].x}", data)
		require.NoError(t, err, name)
		assert.Equal(t, bytes.Count(data, []byte(`"x":`))-1, bytes.Count(out, []byte{','}), name)
	}
}

// The largest document that has the memory of a small one.
func TestRule8_7_LargestSmallDocument(t *testing.T) {
	p := newTestPool(t, Options{Children: 1})
	for name, element := range documents {
		_, err := p.Select(within(t, 110*time.Second), "@", filled(t, smallInput, element))
		assert.NoError(t, err, name)
	}
}

func TestRule8_7_Sizes(t *testing.T) {
	p := newTestPool(t, Options{MaxInput: 100, MaxOutput: 50})
	inBytes := func(n int) []byte { return []byte(`"` + strings.Repeat("x", n-2) + `"`) }
	for name, c := range map[string]struct {
		data []byte
		want string // of the error
		kind Kind
	}{
		"nothing":                       {nil, "the data cannot be read: it ends too early", KindEvaluation},
		"white space":                   {[]byte(" \n"), "the data cannot be read: it ends too early", KindEvaluation},
		"the smallest":                  {[]byte("0"), "", ""},
		"the largest result":            {inBytes(50), "", ""},
		"a result too large":            {inBytes(51), "the result is larger than 50 bytes", KindTooLarge},
		"the largest data":              {inBytes(100), "the result is larger than 50 bytes", KindTooLarge},
		"data too large":                {inBytes(101), "the data is too large for select: 101 bytes, at most 100", KindTooLarge},
		"data that is too large by far": {inBytes(10_000), "the data is too large for select: 10000 bytes, at most 100", KindTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := p.Select(within(t, 20*time.Second), "@", c.data)
			if c.kind == "" {
				require.NoError(t, err)
				assert.Equal(t, string(c.data), string(out))
				return
			}
			assert.Equal(t, c.kind, kindOf(t, err))
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestRule8_7_OptionsAreBounded(t *testing.T) {
	type sizes struct{ children, input, output, calls int }
	for _, c := range []struct {
		given Options
		want  sizes
	}{
		{Options{}, sizes{2, 8 << 20, 8 << 20, 10_000}},
		{Options{Children: 1, MaxInput: 1, MaxOutput: 1, CallsPerChild: 1}, sizes{1, 1, 1, 1}},
		{Options{Children: 16, MaxInput: 8 << 20, MaxOutput: 8 << 20, CallsPerChild: 1 << 40}, sizes{16, 8 << 20, 8 << 20, 1 << 40}},
		{Options{Children: 17, MaxInput: 8<<20 + 1, MaxOutput: 8<<20 + 1}, sizes{16, 8 << 20, 8 << 20, 10_000}},
		{Options{Children: -1, MaxInput: -1, MaxOutput: -1, CallsPerChild: -1}, sizes{1, 1, 1, 10_000}},
	} {
		o := c.given.withDefaults()
		assert.Equal(t, c.want, sizes{o.Children, o.MaxInput, o.MaxOutput, o.CallsPerChild})
		assert.Equal(t, 5*time.Second, o.StartTimeout)
		assert.NotNil(t, o.Logger)
	}
	assert.Equal(t, time.Minute, Options{StartTimeout: time.Minute}.withDefaults().StartTimeout)
}
