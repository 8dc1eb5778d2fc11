package httptool

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

func TestRule8_6_CutText(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"", 1, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "abc\n[truncated: 1 more characters]"},
		{"çay€", 4, "çay€"},
		{"çay€😀", 4, "çay€\n[truncated: 1 more characters]"},
		{"😀😀😀", 1, "😀\n[truncated: 2 more characters]"},
		{strings.Repeat("x", 30_000), 20_000, strings.Repeat("x", 20_000) + "\n[truncated: 10000 more characters]"},
	} {
		require.Equal(t, c.want, cutText(c.text, c.limit))
	}
}

func anything(any) bool { return true }

// minItems is a schema by which the arrays of some members have a least length,
// wherever they are.
func minItems(least map[string]int) func(any) bool {
	var fits func(any) bool
	fits = func(v any) bool {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				if list, ok := member.([]any); ok && len(list) < least[name] {
					return false
				}
				if !fits(member) {
					return false
				}
			}
		case []any:
			return !slices.ContainsFunc(v, func(e any) bool { return !fits(e) })
		}
		return true
	}
	return fits
}

func TestRule8_6_CutStructured(t *testing.T) {
	for _, c := range []struct {
		name, in string
		limit    int
		fits     func(any) bool
		want     string
		lost     []omission
	}{
		{"one list", `{"items":[1,2,3,4,5,6],"total":6}`, 29, anything,
			`{"items":[1,2,3,4],"total":6}`, []omission{{"/items", 4, 6}}},
		{"one less than fits", `{"items":[1,2,3,4,5,6],"total":6}`, 28, anything,
			`{"items":[1,2,3],"total":6}`, []omission{{"/items", 3, 6}}},
		{"order of members and digits stay", `{"z":1.50,"a":[10,20,30],"m":12345678901234567890}`, 45, anything,
			`{"z":1.50,"a":[10],"m":12345678901234567890}`, []omission{{"/a", 1, 3}}},
		{"characters, not bytes", `{"a":["ççç","ççç","ççç"]}`, 19, anything,
			`{"a":["ççç","ççç"]}`, []omission{{"/a", 2, 3}}},
		{"whole elements rather than parts of many", `{"rows":[{"t":[1,2,3]},{"t":[1,2,3]},{"t":[1,2,3]}]}`, 45, anything,
			`{"rows":[{"t":[1,2,3]},{"t":[1,2,3]}]}`, []omission{{"/rows", 2, 3}}},
		{"inner arrays where the outer has one element", `{"pages":[{"rows":[1,2,3,4,5,6]}]}`, 28, anything,
			`{"pages":[{"rows":[1,2,3]}]}`, []omission{{"/pages/0/rows", 3, 6}}},
		{"the longest first", `{"few":["aaaaaaaa","bbbbbbbb"],"many":[1,1,1,1,1,1,1,1,1,1]}`, 50, anything,
			`{"few":["aaaaaaaa","bbbbbbbb"],"many":[1,1,1,1,1]}`, []omission{{"/many", 5, 10}}},
		{"nothing is left of an array if it must be", `{"a":["aaaaaaaaaaaaaaaaaaaa"],"b":1}`, 15, anything,
			`{"a":[],"b":1}`, []omission{{"/a", 0, 1}}},
		{"brackets and escapes in strings", `{"a]\"[":["[1,2]","\\",",\"]","x"],"b":"[,]"}`, 38, anything,
			`{"a]\"[":["[1,2]","\\"],"b":"[,]"}`, []omission{{`/a]"[`, 2, 4}}},
		{"pointers are escaped", `{"a/b~":[1,2,3]}`, 14, anything,
			`{"a/b~":[1,2]}`, []omission{{"/a~1b~0", 2, 3}}},
		{"the schema's least length", `{"a":[1,2,3,4,5,6],"b":[1,2,3,4,5,6]}`, 29, minItems(map[string]int{"a": 6}),
			`{"a":[1,2,3,4,5,6],"b":[1,2]}`, []omission{{"/b", 2, 6}}},
		{"pairs stay pairs", `{"line":[{"at":[1,2]},{"at":[1,2]},{"at":[1,2]}]}`, 37, minItems(map[string]int{"at": 2}),
			`{"line":[{"at":[1,2]},{"at":[1,2]}]}`, []omission{{"/line", 2, 3}}},
		{"arrays of arrays", `{"m":[[1,2],[3,4],[5,6]]}`, 20, anything,
			`{"m":[[1,2],[3,4]]}`, []omission{{"/m", 2, 3}}},
		{"room is given back in order", `{"m":[[1,2,3,4],[1,2,3,4]]}`, 24, func(v any) bool { return len(v.(map[string]any)["m"].([]any)) == 2 },
			`{"m":[[1,2,3],[1,2,3]]}`, []omission{{"/m/0", 3, 4}, {"/m/1", 3, 4}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, lost, ok := cutStructured(t.Context(), []byte(c.in), c.limit, c.fits)
			require.True(t, ok)
			require.Equal(t, c.want, string(got))
			require.Equal(t, c.lost, lost)
		})
	}
}

