package schema

//lint:file-ignore SA5008 odd tags are what is tested

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

type (
	goID      int64
	goCelsius float64
	goBlob    []byte
	goLevel   string
	goInner   struct {
		X int    `json:"x"`
		Y string `json:"y,omitempty"`
	}
	goHidden struct {
		Z bool `json:"z"`
	}
	goNode struct {
		Name string   `json:"name"`
		Next *goNode  `json:"next"`
		Kids []goNode `json:"kids"`
	}
	goTree        []goTree
	goForest      map[string]goForest
	goBox[T any]  struct{ Value T }
	goPointerText struct{ s string }
	goOpaque      struct{ v int }
	goOwn         struct{ a, b int }
	goOwnPointer  struct{ s string }
	goReflected   struct{ N *goReflected }
	goExtended    struct{ A int }
	goA           struct{ B *goB }
	goB           struct{ A []goA }
)

func (p *goPointerText) MarshalText() ([]byte, error) { return []byte("<" + p.s + ">"), nil }
func (p *goPointerText) UnmarshalText(b []byte) error {
	p.s = strings.TrimSuffix(strings.TrimPrefix(string(b), "<"), ">")
	return nil
}

func (o goOpaque) MarshalJSON() ([]byte, error)  { return json.Marshal([]int{o.v}) }
func (o *goOpaque) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &[]*int{&o.v}) }

func (o goOwn) MarshalJSON() ([]byte, error)  { return json.Marshal([]int{o.a, o.b}) }
func (o *goOwn) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &[]*int{&o.a, &o.b}) }
func (goOwn) JSONSchema() *jsonschema.Schema {
	two := uint64(2)
	return &jsonschema.Schema{Version: "x", ID: "y", Type: "array", Items: &jsonschema.Schema{Type: "integer"}, MinItems: &two, MaxItems: &two}
}

func (p *goOwnPointer) MarshalText() ([]byte, error) { return []byte(p.s), nil }
func (p *goOwnPointer) UnmarshalText(b []byte) error { p.s = string(b); return nil }
func (*goOwnPointer) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: "^[a-z]+$"}
}
func (goReflected) JSONSchema() *jsonschema.Schema {
	return jsonschema.Reflect(&struct{ N *goHolder }{})
}
func (goExtended) JSONSchemaExtend(s *jsonschema.Schema) { s.Description = "extended" }

// goEight writes T eight times.
type (
	goTwice[T any] struct{ A, B T }
	goEight[T any] struct{ A, B goTwice[goTwice[T]] }
)

type goHolder struct {
	Next *goHolder `json:",omitempty"`
}

// compileText compiles a schema with formats asserted.
func compileText(t testing.TB, text []byte) *validator.Schema {
	t.Helper()
	doc, err := validator.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err, string(text))
	c := validator.NewCompiler()
	c.DefaultDraft(validator.Draft2020)
	c.AssertFormat()
	require.NoError(t, c.AddResource("https://kervan.invalid/t", doc))
	s, err := c.Compile("https://kervan.invalid/t")
	require.NoError(t, err, string(text))
	return s
}

