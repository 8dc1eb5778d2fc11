package kervan_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/kerventest"
)

// The types of the properties: everything that arguments and results are made
// of.
type (
	whole struct {
		I   int    `json:"i"`
		I8  int8   `json:"i8"`
		I16 int16  `json:"i16"`
		I32 int32  `json:"i32"`
		I64 int64  `json:"i64"`
		U   uint   `json:"u"`
		U8  uint8  `json:"u8"`
		U16 uint16 `json:"u16"`
		U32 uint32 `json:"u32"`
		U64 uint64 `json:"u64"`
		Q   int64  `json:"q,string"`
	}
	mixed struct {
		Whole  whole              `json:"whole"`
		F32    float32            `json:"f32"`
		F64    float64            `json:"f64"`
		S      string             `json:"s"`
		B      bool               `json:"b"`
		Name   severity           `json:"näme <&> / ~"`
		Bytes  []byte             `json:"bytes"`
		List   []int64            `json:"list"`
		Pair   [2]uint16          `json:"pair"`
		Texts  []string           `json:"texts"`
		Floats map[string]float64 `json:"floats"`
		Keys   map[int64]string   `json:"keys"`
		Deep   [][]map[string]int `json:"deep"`
		Leaf   *whole             `json:"leaf,omitempty"`
		Count  *int64             `json:"count,omitempty"`
		Kids   []mixed            `json:"kids"`
		Raw    json.RawMessage    `json:"raw"`
		Any    any                `json:"any"`
		Num    json.Number        `json:"num"`
		When   time.Time          `json:"when"`
		For    time.Duration      `json:"for"`
	}
	batch struct {
		Values []mixed `json:"values"`
	}
)

// A maker makes values from a fixed seed.
type maker struct{ *rand.Rand }

func newMaker(seed uint64) maker { return maker{rand.New(rand.NewPCG(seed, 1))} }

// value fills v, which is of one of the types above. Depth bounds recursion.
func (m maker) value(v reflect.Value, depth int) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(m.Int64N(250_000_000_000)-60_000_000_000, m.Int64N(1e9)).UTC()))
		return
	case time.Duration:
		v.SetInt(m.integer(64))
		return
	case json.RawMessage:
		v.SetBytes(m.document(depth))
		return
	case json.Number:
		v.SetString(m.number())
		return
	}
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(m.integer(v.Type().Bits()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(m.integer(64)) >> (64 - v.Type().Bits()))
	case reflect.Float32:
		v.SetFloat(float64(m.float32()))
	case reflect.Float64:
		v.SetFloat(m.float64())
	case reflect.String:
		v.SetString(m.text())
	case reflect.Bool:
		v.SetBool(m.IntN(2) == 0)
	case reflect.Pointer:
		if m.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			m.value(v.Elem(), depth)
		}
	case reflect.Slice:
		n := m.IntN(4)
		if v.Type() == reflect.TypeFor[[]mixed]() {
			n = min(n/3, depth-1) // these are large
		}
		n = min(max(n, 0), 3*max(depth, 0))
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			m.value(v.Index(i), depth-1)
		}
	case reflect.Array:
		for i := range v.Len() {
			m.value(v.Index(i), depth)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range m.IntN(4) {
			key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			m.value(key, depth-1)
			m.value(element, depth-1)
			v.SetMapIndex(key, element)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			m.value(v.Field(i), depth)
		}
	case reflect.Interface:
		if tree := m.tree(depth); tree != nil {
			v.Set(reflect.ValueOf(tree))
		}
	}
}

// integer makes an integer of so many bits, near a limit as often as not.
func (m maker) integer(bits int) int64 {
	n := int64(m.Uint64()) >> (64 - bits)
	if m.IntN(2) == 0 {
		return n >> m.IntN(bits)
	}
	limits := []int64{0, 1, -1, math.MaxInt64 >> (64 - bits), math.MinInt64 >> (64 - bits), 1 << (bits - 2)}
	return limits[m.IntN(len(limits))]
}

func (m maker) float64() float64 {
	switch m.IntN(4) {
	case 0:
		return []float64{0, math.Copysign(0, -1), math.MaxFloat64, math.SmallestNonzeroFloat64, 1 << 53, 1<<53 + 2, 1e21, -1e21, 1e20, 123456789012345678, 0.1, 1e-7}[m.IntN(12)]
	case 1:
		return m.NormFloat64() * math.Pow(10, float64(m.IntN(60)-30))
	case 2:
		return float64(m.integer(64))
	}
	for {
		if f := math.Float64frombits(m.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f
		}
	}
}

func (m maker) float32() float32 {
	for {
		f := math.Float32frombits(m.Uint32())
		if m.IntN(2) == 0 {
			f = float32(m.IntN(2_000_000)-1_000_000) / 64
		}
		if f64 := float64(f); !math.IsNaN(f64) && !math.IsInf(f64, 0) {
			return f
		}
	}
}

