package schema

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// A typeMaker makes types and values from fuzz bytes.
type typeMaker struct {
	bytes []byte
}

func (m *typeMaker) next(n int) int {
	if len(m.bytes) == 0 {
		return 0
	}
	b := int(m.bytes[0])
	m.bytes = m.bytes[1:]
	return b % n
}

func (m *typeMaker) word() uint64 {
	var n uint64
	for range m.next(9) {
		n = n<<8 | uint64(m.next(256))
	}
	return n
}

var fuzzScalars = []reflect.Type{
	reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
	reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](),
	reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[bool](),
	reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[goID](), reflect.TypeFor[goCelsius](),
	reflect.TypeFor[[]byte](), reflect.TypeFor[goInner](), reflect.TypeFor[goNode](), reflect.TypeFor[goPointerText](),
}

func (m *typeMaker) typ(depth int) reflect.Type {
	if depth == 0 {
		return fuzzScalars[m.next(len(fuzzScalars))]
	}
	switch m.next(8) {
	case 0:
		return m.structType(depth - 1)
	case 1:
		return reflect.SliceOf(m.typ(depth - 1))
	case 2:
		keys := []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[int16](), reflect.TypeFor[uint64](), reflect.TypeFor[goLevel]()}
		return reflect.MapOf(keys[m.next(len(keys))], m.typ(depth-1))
	case 3:
		return reflect.ArrayOf(m.next(4), m.typ(depth-1))
	case 4:
		return reflect.PointerTo(m.typ(depth - 1))
	}
	return fuzzScalars[m.next(len(fuzzScalars))]
}

func (m *typeMaker) structType(depth int) reflect.Type {
	var fields []reflect.StructField
	for i := range m.next(5) {
		f := reflect.StructField{Name: "F" + strconv.Itoa(i), Type: m.typ(depth)}
		f.Tag = m.tag(i, f.Type)
		fields = append(fields, f)
	}
	return reflect.StructOf(fields)
}

// tag makes a tag that fits every type, or sometimes one that must fit or be refused.
func (m *typeMaker) tag(i int, t reflect.Type) reflect.StructTag {
	options := []string{"", "", "", ",omitempty", ",omitzero"}
	switch t.Kind() {
	case reflect.Int, reflect.Uint8, reflect.Int64, reflect.Float64, reflect.Bool, reflect.String:
		options = append(options, ",string")
	}
	name := []string{"", fmt.Sprintf("f%d", i), "same", "é/~"}[m.next(4)]
	tag := fmt.Sprintf(`json:"%s%s"`, name, options[m.next(len(options))])
	switch m.next(8) {
	case 0:
		tag += ` jsonschema:"title=T,description=a\\, b,deprecated"`
	case 1:
		tag += ` jsonschema_description:"what, it is"`
	case 2:
		length := m.next(12)
		n := m.bytes[:min(length, len(m.bytes))]
		m.bytes = m.bytes[len(n):]
		tag += " jsonschema:" + strconv.Quote(string(n))
	}
	return reflect.StructTag(tag)
}

func (m *typeMaker) fill(v reflect.Value, depth int) {
	switch v.Type() {
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(int64(uint32(m.word())), int64(m.next(256))).UTC()))
		return
	case reflect.TypeFor[goPointerText]():
		v.Set(reflect.ValueOf(goPointerText{m.text()}))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(m.next(2) == 0)
	case reflect.String:
		v.SetString(m.text())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(m.word()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(m.word())
	case reflect.Float32, reflect.Float64:
		m.fillFloat(v)
	case reflect.Pointer:
		if depth > 0 && m.next(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			m.fill(v.Elem(), depth-1)
		}
	case reflect.Slice:
		n := m.next(3)
		if depth == 0 {
			n = 0
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			m.fill(v.Index(i), depth-1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range m.next(3) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			m.fill(key, 0)
			m.fill(value, depth-1)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				m.fill(v.Field(i), depth-1)
			}
		}
	}
}