func validateText(s *validator.Schema, text []byte) error {
	v, err := validator.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

func reflectOK(t testing.TB, typ reflect.Type, d Direction) *Reflection {
	t.Helper()
	r, err := Reflect(typ, d)
	require.NoError(t, err)
	if r.Schema != nil {
		canonical, err := jsonx.AppendCanonical(nil, r.Schema)
		require.NoError(t, err, string(r.Schema))
		assert.Equal(t, string(canonical), string(r.Schema), "compact")
	}
	return r
}

// wrapped returns the object that the root of a result is.
func wrapped(t testing.TB, root Root, value []byte) []byte {
	switch root {
	case RootItems:
		return []byte(`{"items":` + string(value) + `}`)
	case RootValue:
		return []byte(`{"value":` + string(value) + `}`)
	}
	return value
}

func fieldOf[T any]() reflect.Type { return reflect.TypeFor[struct{ F T }]() }

// TestRule1_4_TypesAsFields pins the schema of a field of every listed type.
func TestRule1_4_TypesAsFields(t *testing.T) {
	const int64Range = `"maximum":9223372036854775807,"minimum":-9223372036854775808`
	inner := `{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"string"}},"required":["x"],"additionalProperties":false}`
	duration := `"description":"duration such as \"1h30m\" or \"1.5s\"","pattern":"^[+-]?(0|([0-9]+(\\.[0-9]*)?(ns|us|µs|ms|s|m|h))+)$"`
	for _, c := range []struct {
		typ    reflect.Type
		input  string
		output string // "" is the same as input
	}{
		{fieldOf[string](), `{"type":"string"}`, ""},
		{fieldOf[bool](), `{"type":"boolean"}`, ""},
		{fieldOf[int](), `{"type":"integer"}`, ""},
		{fieldOf[int64](), `{"type":"integer",` + int64Range + `}`, ""},
		{fieldOf[goID](), `{"type":"integer",` + int64Range + `}`, ""},
		{fieldOf[int8](), `{"type":"integer","maximum":127,"minimum":-128}`, ""},
		{fieldOf[uint8](), `{"type":"integer","maximum":255,"minimum":0}`, ""},
		{fieldOf[uint64](), `{"type":"integer","maximum":18446744073709551615,"minimum":0}`, ""},
		{fieldOf[int32](), `{"type":"integer","maximum":2147483647,"minimum":-2147483648}`, ""},
		{fieldOf[float32](), `{"type":"number"}`, ""},
		{fieldOf[goCelsius](), `{"type":"number"}`, ""},
		{fieldOf[time.Time](), `{"type":"string","format":"date-time"}`, ""},
		{fieldOf[time.Duration](), `{"type":"string",` + duration + `}`, ""},
		{fieldOf[[]byte](), `{"type":"string","contentEncoding":"base64"}`, ""},
		{fieldOf[goBlob](), `{"type":"string","contentEncoding":"base64"}`, ""},
		{fieldOf[[2]byte](), `{"type":"array","items":{"type":"integer","maximum":255,"minimum":0},"maxItems":2,"minItems":2}`, ""},
		{fieldOf[[]string](), `{"type":"array","items":{"type":"string"}}`, ""},
		{fieldOf[json.RawMessage](), `{}`, ""},
		{fieldOf[any](), `{}`, ""},
		{fieldOf[json.Number](), `{"type":"number"}`, ""},
		{fieldOf[netip.Addr](), `{"type":"string"}`, ""},
		{fieldOf[goPointerText](), `{"type":"string"}`, ""},
		{fieldOf[big.Float](), `{"type":"string"}`, ""},
		{fieldOf[big.Int](), `{"type":"integer"}`, ""},
		{fieldOf[url.URL](), `{"type":"string"}`, ""},
		{fieldOf[map[string]bool](), `{"type":"object","additionalProperties":{"type":"boolean"}}`, ""},
		{fieldOf[map[int]bool](), `{"type":"object","additionalProperties":{"type":"boolean"},"propertyNames":{"pattern":"^-?(0|[1-9][0-9]*)$"}}`, ""},
		{fieldOf[map[uint8]any](), `{"type":"object","additionalProperties":{},"propertyNames":{"pattern":"^(0|[1-9][0-9]*)$"}}`, ""},
		{fieldOf[map[netip.Addr]bool](), `{"type":"object","additionalProperties":{"type":"boolean"}}`, ""},
		{fieldOf[goInner](), inner, ""},
		{fieldOf[goOwn](), `{"type":"array","items":{"type":"integer"},"maxItems":2,"minItems":2}`, ""},
		{fieldOf[goOwnPointer](), `{"type":"string","pattern":"^[a-z]+$"}`, ""},
		{fieldOf[goOpaque](), `{}`, ""},
		{fieldOf[goExtended](), `{"type":"object","description":"extended","properties":{"A":{"type":"integer"}},"required":["A"],"additionalProperties":false}`, ""},
		{fieldOf[[]*string](), `{"type":"array","items":{"type":"string"}}`, `{"type":"array","items":{"type":["string","null"]}}`},
		{fieldOf[*string](), `{"type":"string"}`, `{"type":["string","null"]}`},
		{fieldOf[**int8](), `{"type":"integer","maximum":127,"minimum":-128}`, `{"type":["integer","null"],"maximum":127,"minimum":-128}`},
		{fieldOf[*time.Time](), `{"type":"string","format":"date-time"}`, `{"type":["string","null"],"format":"date-time"}`},
		{fieldOf[*any](), `{}`, ""},
		{fieldOf[*[]string](), `{"type":"array","items":{"type":"string"}}`, `{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}`},
		{fieldOf[*goInner](), inner, `{"anyOf":[` + inner + `,{"type":"null"}]}`},
		{fieldOf[**goOwn](), `{"type":"array","items":{"type":"integer"},"maxItems":2,"minItems":2}`, `{"anyOf":[{"type":"array","items":{"type":"integer"},"maxItems":2,"minItems":2},{"type":"null"}]}`},
	} {
		for _, d := range []Direction{Input, Output} {
			want := c.input
			if d == Output && c.output != "" {
				want = c.output
			}
			required := `"required":["F"],`
			if c.typ.Field(0).Type.Kind() == reflect.Pointer {
				required = ""
			}
			got := string(reflectOK(t, c.typ, d).Schema)
			assert.Equal(t, `{"type":"object","properties":{"F":`+want+`},`+required+`"additionalProperties":false}`, got, "%v %d", c.typ, d)
		}
	}
}

func TestRule1_4_StringOption(t *testing.T) {
	type quoted struct {
		I int         `json:"i,string"`
		U uint8       `json:"u,string"`
		F float64     `json:"f,string"`
		B bool        `json:"b,string"`
		S string      `json:"s,string"`
		P *int        `json:"p,string"`
		N json.Number `json:"n,string"`
	}
	s := string(reflectOK(t, reflect.TypeFor[quoted](), Input).Schema)
	assert.Contains(t, s, `"i":{"type":"string","pattern":"^-?(0|[1-9][0-9]*)$"}`)
	assert.Contains(t, s, `"u":{"type":"string","pattern":"^(0|[1-9][0-9]*)$"}`)
	assert.Contains(t, s, `"b":{"type":"string","enum":["true","false"]}`)
	assert.Contains(t, s, `"required":["i","u","f","b","s","n"]`)
}

// TestRule1_4_EncodedValuesSatisfyTheirSchema encodes a value of every listed type, validates it against the schema of
// its type, and decodes it back.
func TestRule1_4_EncodedValuesSatisfyTheirSchema(t *testing.T) {
	eight, text := int8(8), "x"
	u, err := url.Parse("../a b?c=d")
	require.NoError(t, err)
	type quoted struct {
		I int64       `json:",string"`
		U uint8       `json:",string"`
		F float64     `json:",string"`
		B bool        `json:",string"`
		S string      `json:",string"`
		P *int8       `json:",string"`
		N json.Number `json:",string"`
	}
	type shadow struct {
		goInner
		goHidden
		X string `json:"x"`
	}
	type hidingPointers struct {
		goInner
		*GoShown
	}
	now := time.Date(2024, 2, 29, 12, 0, 0, 123, time.UTC)
	for _, v := range []any{
		"é\u2028<>", true, 1, goID(math.MinInt64), int8(-128), uint64(math.MaxUint64), float32(0.1), 0.1, 1e300, goCelsius(1152921504606846976),
		now, time.Time{}, time.Duration(0), time.Duration(1), -90 * time.Minute, 1500 * time.Microsecond, time.Duration(math.MinInt64),
		[]byte("hi"), goBlob{1}, [4]byte{1, 2}, [2]string{"a"}, [0]int{}, []string{}, []any{json.Number("9007199254740993"), nil},
		json.Number("1.50"), netip.MustParseAddr("::1"), netip.MustParsePrefix("10.0.0.0/8"), *big.NewInt(-5), *u,
		goPointerText{"t"}, goInner{1, "a"}, goNode{"a", &goNode{Name: "b", Kids: []goNode{}}, []goNode{{Name: "c", Kids: []goNode{}}}},
		goTree{{}, {{}}}, goForest{"a": {"b": {}}}, goBox[goBox[int]]{}, goBox[[]byte]{[]byte{1}}, goOwn{1, 2}, goOwnPointer{"abc"},
		map[string]int{"a": 1}, map[int8]string{-1: "x"}, map[netip.Addr]int{netip.MustParseAddr("::1"): 1}, map[goLevel][]int{"a": {}},
		map[time.Duration]bool{time.Second: true}, map[string]goPointerText{"a": {"b"}},
		quoted{math.MinInt64, 255, 1e22, true, `a"b`, &eight, "1"},
		shadow{X: "a", goInner: goInner{Y: "q"}}, shadow{goHidden: goHidden{true}}, hidingPointers{}, hidingPointers{GoShown: &GoShown{1}},
		struct {
			A *string
			B *goInner
			C **int8
			D []*int8
			E map[string]*goInner
			F *url.URL
			G *big.Int
		}{A: &text, D: []*int8{&eight}, E: map[string]*goInner{}},
		struct {
			A *string
			D []*int8
			F *url.URL
		}{D: []*int8{nil}, F: u},
		struct {
			Dash int `json:"-,"`
			Skip int `json:"-"`
		}{Dash: 1},
		struct {
			Any any
			Raw json.RawMessage
			Box goBox[any]
		}{map[string]any{"a": json.Number("1.0")}, json.RawMessage(`[1]`), goBox[any]{"x"}},
		goA{&goB{[]goA{{}}}},
		struct{}{},
		struct{ O goOpaque }{goOpaque{7}},
	} {
		t.Run(reflect.TypeOf(v).String(), func(t *testing.T) {
			data, err := jsonx.Encode(v)
			require.NoError(t, err)
			out := reflectOK(t, reflect.TypeOf(v), Output)
			require.NoError(t, validateText(compileText(t, out.Schema), wrapped(t, out.Root, data)), "%s\n%s", out.Schema, data)

			back := reflect.New(reflect.TypeOf(v))
			require.NoError(t, jsonx.Decode(data, back.Interface()), string(data))
			assertSame(t, v, back.Elem().Interface())

			holder := reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.TypeOf(v), Tag: `json:"f"`}})
			in := reflectOK(t, holder, Input)
			if !bytes.Contains(data, []byte("null")) {
				doc := []byte(`{"f":` + string(data) + `}`)
				require.NoError(t, validateText(compileText(t, in.Schema), doc), "%s\n%s", in.Schema, doc)
			}
		})
	}
}