// text makes a string of everything that is hard to carry: controls, quotes,
// line separators, markup, other planes, and what looks like JSON.
func (m maker) text() string {
	pieces := []string{"a", "Z", "0", " ", "é", "ş", "日本", "😀", "\u2028", "\u2029", "\u0000", "\x1f", "\x7f", "\"", "\\", "/", "<", ">", "&", "\n", "\r\n", "\t", "\u200d", "\uFFFD", "\uFEFF", "\U0010FFFF", "ef\u0301", "{\"a\":1}", "\\u0041", "null", "]]>", "İ", "ß", "K"}
	var b strings.Builder
	for range m.IntN(8) {
		if m.IntN(4) == 0 {
			r := rune(m.IntN(0x110000))
			if r >= 0xd800 && r < 0xe000 {
				r = 'x'
			}
			b.WriteRune(r)
			continue
		}
		b.WriteString(pieces[m.IntN(len(pieces))])
	}
	return b.String()
}

// number makes a number token of up to 40 characters, in any spelling. The
// SDK's client reads structured content as float64 before this test sees it,
// so no number is beyond one.
func (m maker) number() string {
	var b strings.Builder
	if m.IntN(3) == 0 {
		b.WriteByte('-')
	}
	digits := func(n int) {
		for range n {
			b.WriteByte(byte('0' + m.IntN(10)))
		}
	}
	if m.IntN(4) == 0 {
		b.WriteByte('0')
	} else {
		b.WriteByte(byte('1' + m.IntN(9)))
		digits(m.IntN(20))
	}
	if m.IntN(3) == 0 {
		b.WriteByte('.')
		digits(1 + m.IntN(8))
	}
	if m.IntN(4) == 0 {
		b.WriteString([]string{"e", "E", "e+", "E-", "e-"}[m.IntN(5)])
		b.WriteString(strconv.Itoa(m.IntN(280)))
	}
	return b.String()
}

// tree makes what an interface is decoded to: json.Number, string, bool, nil,
// []any and map[string]any.
func (m maker) tree(depth int) any {
	kinds := 6
	if depth <= 0 {
		kinds = 4
	}
	switch m.IntN(kinds) {
	case 0:
		return json.Number(m.number())
	case 1:
		return m.text()
	case 2:
		return m.IntN(2) == 0
	case 3:
		return nil
	case 4:
		list := make([]any, m.IntN(4))
		for i := range list {
			list[i] = m.tree(depth - 1)
		}
		return list
	}
	object := map[string]any{}
	for range m.IntN(4) {
		object[m.text()] = m.tree(depth - 1)
	}
	return object
}

// document makes a tree as compact JSON, in the spelling that a client that
// escapes nothing needlessly would send.
func (m maker) document(depth int) []byte { return appendWire(nil, reflect.ValueOf(m.tree(depth))) }

// appendWire writes a value as JSON, independently of the library. A float has
// an exponent, which says that its digits are all that is known of it.
func appendWire(b []byte, v reflect.Value) []byte {
	if !v.IsValid() {
		return append(b, "null"...)
	}
	switch x := v.Interface().(type) {
	case time.Time:
		return appendWire(b, reflect.ValueOf(x.Format(time.RFC3339Nano)))
	case time.Duration:
		return appendWire(b, reflect.ValueOf(x.String()))
	case json.Number:
		return append(b, x...)
	case json.RawMessage:
		return append(b, x...)
	case []byte:
		text, err := json.Marshal(x)
		if err != nil {
			panic(err)
		}
		return append(b, text...)
	}
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(b, v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.AppendFloat(b, v.Float(), 'e', -1, v.Type().Bits())
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.Interface, reflect.Pointer:
		return appendWire(b, v.Elem())
	case reflect.Slice, reflect.Array:
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendWire(b, v.Index(i))
		}
		return append(b, ']')
	case reflect.Map:
		keys := map[string]reflect.Value{}
		for it := v.MapRange(); it.Next(); {
			keys[fmt.Sprint(it.Key())] = it.Value()
		}
		b = append(b, '{')
		for i, key := range slices.Backward(slices.Sorted(maps.Keys(keys))) { // not as the library would write it
			if i < len(keys)-1 {
				b = append(b, ',')
			}
			b = append(appendWire(b, reflect.ValueOf(key)), ':')
			b = appendWire(b, keys[key])
		}
		return append(b, '}')
	case reflect.Struct:
		b = append(b, '{')
		first := true
		for i := range v.NumField() {
			name, opts, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if v.Field(i).Kind() == reflect.Pointer && v.Field(i).IsNil() {
				continue
			}
			if !first {
				b = append(b, ',')
			}
			first = false
			b = append(appendWire(b, reflect.ValueOf(name)), ':')
			if opts == "string" {
				b = append(appendWire(append(b, '"'), v.Field(i)), '"')
				continue
			}
			b = appendWire(b, v.Field(i))
		}
		return append(b, '}')
	}
	var quoted bytes.Buffer
	enc := json.NewEncoder(&quoted)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v.String()); err != nil {
		panic(err)
	}
	return append(b, bytes.TrimSpace(quoted.Bytes())...)
}

const (
	propertyRounds = 8
	propertyBatch  = 25
)