func TestRule8_6_CutCannotFit(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		fits func(any) bool
	}{
		"no array":                  {`{"a":"` + strings.Repeat("x", 100) + `"}`, anything},
		"the rest is too long":      {`{"a":[1,2,3],"b":"` + strings.Repeat("x", 100) + `"}`, anything},
		"the schema wants them all": {`{"a":["xxxxxxxxxx","xxxxxxxxxx","xxxxxxxxxx","xxxxxxxxxx"]}`, minItems(map[string]int{"a": 4})},
		"no value fits":             {`{"a":["xxxxxxxxxx","xxxxxxxxxx","xxxxxxxxxx","xxxxxxxxxx"]}`, func(any) bool { return false }},
	} {
		_, _, ok := cutStructured(t.Context(), []byte(c.in), 40, c.fits)
		require.False(t, ok, name)
	}
}

// The search for what a schema allows ends with the call.
func TestRule8_6_CutEndsWithTheCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var members []string
	for i := range 200 {
		members = append(members, fmt.Sprintf(`"m%d":[1,2,3,4,5,6,7,8]`, i))
	}
	tries := 0
	_, _, ok := cutStructured(ctx, []byte("{"+strings.Join(members, ",")+"}"), 3000, func(any) bool {
		if tries++; tries == 5 {
			cancel()
		}
		return false
	})
	require.False(t, ok)
	require.Equal(t, 5, tries)
	tries = 0
	_, _, ok = cutStructured(t.Context(), []byte("{"+strings.Join(members, ",")+"}"), 3000, func(any) bool { tries++; return false })
	require.False(t, ok)
	require.Less(t, tries, 100, "the work is bounded")
}

func TestRule8_6_CutLargeDocuments(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"rows":[`)
	for i := range 40_000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"tags":["a","b"],"name":"row %d"}`, i, i)
	}
	b.WriteString(`]}`)
	got, lost, ok := cutStructured(t.Context(), []byte(b.String()), 20_000, anything)
	require.True(t, ok)
	require.Len(t, lost, 1)
	require.Greater(t, len(got), 19_900, "what is allowed is used")
	require.LessOrEqual(t, len(got), 20_000)
}

// A document made to cost memory is not shortened.
func TestRule8_6_CutTooManyArrays(t *testing.T) {
	empties := func(n int) []byte { return []byte(`{"a":[` + strings.TrimSuffix(strings.Repeat("[],", n), ",") + `]}`) }
	_, ok := newOutline(empties(maxArrays - 1))
	require.True(t, ok)
	_, _, ok = cutStructured(t.Context(), empties(maxArrays), 1000, anything)
	require.False(t, ok)
}