// GoShown is exported, so that an embedded pointer to it can be decoded.
type GoShown struct {
	W int `json:"w"`
}

// assertSame compares what the values are in JSON too, since nil slices and maps come back empty.
func assertSame(t testing.TB, want, got any) {
	t.Helper()
	if reflect.DeepEqual(want, got) {
		return
	}
	a, err := jsonx.Encode(want)
	require.NoError(t, err)
	b, err := jsonx.Encode(got)
	require.NoError(t, err)
	require.Equal(t, string(a), string(b))
}

func TestRule1_10_Roots(t *testing.T) {
	for _, c := range []struct {
		typ  reflect.Type
		root Root
	}{
		{reflect.TypeFor[struct{}](), RootObject},
		{reflect.TypeFor[**goInner](), RootObject},
		{reflect.TypeFor[map[string]int](), RootObject},
		{reflect.TypeFor[map[int]int](), RootObject},
		{reflect.TypeFor[goNode](), RootObject},
		{reflect.TypeFor[goReflected](), RootObject},
		{reflect.TypeFor[[]int](), RootItems},
		{reflect.TypeFor[[2]int](), RootItems},
		{reflect.TypeFor[goTree](), RootItems},
		{reflect.TypeFor[goOwn](), RootItems},
		{reflect.TypeFor[[]byte](), RootValue},
		{reflect.TypeFor[string](), RootValue},
		{reflect.TypeFor[*int](), RootValue},
		{reflect.TypeFor[bool](), RootValue},
		{reflect.TypeFor[time.Time](), RootValue},
		{reflect.TypeFor[netip.Addr](), RootValue},
		{reflect.TypeFor[json.Number](), RootValue},
		{reflect.TypeFor[any](), RootOpen},
		{reflect.TypeFor[error](), RootOpen},
		{reflect.TypeFor[json.RawMessage](), RootOpen},
		{reflect.TypeFor[goOpaque](), RootOpen},
		{nil, RootOpen},
	} {
		r := reflectOK(t, c.typ, Output)
		assert.Equal(t, c.root, r.Root, "%v", c.typ)
		if c.root == RootOpen {
			assert.Nil(t, r.Schema)
			continue
		}
		assert.True(t, strings.HasPrefix(string(r.Schema), `{"type":"object",`), string(r.Schema))
		compileText(t, r.Schema)
	}
	assert.Equal(t, `{"type":"object","properties":{"items":{"type":"array","items":{"type":"string"}}},"required":["items"],"additionalProperties":false}`,
		string(reflectOK(t, reflect.TypeFor[[]string](), Output).Schema))
	assert.Equal(t, `{"type":"object","properties":{"value":{"type":"boolean"}},"required":["value"],"additionalProperties":false}`,
		string(reflectOK(t, reflect.TypeFor[bool](), Output).Schema))
	assert.Equal(t, `{"type":"object","properties":{},"additionalProperties":false}`,
		string(reflectOK(t, reflect.TypeFor[struct{}](), Input).Schema))
}

