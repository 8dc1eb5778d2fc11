package jsonx

//lint:file-ignore SA5008 odd tags are what is tested
//lint:file-ignore U1000 fields exist to be encoded

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type (
	id      int64
	celsius float64
	small   int8
	blob    []byte
	stamp   struct{ time.Time }
	Inner   struct {
		X int `json:"x"`
	}
	hidden struct {
		Y int `json:"y"`
	}
	pointerText struct{ s string }
	picky       struct{ v string }
	pickyText   string
)

func (p *pointerText) MarshalText() ([]byte, error) { return []byte("<" + p.s + ">"), nil }
func (p *pointerText) UnmarshalText(b []byte) error {
	p.s = strings.Trim(string(b), "<>")
	return nil
}
func (p *picky) UnmarshalJSON([]byte) error     { return errors.New("secret of picky") }
func (p *pickyText) UnmarshalText([]byte) error { return errors.New("secret of picky") }

// all has a field of every kind that the codec treats specially.
type all struct {
	Int     int                    `json:"int"`
	ID      id                     `json:"id"`
	Small   small                  `json:"small"`
	U64     uint64                 `json:"u64"`
	F64     float64                `json:"f64"`
	F32     float32                `json:"f32"`
	Temp    celsius                `json:"temp"`
	Bool    bool                   `json:"bool"`
	Str     string                 `json:"str"`
	Bytes   []byte                 `json:"bytes"`
	Blob    blob                   `json:"blob"`
	Four    [4]byte                `json:"four"`
	Pair    [2]int                 `json:"pair"`
	Time    time.Time              `json:"time"`
	Wait    time.Duration          `json:"wait"`
	URL     url.URL                `json:"url"`
	URLp    *url.URL               `json:"urlp"`
	Any     any                    `json:"any"`
	Raw     json.RawMessage        `json:"raw"`
	Num     json.Number            `json:"num"`
	Big     *big.Int               `json:"big"`
	BigV    big.Int                `json:"bigv"`
	Addr    netip.Addr             `json:"addr"`
	QInt    int64                  `json:"qint,string"`
	QFloat  float64                `json:"qfloat,string"`
	QBool   bool                   `json:"qbool,string"`
	QPtr    *uint8                 `json:"qptr,string"`
	QNum    json.Number            `json:"qnum,string"`
	Map     map[string]int         `json:"map"`
	IntMap  map[int]string         `json:"intmap"`
	WaitMap map[time.Duration]int  `json:"waitmap"`
	Text    pointerText            `json:"text"`
	TextMap map[string]pointerText `json:"textmap"`
	Ptr     *Inner                 `json:"ptr"`
	Slice   []Inner                `json:"slice"`
	Dash    int                    `json:"-,"`
	Ignored int                    `json:"-"`
	Inner
	hidden
}