func (m *typeMaker) fillFloat(v reflect.Value) {
	f := math.Float64frombits(m.word())
	if v.Kind() == reflect.Float32 {
		f = float64(math.Float32frombits(uint32(m.word())))
	}
	if !math.IsNaN(f) && !math.IsInf(f, 0) {
		v.SetFloat(f)
	}
}

func (m *typeMaker) text() string {
	runes := []rune("ab\"<\\\x00é\u2028\U0001F600 /~")
	var text []rune
	for range m.next(5) {
		text = append(text, runes[m.next(len(runes))])
	}
	return string(text)
}

func FuzzReflect(f *testing.F) {
	f.Add([]byte("\x04\x00\x03abcdefghijklmnopqrstuvwxyz0123456789"))
	f.Add([]byte("\x03\x05\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"))
	f.Add(bytes.Repeat([]byte{4, 1, 3, 2, 0}, 20))
	f.Add(bytes.Repeat([]byte{3, 4, 200, 7, 129, 255, 64}, 20))
	f.Fuzz(checkReflect)
}

func TestPropertyReflect(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		data := make([]byte, 1000)
		for i := range data {
			data[i] = byte(rnd.Uint32())
		}
		checkReflect(t, data)
	}
}

// checkReflect makes a type and a value of it: what is encoded satisfies the output schema, and what satisfies the
// input schema decodes to an equal value.
func checkReflect(t *testing.T, data []byte) {
	m := &typeMaker{bytes: data}
	typ := m.structType(3)
	out, err := Reflect(typ, Output)
	in, inErr := Reflect(typ, Input)
	if err != nil || inErr != nil {
		return // the tags are random too
	}
	require.True(t, bytes.HasPrefix(out.Schema, []byte(`{"type":"object"`)), string(out.Schema))
	outSchema, inSchema := compileText(t, out.Schema), compileText(t, in.Schema)

	value := reflect.New(typ)
	m.fill(value.Elem(), 4)
	text, err := jsonx.Encode(value.Interface())
	require.NoError(t, err)
	if !constrained(typ) {
		require.NoError(t, validateText(outSchema, text), "%s\n%s", out.Schema, text)
	}
	if validateText(inSchema, text) != nil {
		return // a null, or a value beyond a random constraint
	}
	back := reflect.New(typ)
	require.NoError(t, jsonx.Decode(text, back.Interface()), "%s\n%s", in.Schema, text)
	if !strings.Contains(typ.String(), "omitzero") && !strings.Contains(typ.String(), "same") {
		assertSame(t, value.Interface(), back.Interface()) // those two drop what is not zero
	}
}

// constrained reports whether a field has a tag of random bytes, which a random value need not satisfy.
func constrained(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return constrained(t.Elem())
	case reflect.Struct:
		if t.Name() != "" {
			return false
		}
		for i := range t.NumField() {
			f := t.Field(i)
			text := f.Tag.Get("jsonschema")
			if text != "" && text != `title=T,description=a\, b,deprecated` || constrained(f.Type) {
				return true
			}
		}
	}
	return false
}

func BenchmarkReflect(b *testing.B) {
	type filter struct {
		State string    `json:"state" jsonschema:"enum=open,enum=closed,enum=all,default=open"`
		Since time.Time `json:"since"`
	}
	type args struct {
		Query  string   `json:"query" jsonschema:"minLength=1" jsonschema_description:"what to look for"`
		Limit  int      `json:"limit" jsonschema:"minimum=1,maximum=100,default=20"`
		Offset int      `json:"offset" jsonschema:"default=0"`
		Tags   []string `json:"tags"`
		Filter filter   `json:"filter"`
		Exact  bool     `json:"exact"`
		Score  float64  `json:"score"`
		Page   *int64   `json:"page"`
	}
	for b.Loop() {
		if _, err := Reflect(reflect.TypeFor[args](), Input); err != nil {
			b.Fatal(err)
		}
	}
}