func TestRule1_4_InputRoots(t *testing.T) {
	for _, typ := range []reflect.Type{
		nil, reflect.TypeFor[string](), reflect.TypeFor[[]int](), reflect.TypeFor[time.Time](), reflect.TypeFor[any](),
		reflect.TypeFor[json.RawMessage](), reflect.TypeFor[netip.Addr](), reflect.TypeFor[map[int]string](),
		reflect.TypeFor[goOwn](), reflect.TypeFor[big.Int](), reflect.TypeFor[url.URL](), reflect.TypeFor[goTree](),
	} {
		_, err := Reflect(typ, Input)
		var e *Error
		require.ErrorAs(t, err, &e, "%v", typ)
		assert.Equal(t, goHintInputRoot, e.Hint)
	}
	r := reflectOK(t, reflect.TypeFor[*goOpaque](), Input)
	assert.Equal(t, `{"type":"object"}`, string(r.Schema))
	assert.Equal(t, []string{"schema.goOpaque"}, r.Opaque)
	r = reflectOK(t, reflect.TypeFor[map[string]any](), Input)
	assert.Equal(t, `{"type":"object","additionalProperties":{}}`, string(r.Schema))
}

func TestRule1_4_Opaque(t *testing.T) {
	type in struct {
		A goOpaque
		B []*goOpaque
		C goOwn
		D json.RawMessage
		E time.Time
	}
	for _, d := range []Direction{Input, Output} {
		r := reflectOK(t, reflect.TypeFor[in](), d)
		assert.Equal(t, []string{"schema.goOpaque"}, r.Opaque)
		assert.Contains(t, string(r.Schema), `"A":{}`)
		assert.NotContains(t, string(r.Schema), "$id")
	}
}