func TestRule1_10_Encode(t *testing.T) {
	u, _ := url.Parse("https://example.com/a?b=1&c=<2>")
	for _, c := range []struct {
		name string
		in   any
		want string
	}{
		{"nil", nil, `null`},
		{"nil slice", []int(nil), `[]`},
		{"nil map", map[string]int(nil), `{}`},
		{"nil bytes", []byte(nil), `""`},
		{"nested nil", struct {
			A []string
			B map[string][]int
			C *int
		}{B: map[string][]int{"x": nil}}, `{"A":[],"B":{"x":[]},"C":null}`},
		{"no HTML escapes", "<a>&\u2028\u2029", `"<a>&\u2028\u2029"`},
		{"invalid UTF-8", "a\xff", "\"a\uFFFD\""},
		{"invalid UTF-8 key", map[string]int{"\xff": 1}, "{\"\uFFFD\":1}"},
		{"map order", map[string]int{"b": 1, "a": 2, "c": 3}, `{"a":2,"b":1,"c":3}`},
		{"int keys", map[int]string{10: "a", -2: "b"}, `{"-2":"b","10":"a"}`},
		{"int64", []int64{math.MinInt64, 9007199254740993}, `[-9223372036854775808,9007199254740993]`},
		{"uint64", uint64(math.MaxUint64), `18446744073709551615`},
		{"float", []float64{0.1, 1e21, 1152921504606846976, -9007199254740992, 1e-7, 3}, `[0.1,1e+21,1152921504606846976,-9007199254740992,1e-7,3]`},
		{"float32", []float32{0.1, 16777216, 1152921504606846976}, `[0.1,16777216,1152921504606846976]`},
		{"named float", map[string]celsius{"a": 1152921504606846976}, `{"a":1152921504606846976}`},
		{"named float beside named int", struct {
			C celsius
			D time.Duration
			A any
		}{1152921504606846976, time.Second, []any{"x", 1.5}}, `{"C":1152921504606846976,"D":"1s","A":["x",1.5]}`},
		{"named float pointer", new(celsius), `0`},
		{"float in any", []any{1152921504606846976.0, map[string]any{"x": 2.5}}, `[1152921504606846976,{"x":2.5}]`},
		{"duration", []any{90 * time.Second, time.Duration(0)}, `["1m30s","0s"]`},
		{"duration key", map[time.Duration]int{time.Second: 1}, `{"1s":1}`},
		{"url", struct {
			A    url.URL
			B, C *url.URL
		}{*u, u, nil}, `{"A":"https://example.com/a?b=1&c=<2>","B":"https://example.com/a?b=1&c=<2>","C":null}`},
		{"bytes", struct {
			A []byte
			B [4]byte
			C blob
		}{[]byte("hi"), [4]byte{1, 2}, blob("yo")}, `{"A":"aGk=","B":[1,2,0,0],"C":"eW8="}`},
		{"number", []json.Number{"1.50", "9007199254740993", ""}, `[1.50,9007199254740993,0]`},
		{"number key", map[json.Number]int{"1.0": 1}, `{"1.0":1}`},
		{"string option", struct {
			A int         `json:",string"`
			B float64     `json:",string"`
			C bool        `json:",string"`
			D json.Number `json:",string"`
			E float64     `json:",string"`
		}{1, 2.5, true, "7", 1152921504606846976}, `{"A":"1","B":"2.5","C":"true","D":"7","E":"1152921504606846976"}`},
		{"raw", struct{ A, B json.RawMessage }{json.RawMessage(` { "a" : "\u003c\u2028" } `), nil}, `{"A":{"a":"<\u2028"},"B":null}`},
		{"pointer methods", struct {
			A pointerText
			B []pointerText
			C map[string]pointerText
			D any
		}{pointerText{"a"}, []pointerText{{"b"}}, map[string]pointerText{"x": {"c"}}, pointerText{"d"}}, `{"A":"<a>","B":["<b>"],"C":{"x":"<c>"},"D":"<d>"}`},
		{"embedded", struct {
			Inner
			*hidden
			Z int
		}{Inner: Inner{1}}, `{"x":1,"Z":0}`},
		{"promoted method", stamp{time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)}, `"2024-01-02T03:04:05Z"`},
		{"big", []any{big.NewInt(5), *big.NewInt(6), big.NewFloat(1.5)}, `[5,6,"1.5"]`},
		{"nil pointer", (*Inner)(nil), `null`},
		{"no exported fields", struct{ a int }{1}, `{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Encode(c.in)
			require.NoError(t, err)
			assert.Equal(t, c.want, string(got))
		})
	}
}

func TestRule1_10_EncodeRefuses(t *testing.T) {
	type loop struct{ Next *loop }
	cycle := &loop{}
	cycle.Next = cycle
	for name, v := range map[string]any{
		"NaN":            math.NaN(),
		"infinity":       []any{math.Inf(1)},
		"named NaN":      celsius(math.NaN()),
		"channel":        make(chan int),
		"function":       struct{ F func() }{},
		"complex":        1i,
		"cycle":          cycle,
		"number":         json.Number("1x"),
		"number -":       json.Number("-"),
		"number space":   json.Number(" 1"),
		"raw":            json.RawMessage(`{"a":`),
		"raw duplicates": json.RawMessage(`{"a":1,"a":2}`),
		"far year":       time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		_, err := Encode(v)
		assert.Error(t, err, name)
	}
}

func TestRule1_6_DecodeNumbers(t *testing.T) {
	for _, c := range []struct {
		in   string
		want any
	}{
		{`1`, 1}, {`1.0`, 1}, {`1e2`, 100}, {`-0`, 0}, {`-0.0e5`, 0}, {`120e-1`, int8(12)}, {`1.5e1`, uint8(15)},
		{`9223372036854775807`, int64(math.MaxInt64)}, {`-9223372036854775808`, int64(math.MinInt64)},
		{`18446744073709551615`, uint64(math.MaxUint64)}, {`1e2`, id(100)}, {`-1.0`, small(-1)},
		{`0.1`, 0.1}, {`9007199254740992`, 9007199254740992.0}, {`1152921504606846976`, 1152921504606846976.0},
		{`6.022e23`, 6.022e23}, {`1e23`, 1e23}, {`1.0`, celsius(1)}, {`1e308`, 1e308}, {`1e-400`, 0.0},
		{`16777216`, float32(16777216)}, {`0.1`, float32(0.1)}, {`3.4e38`, float32(3.4e38)},
		{`9007199254740993.50`, json.Number("9007199254740993.50")},
		{`123456789012345678901234567890`, *bigInt("123456789012345678901234567890")}, {`1e30`, *bigInt("1" + strings.Repeat("0", 30))},
		{`5.0`, *bigInt("5")},
	} {
		t.Run(c.in+" "+reflect.TypeOf(c.want).String(), func(t *testing.T) {
			out := reflect.New(reflect.TypeOf(c.want))
			require.NoError(t, Decode([]byte(c.in), out.Interface()))
			assert.Equal(t, c.want, out.Elem().Interface())
		})
	}
}

func bigInt(s string) *big.Int {
	n, _ := new(big.Int).SetString(s, 10)
	return n
}

func TestRule1_6_DecodeRefuses(t *testing.T) {
	type tagged struct {
		I int     `json:"i,string"`
		F float64 `json:"f,string"`
		B bool    `json:"b,string"`
	}
	for _, c := range []struct {
		name, in string
		into     any
		pointer  string
		detail   string
	}{
		{"fraction", `{"x":1.5}`, Inner{}, "/x", detailWhole},
		{"int8 range", `[300]`, []int8{}, "/0", "must be between -128 and 127"},
		{"named range", `[-129]`, []small{}, "/0", "must be between -128 and 127"},
		{"int64 range", `9223372036854775808`, int64(0), "", "must be between -9223372036854775808 and 9223372036854775807"},
		{"uint range", `-1`, uint16(0), "", "must be between 0 and 65535"},
		{"uint64 range", `18446744073709551616`, uint64(0), "", "must be between 0 and 18446744073709551615"},
		{"inexact", `{"v":9007199254740993}`, struct {
			V float64 `json:"v"`
		}{}, "/v", detailNotExact},
		{"inexact with fraction", `9007199254740993.0`, 0.0, "", detailNotExact},
		{"inexact with exponent", `9007199254740993e0`, 0.0, "", detailNotExact},
		{"inexact digits", `1152921504606847000`, 0.0, "", detailNotExact},
		{"inexact named", `{"a":[9007199254740993]}`, map[string][]celsius{}, "/a/0", detailNotExact},
		{"inexact float32", `16777217`, float32(0), "", detailNotExact},
		{"too large", `1e400`, 0.0, "", detailOutOfRange},
		{"too large float32", `1e39`, float32(0), "", detailOutOfRange},
		{"huge exponent", `1e5000000`, bigIntValue, "", detailBigExponent},
		{"long", strings.Repeat("1", 41), bigIntValue, "", detailLongNumber},
		{"big fraction", `1.5`, bigIntValue, "", detailWhole},
		{"big string", `"1"`, bigIntValue, "", "got string, want integer"},
		{"string for int", `{"x":"1"}`, Inner{}, "/x", "got string, want integer"},
		{"number for string", `[1]`, []string{}, "/0", "got number, want string"},
		{"object for array", `{}`, []string{}, "", "got object, want array"},
		{"array for struct", `[]`, Inner{}, "", "got array, want object"},
		{"boolean", `"true"`, false, "", "got string, want boolean"},
		{"case", `{"X":1}`, Inner{}, "/X", detailUnknown},
		{"kelvin", "{\"\u212a\":1}", struct {
			K int `json:"k"`
		}{}, "/\u212a", detailUnknown},
		{"unknown", `{"x":1,"a/b":1}`, Inner{}, "/a~1b", detailUnknown},
		{"duplicate", `{"x":1,"x":1}`, Inner{}, "/x", detailDuplicate},
		{"duplicate in any", `{"a":{"b":1,"b":2}}`, map[string]any{}, "/a/b", detailDuplicate},
		{"duplicate int key", `{"1":1,"1":2}`, map[int]int{}, "/1", detailDuplicate},
		{"long array", `[1,2,3]`, [2]int{}, "", "must have exactly 2 elements"},
		{"short array", `[[1]]`, [][2]int{}, "/0", "must have exactly 2 elements"},
		{"bytes", `"***"`, []byte{}, "", detailBase64},
		{"time", `"yesterday"`, time.Time{}, "", detailTime},
		{"loose time", `"2024-01-02T3:04:05Z"`, time.Time{}, "", detailTime},
		{"duration", `"1 hour"`, time.Duration(0), "", detailDuration},
		{"duration number", `5`, time.Duration(0), "", detailDuration},
		{"url", `"http://[::1"`, url.URL{}, "", detailURL},
		{"address", `"1.2.3"`, netip.Addr{}, "", detailNotAccepted},
		{"address number", `1`, netip.Addr{}, "", "got number, want string"},
		{"own UnmarshalJSON", `{"a":1}`, map[string]picky{}, "/a", detailNotAccepted},
		{"own UnmarshalText", `{"a":"x"}`, map[string]pickyText{}, "/a", detailNotAccepted},
		{"string option", `{"i":1}`, tagged{}, "/i", "got number, want string"},
		{"string option text", `{"i":"+1"}`, tagged{}, "/i", detailNotNumber},
		{"string option float", `{"f":"NaN"}`, tagged{}, "/f", detailNotNumber},
		{"string option exact", `{"f":"9007199254740993"}`, tagged{}, "/f", detailNotExact},
		{"string option bool", `{"b":"yes"}`, tagged{}, "/b", detailNotBool},
		{"int key", `{"x":1}`, map[int]int{}, "/x", detailNotNumber},
		{"int key range", `{"300":1}`, map[uint8]int{}, "/300", "must be between 0 and 255"},
		{"number", `"1"`, json.Number(""), "", "got string, want number"},
		{"syntax", `{"x":`, Inner{}, "/x", detailEnd},
		{"trailing", `{} 1`, Inner{}, "", detailTrailing},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := reflect.New(reflect.TypeOf(c.into))
			err := Decode([]byte(c.in), out.Interface())
			assert.Equal(t, &Error{Kind: Mismatch, Pointer: c.pointer, Detail: c.detail}, err)
			assert.NotContains(t, err.Error(), "secret")
		})
	}
}

var bigIntValue big.Int

func TestRule1_6_DecodeKeepsEncodingJSON(t *testing.T) {
	var any1 struct{ A any }
	require.NoError(t, Decode([]byte(`{"A":{"n":[9007199254740993,null,"x"]}}`), &any1))
	assert.Equal(t, map[string]any{"n": []any{json.Number("9007199254740993"), nil, "x"}}, any1.A)

	var raw struct{ A json.RawMessage }
	require.NoError(t, Decode([]byte(`{"A":{"n": 1.0}}`), &raw))
	assert.Equal(t, `{"n": 1.0}`, string(raw.A))

	x := Inner{5}
	require.NoError(t, Decode([]byte(`{"x":null}`), &x))
	assert.Equal(t, 5, x.X)
	p := &x.X
	require.NoError(t, Decode([]byte(`null`), &p))
	assert.Nil(t, p)

	// Types that the strict options of the library refuse as such.
	var odd struct {
		ListTwo
		C int `json:"c,"`
	}
	require.NoError(t, Decode([]byte(`{"ListTwo":[1],"c":3}`), &odd))
	assert.Equal(t, 3, odd.C)
	err := Decode([]byte(`{"c":1.5}`), &odd)
	assert.Equal(t, &Error{Kind: Mismatch, Pointer: "/c", Detail: detailWhole}, err)
}

// ListTwo is embedded without a name, which encoding/json takes as a field of that name.
type ListTwo []int

func TestRule1_6_DecodeIsWhatEncodeWrites(t *testing.T) {
	eight := uint8(8)
	u, err := url.Parse("../a?b=c")
	require.NoError(t, err)
	in := all{
		Int: -1, ID: 9007199254740993, Small: -128, U64: math.MaxUint64, F64: 0.1, F32: 0.1, Temp: 1e300, Bool: true,
		Str: "é<\u2028", Bytes: []byte{1}, Blob: blob{2}, Four: [4]byte{1, 2, 3, 4}, Pair: [2]int{5, 6},
		Time: time.Date(2024, 1, 2, 3, 4, 5, 6, time.UTC), Wait: 90 * time.Minute, URL: *u, URLp: u,
		Any: map[string]any{"a": json.Number("1.0")}, Raw: json.RawMessage(`{"a":1}`), Num: "1.50", Big: bigInt("-12345678901234567890123"),
		BigV: *bigInt("7"), Addr: netip.MustParseAddr("fe80::1"), QInt: math.MinInt64, QFloat: 1e22, QBool: true, QPtr: &eight, QNum: "3",
		Map: map[string]int{"b": 1}, IntMap: map[int]string{-1: "x"}, WaitMap: map[time.Duration]int{time.Second: 1},
		Text: pointerText{"t"}, TextMap: map[string]pointerText{"k": {"v"}}, Ptr: &Inner{1}, Slice: []Inner{{2}}, Dash: 3,
		Inner: Inner{4}, hidden: hidden{5},
	}
	data, err := Encode(in)
	require.NoError(t, err)
	var out all
	require.NoError(t, Decode(data, &out), string(data))
	assert.Equal(t, in, out)
}

func TestPropertyParseAppendParse(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		tree := randomTree(rnd, 4)
		text := AppendValue(nil, tree)
		again, err := Parse(text, Limits{})
		require.NoError(t, err, string(text))
		require.Equal(t, tree, again)
		canonical, err := AppendCanonical(nil, text)
		require.NoError(t, err)
		require.Equal(t, string(text), string(canonical))
	}
}

func randomTree(rnd *rand.Rand, depth int) any {
	kinds := 7
	if depth == 0 {
		kinds = 5
	}
	switch rnd.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return rnd.IntN(2) == 0
	case 2:
		return json.Number(strconv.FormatInt(rnd.Int64()-rnd.Int64(), 10))
	case 3:
		return json.Number(strconv.FormatFloat(rnd.NormFloat64(), 'e', -1, 64))
	case 4:
		return randomText(rnd)
	case 5:
		list := make([]any, rnd.IntN(4))
		for i := range list {
			list[i] = randomTree(rnd, depth-1)
		}
		return list
	default:
		object := map[string]any{}
		for range rnd.IntN(4) {
			object[randomText(rnd)] = randomTree(rnd, depth-1)
		}
		return object
	}
}

func randomText(rnd *rand.Rand) string {
	alphabet := []rune("ab\"\\/<>&\x00\x1f\n\té\u2028\u2029\U0001F600\uFFFD~")
	var b strings.Builder
	for range rnd.IntN(8) {
		b.WriteRune(alphabet[rnd.IntN(len(alphabet))])
	}
	return b.String()
}

func TestPropertyEncodeDecode(t *testing.T) {
	type values struct {
		A int64
		B uint64
		C float64
		D float32
		E celsius
		F []int8
		G map[int16]string
		H *[3]uint16
		I []byte
		J time.Duration
		K bool `json:",string"`
		L int  `json:",string,omitempty"`
		M map[string][]celsius
		N float64 `json:"n,string"`
	}
	same := func(v values) bool {
		data, err := Encode(v)
		if err != nil {
			return false
		}
		var out values
		if err := Decode(data, &out); err != nil {
			t.Log(err, string(data))
			return false
		}
		again, err := Encode(out)
		return err == nil && string(again) == string(data) && v.C == out.C && v.D == out.D && v.E == out.E && v.A == out.A
	}
	valid := func(v values) bool {
		v.G = validKeys(v.G)
		m := map[string][]celsius{}
		for k, f := range v.M {
			m[strings.ToValidUTF8(k, "")] = f
		}
		v.M = m
		return same(v)
	}
	require.NoError(t, quick.Check(valid, &quick.Config{MaxCount: 300}))
}

func validKeys(m map[int16]string) map[int16]string {
	for k, v := range m {
		m[k] = strings.ToValidUTF8(v, "")
	}
	return m
}

func BenchmarkCodec(b *testing.B) {
	type filter struct {
		State  string    `json:"state"`
		Author string    `json:"author"`
		Since  time.Time `json:"since"`
	}
	type args struct {
		Query  string   `json:"query"`
		Limit  int      `json:"limit"`
		Offset int      `json:"offset"`
		Tags   []string `json:"tags"`
		Filter filter   `json:"filter"`
		Exact  bool     `json:"exact"`
		Score  float64  `json:"score"`
		Page   int64    `json:"page"`
	}
	data := []byte(`{"query":"open issues","limit":50,"offset":0,"tags":["a","b","c"],"filter":{"state":"open","author":"x","since":"2024-01-01T00:00:00Z"},"exact":true,"score":0.75,"page":9007199254740993}`)
	b.Run("Decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var in args
			if err := Decode(data, &in); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var in args
			if err := json.Unmarshal(data, &in); err != nil {
				b.Fatal(err)
			}
		}
	})
	var in args
	require.NoError(b, Decode(data, &in))
	b.Run("Encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Encode(&in); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding/json Marshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(&in); err != nil {
				b.Fatal(err)
			}
		}
	})
}