// TestProperty_TypedRoundTrip: what is sent is what the handler gets, and what
// the handler returns is what the client decodes, for 400 structs that hold
// some 60 values each.
func TestProperty_TypedRoundTrip(t *testing.T) {
	t.Parallel()
	var got, give []mixed
	app, rec := newApp(kervan.WithArgumentLimit(-1))
	app.Add(
		kervan.Tool("take", "Takes values.", func(_ context.Context, in batch) (kervan.None, error) { got = in.Values; return kervan.None{}, nil }),
		tool("give", func(context.Context) ([]mixed, error) { return give, nil }),
	)
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		seed := uint64(1)
		if c.Session().InitializeResult().ProtocolVersion == string(kerventest.Legacy) {
			seed = 2
		}
		m := newMaker(seed)
		for round := range propertyRounds {
			sent := make([]mixed, propertyBatch)
			for i := range sent {
				m.value(reflect.ValueOf(&sent[i]).Elem(), 2)
			}
			got, give = nil, sent
			args := appendWire(nil, reflect.ValueOf(batch{sent}))
			if res := c.Call("take", rawJSON(string(args))); res.IsError {
				t.Fatalf("round %d is refused: %s", round, res.Text)
			}
			mustEqual(t, "the handler got", sent, got)
			res := c.Call("give", nil)
			if res.IsError {
				t.Fatalf("round %d is not sent: %s", round, res.Text)
			}
			if res.Text != string(res.Structured) {
				t.Fatalf("round %d: text and structured content differ", round)
			}
			var back []mixed
			must(t, res.Decode(&back))
			mustEqual(t, "the client got", sent, back)
		}
	})
	wantAbsent(t, rec.logs(), "level=ERROR")
}

// mustEqual compares value by value and shows the first that differs, field by
// field.
func mustEqual(t *testing.T, what string, want, got []mixed) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%s %d values, want %d", what, len(got), len(want))
	}
	for i := range want {
		if reflect.DeepEqual(want[i], got[i]) && sameBits(want[i], got[i]) {
			continue
		}
		w, g := reflect.ValueOf(want[i]), reflect.ValueOf(got[i])
		for j := range w.NumField() {
			if !reflect.DeepEqual(w.Field(j).Interface(), g.Field(j).Interface()) {
				t.Errorf("value %d, field %s: %s %#v, want %#v", i, w.Type().Field(j).Name, what, g.Field(j).Interface(), w.Field(j).Interface())
			}
		}
		t.Fatalf("value %d: %s %#v\nwant %#v", i, what, got[i], want[i])
	}
}

// sameBits tells 0 from -0, which == does not.
func sameBits(a, b mixed) bool {
	return math.Float64bits(a.F64) == math.Float64bits(b.F64) && math.Float32bits(a.F32) == math.Float32bits(b.F32)
}

// TestProperty_RawRoundTrip: a raw tool gets any document as it was sent, and
// what it returns arrives as it was returned, digit for digit: 6,000 documents.
func TestProperty_RawRoundTrip(t *testing.T) {
	t.Parallel()
	app, _ := newApp(kervan.WithArgumentLimit(-1))
	app.Add(kervan.RawTool("echo", "Returns its arguments.", kervan.Schema(`{"type":"object"}`), func(_ context.Context, call *kervan.Call) (*kervan.Result, error) {
		return &kervan.Result{StructuredContent: call.Arguments()}, nil
	}))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		m := newMaker(uint64(len(c.Exchange())))
		for range 60 {
			doc := []byte(`{"all":[`)
			for i := range 50 {
				if i > 0 {
					doc = append(doc, ',')
				}
				doc = append(doc, m.document(5)...)
			}
			doc = append(doc, "]}"...)
			res := c.Call("echo", rawJSON(string(doc)))
			if res.IsError {
				t.Fatalf("refused: %s", res.Text)
			}
			if want := separators.Replace(string(doc)); string(res.Structured) != want || res.Text != want {
				t.Fatalf("%s", firstDifference(want, string(res.Structured)))
			}
		}
	})
}

// separators writes the two characters that are always escaped.
var separators = strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`)

func firstDifference(want, got string) string {
	i := 0
	for i < len(want) && i < len(got) && want[i] == got[i] {
		i++
	}
	cut := func(s string) string { return s[max(0, i-40):min(len(s), i+40)] }
	return fmt.Sprintf("differs at byte %d\n got …%q…\nwant …%q…", i, cut(got), cut(want))
}

// TestProperty_TextRoundTrip: any text arrives as it was returned, and nothing
// that it holds can break the line it is sent on.
func TestProperty_TextRoundTrip(t *testing.T) {
	t.Parallel()
	type in struct {
		S string `json:"s"`
	}
	app, _ := newApp()
	app.Add(kervan.Tool("echo", "Returns a text.", func(_ context.Context, v in) (string, error) { return v.S, nil }))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		m := newMaker(uint64(len(c.Exchange())))
		for range 150 {
			want := m.text()
			res := c.Call("echo", in{want})
			if res.Text != want {
				t.Fatalf("sent %q, got %q", want, res.Text)
			}
			if strings.ContainsAny(string(res.Raw), "\n\r\u2028\u2029") {
				t.Fatalf("a line separator on the wire: %q", res.Raw)
			}
		}
	})
}