func TestRule1_4_Recursion(t *testing.T) {
	node := `{"type":"object","properties":{"name":{"type":"string"},"next":%,"kids":{"type":"array","items":{"$ref":"#/$defs/goNode"}}},"required":["name","kids"],"additionalProperties":false`
	in := strings.ReplaceAll(node, "%", `{"$ref":"#/$defs/goNode"}`)
	assert.Equal(t, in+`,"$defs":{"goNode":`+in+`}}}`, string(reflectOK(t, reflect.TypeFor[goNode](), Input).Schema))
	out := strings.ReplaceAll(node, "%", `{"anyOf":[{"$ref":"#/$defs/goNode"},{"type":"null"}]}`)
	assert.Equal(t, out+`,"$defs":{"goNode":`+out+`}}}`, string(reflectOK(t, reflect.TypeFor[goNode](), Output).Schema))
	for _, typ := range []reflect.Type{
		reflect.TypeFor[goTree](), reflect.TypeFor[goForest](), reflect.TypeFor[goA](), reflect.TypeFor[struct{ A, B goNode }](),
		reflect.TypeFor[goBox[goNode]](), reflect.TypeFor[goReflected](), reflect.TypeFor[[]goReflected](),
		reflect.TypeFor[struct {
			A, B goReflected
			C    goHolder
		}](),
	} {
		s := reflectOK(t, typ, Output).Schema
		compileText(t, s)
		assert.NotContains(t, string(s), "$schema")
		assert.NotContains(t, string(s), "$id")
	}
}

func TestRule1_4_TypesOfOneNameStayTwo(t *testing.T) {
	type goNode struct {
		Up    *goNode
		Other *goTreeNode
	}
	s := string(reflectOK(t, reflect.TypeFor[goNode](), Input).Schema)
	assert.Contains(t, s, `"goNode":`)
	assert.Contains(t, s, `"goNode_2":`)
	compileText(t, []byte(s))
}

type goTreeNode struct{ Node *goNode }

func TestRule1_4_DefNames(t *testing.T) {
	for in, want := range map[string]string{
		"Node": "Node", "Box[int]": "Box_int", "Box[example.com/a/b.Item]": "Box_Item",
		"Pair[example.com/a.X,[]example.com/b.Y]": "Pair_X__Y", "": "Type",
	} {
		assert.Equal(t, want, defName(in))
	}
}