func TestRule8_6_Least(t *testing.T) {
	for limit := range 40 {
		for want := range limit + 1 {
			require.Equal(t, want, least(limit, func(n int) bool {
				require.Less(t, n, limit)
				require.GreaterOrEqual(t, n, 0)
				return n >= want
			}), "%d of %d", want, limit)
		}
	}
}

func TestRule8_6_Outline(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		data := randomObject(random)
		o, ok := newOutline(data)
		require.True(t, ok)
		require.Equal(t, utf8.RuneCount(data), o.runes)
		n := len(o.arrays)
		c := &cutter{outline: o, floor: func(int) int { return 0 }, keep: make([]int, n), gone: make([]bool, n), shrink: make([]int, n)}
		for length := range 5 {
			size := c.assign(o.levels, length)
			c.extend(0)
			cut := c.cut()
			require.True(t, json.Valid(cut), "%s", cut)
			require.Equal(t, utf8.RuneCount(cut), size, "%s", cut)
		}
	}
}

func randomObject(random *rand.Rand) []byte {
	return jsonx.AppendValue(nil, map[string]any{"a": randomValue(random, 4), "b": randomValue(random, 4), "ç": randomValue(random, 4)})
}

func randomValue(random *rand.Rand, depth int) any {
	switch n := random.IntN(6); {
	case depth == 0 || n == 0:
		return []string{"", "x", "ç€😀", `[",]"`, `\`}[random.IntN(5)]
	case n == 1:
		return map[string]any{"k": randomValue(random, depth-1), `,"[`: randomValue(random, depth-1)}
	default:
		list := make([]any, random.IntN(6))
		for i := range list {
			list[i] = randomValue(random, depth-1)
		}
		return list
	}
}

// FuzzCut: whatever comes out fits the limit and the schema, and is what came
// in but for elements at the ends of arrays.
func FuzzCut(f *testing.F) {
	f.Add([]byte(`{"items":[1,2,3,4,5,6],"total":6}`), 20, 1)
	f.Add([]byte(`{"m":[[1,2],[3,4],[5,6]],"a":["ççç","x"]}`), 18, 2)
	f.Add([]byte(`{"a":{"b":[{"a":[1,2,3]},{"a":[]}]}}`), 21, 0)
	f.Fuzz(func(t *testing.T, data []byte, limit, least int) {
		limit, least = min(max(limit, 1), 10_000), min(max(least, 0), 5)
		text := cutText(strings.ToValidUTF8(string(data), "?"), limit)
		require.True(t, utf8.ValidString(text))
		document, err := canonical(data)
		if err != nil || document[0] != '{' {
			return
		}
		whole, err := jsonx.Parse(document, jsonx.Limits{})
		if err != nil {
			return
		}
		fits := minItems(map[string]int{"a": least, "items": least})
		got, lost, ok := cutStructured(t.Context(), document, limit, fits)
		if !ok {
			return
		}
		require.LessOrEqual(t, utf8.RuneCount(got), limit)
		tree, err := jsonx.Parse(got, jsonx.Limits{})
		require.NoError(t, err)
		require.True(t, fits(tree))
		require.True(t, isCutOf(tree, whole), "%s of %s", got, document)
		require.Equal(t, len(got) < len(document), len(lost) > 0)
	})
}

// isCutOf reports whether part is whole without elements at the ends of arrays.
func isCutOf(part, whole any) bool {
	switch part := part.(type) {
	case map[string]any:
		whole, ok := whole.(map[string]any)
		if !ok || len(part) != len(whole) {
			return false
		}
		for name := range part {
			if !isCutOf(part[name], whole[name]) {
				return false
			}
		}
		return true
	case []any:
		whole, ok := whole.([]any)
		if !ok || len(part) > len(whole) {
			return false
		}
		for i := range part {
			if !isCutOf(part[i], whole[i]) {
				return false
			}
		}
		return true
	}
	return part == whole
}