func TestRule1_4_EmbeddedFields(t *testing.T) {
	type deep struct{ D int }
	type left struct {
		deep
		Same int
	}
	type right struct{ Same int }
	type Tagged struct{ T int }
	type outer struct {
		left
		*right
		Tagged `json:"tagged"`
		Own    int
	}
	_, err := Reflect(reflect.TypeFor[outer](), Input)
	assertError(t, err, "outer.right", goMsgHiddenPointer)
	s := string(reflectOK(t, reflect.TypeFor[outer](), Output).Schema)
	assert.Contains(t, s, `"properties":{"D":`)
	assert.NotContains(t, s, "Same")
	assert.Contains(t, s, `"tagged":{"type":"object"`)
	assert.Contains(t, s, `"required":["D","tagged","Own"]`)

	type loop struct {
		*GoLoop
		A int
	}
	assert.Contains(t, string(reflectOK(t, reflect.TypeFor[loop](), Input).Schema), `"required":["A"]`)
}

// GoLoop embeds itself.
type GoLoop struct {
	*GoLoop
	L int
}

func assertError(t testing.TB, err error, pointer, message string) {
	t.Helper()
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, pointer, e.Pointer)
	assert.Equal(t, message, e.Message)
}

func TestRule1_4_Unsupported(t *testing.T) {
	type selfPointer *selfPointer
	for _, c := range []struct {
		typ     reflect.Type
		pointer string
		message string
	}{
		{reflect.TypeFor[struct{ F chan int }](), "struct.F", goMsgUnsupported("chan")},
		{reflect.TypeFor[struct{ F []func() }](), "struct.F[]", goMsgUnsupported("func")},
		{reflect.TypeFor[struct{ F map[string]complex64 }](), "struct.F{}", goMsgUnsupported("complex64")},
		{reflect.TypeFor[struct{ F map[float64]int }](), "struct.F", goMsgMapKey},
		{reflect.TypeFor[struct{ F map[bool]int }](), "struct.F", goMsgMapKey},
		{reflect.TypeFor[struct{ F map[any]int }](), "struct.F", goMsgMapKey},
		{reflect.TypeFor[struct{ F map[*big.Int]int }](), "struct.F", goMsgMapKey},
		{reflect.TypeFor[struct{ F map[goOpaque]int }](), "struct.F", goMsgMapKey},
		{reflect.TypeFor[struct{ F map[[2]int]int }](), "struct.F", goMsgMapKey},
		{reflect.TypeFor[struct{ F error }](), "struct.F", goMsgInterface},
		{reflect.TypeFor[struct{ F selfPointer }](), "struct.F", goMsgTooLarge},
		{reflect.TypeFor[selfPointer](), "selfPointer", goMsgPointers},
		{reflect.TypeFor[struct {
			F int `json:"f,inline"`
		}](), "struct.F", goMsgJSONOption("inline")},
		{reflect.TypeFor[struct {
			F time.Time `json:"f,format:unix"`
		}](), "struct.F", goMsgJSONOption("format:unix")},
		{reflect.TypeFor[struct {
			F int `json:",case:ignore"`
		}](), "struct.F", goMsgJSONOption("case:ignore")},
		{reflect.TypeFor[struct {
			F []int `json:",string"`
		}](), "struct.F", goMsgStringOption},
		{reflect.TypeFor[struct {
			F int `json:"a'b"`
		}](), "struct.F", goMsgJSONName("a'b")},
		{reflect.TypeFor[struct {
			goInner `json:"i"`
		}](), "struct.goInner", goMsgHiddenName},
	} {
		_, err := Reflect(c.typ, Input)
		assertError(t, err, c.pointer, c.message)
	}
}

func TestRule1_4_ManyTypesInlineAreRefused(t *testing.T) {
	typ := reflect.TypeFor[goEight[goEight[goEight[goEight[goEight[int]]]]]]()
	_, err := Reflect(typ, Output)
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, goMsgTooLarge, e.Message)
}

type (
	goPanics struct{ A int }
	goLeads  struct{ A int }
)

func (goPanics) JSONSchema() *jsonschema.Schema { panic("boom") }
func (goLeads) JSONSchema() *jsonschema.Schema  { return &jsonschema.Schema{Ref: "#/properties/x"} }

func TestRule1_4_BadSchemaMethods(t *testing.T) {
	for _, typ := range []reflect.Type{fieldOf[goPanics](), fieldOf[goLeads]()} {
		_, err := Reflect(typ, Output)
		var e *Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, "struct.F", e.Pointer)
		assert.Contains(t, e.Message, "JSONSchema")
	}
}
