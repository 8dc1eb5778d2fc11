package schema

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tagged makes a struct with one field f of a type and a tag as it stands between backquotes in Go source.
func tagged(typ reflect.Type, tag string) reflect.Type {
	return reflect.StructOf([]reflect.StructField{{Name: "F", Type: typ, Tag: reflect.StructTag(`json:"f" ` + tag)}})
}

func TestRule1_4_Tags(t *testing.T) {
	for _, c := range []struct {
		typ  reflect.Type
		tag  string
		want string
	}{
		{reflect.TypeFor[string](), `jsonschema:"title=T,description=D,deprecated,readOnly,writeOnly=true"`, `{"type":"string","title":"T","description":"D","deprecated":true,"readOnly":true,"writeOnly":true}`},
		{reflect.TypeFor[string](), `jsonschema_description:"a, b <c>"`, `{"type":"string","description":"a, b <c>"}`},
		{reflect.TypeFor[string](), `jsonschema:"description=a\\, b"`, `{"type":"string","description":"a, b"}`},
		{reflect.TypeFor[string](), `jsonschema:"pattern=^a{1\\,3}$,minLength=1,maxLength=3"`, `{"type":"string","maxLength":3,"minLength":1,"pattern":"^a{1,3}$"}`},
		{reflect.TypeFor[string](), `jsonschema:"pattern=^\\d+$"`, `{"type":"string","pattern":"^\\d+$"}`},
		{reflect.TypeFor[string](), `jsonschema:"enum=a,enum=b\\,c,default=a,example=b\\,c"`, `{"type":"string","enum":["a","b,c"],"default":"a","examples":["b,c"]}`},
		{reflect.TypeFor[string](), `jsonschema:"default="`, `{"type":"string","default":""}`},
		{reflect.TypeFor[string](), `jsonschema:"format=email,examples=a@b.c,examples=d@e.f"`, `{"type":"string","format":"email","examples":["a@b.c","d@e.f"]}`},
		{reflect.TypeFor[int](), `jsonschema:"minimum=1,maximum=9,default=3"`, `{"type":"integer","default":3,"maximum":9,"minimum":1}`},
		{reflect.TypeFor[int](), `jsonschema:"minimum=9007199254740993"`, `{"type":"integer","minimum":9007199254740993}`},
		{reflect.TypeFor[int](), `jsonschema:"exclusiveMinimum=0,multipleOf=5"`, `{"type":"integer","multipleOf":5,"exclusiveMinimum":0}`},
		{reflect.TypeFor[int](), `jsonschema:"enum=1,enum=2"`, `{"type":"integer","enum":[1,2]}`},
		{reflect.TypeFor[float64](), `jsonschema:"minimum=0.10,exclusiveMaximum=1e2,default=1.50"`, `{"type":"number","default":1.50,"exclusiveMaximum":1e2,"minimum":0.10}`},
		{reflect.TypeFor[bool](), `jsonschema:"default=false"`, `{"type":"boolean","default":false}`},
		{reflect.TypeFor[time.Duration](), `jsonschema:"default=30s,description=How long"`, `{"type":"string","description":"How long","default":"30s","pattern":"^[+-]?(0|([0-9]+(\\.[0-9]*)?(ns|us|µs|ms|s|m|h))+)$"}`},
		{reflect.TypeFor[any](), `jsonschema:"default={\"a\":[1\\,2]}"`, `{"default":{"a":[1,2]}}`},
		{reflect.TypeFor[goInner](), `jsonschema:"default={\"x\":1}"`, ""},
		{reflect.TypeFor[*goNode](), `jsonschema:"description=n,default={\"name\":\"a\"\\,\"kids\":[]}"`, ""},
		// On a slice or map: counts are the field's, values are the elements'.
		{reflect.TypeFor[[]string](), `jsonschema:"minItems=1,maxItems=3,uniqueItems,enum=a,enum=b,title=T,default=[\"a\"]"`, `{"type":"array","title":"T","default":["a"],"items":{"type":"string","enum":["a","b"]},"maxItems":3,"minItems":1,"uniqueItems":true}`},
		{reflect.TypeFor[[][]int8](), `jsonschema:"minItems=1,minimum=0"`, `{"type":"array","items":{"type":"array","items":{"type":"integer","maximum":127,"minimum":0}},"minItems":1}`},
		{reflect.TypeFor[map[string]string](), `jsonschema:"minProperties=1,maxProperties=2,format=uuid"`, `{"type":"object","additionalProperties":{"type":"string","format":"uuid"},"maxProperties":2,"minProperties":1}`},
		{reflect.TypeFor[[3]float32](), `jsonschema:"maximum=1"`, `{"type":"array","items":{"type":"number","maximum":1},"maxItems":3,"minItems":3}`},
		{reflect.TypeFor[goOwnPointer](), `jsonschema:"maxLength=5,default=abc"`, `{"type":"string","default":"abc","maxLength":5,"pattern":"^[a-z]+$"}`},
	} {
		s := string(reflectOK(t, tagged(c.typ, c.tag), Input).Schema)
		compileText(t, []byte(s))
		if c.want != "" {
			assert.Contains(t, s, `"f":`+c.want+`}`, c.tag)
		}
		reflectOK(t, tagged(c.typ, c.tag), Output)
	}
}

func TestRule1_4_TagsOnPointersOfOutputs(t *testing.T) {
	s := string(reflectOK(t, tagged(reflect.TypeFor[*string](), `jsonschema:"enum=a,description=d"`), Output).Schema)
	assert.Contains(t, s, `"f":{"type":["string","null"],"description":"d","enum":["a",null]}`)
	s = string(reflectOK(t, tagged(reflect.TypeFor[*[]string](), `jsonschema:"minItems=1,description=d"`), Output).Schema)
	assert.Contains(t, s, `"f":{"description":"d","anyOf":[{"type":"array","items":{"type":"string"},"minItems":1},{"type":"null"}]}`)
	s = string(reflectOK(t, tagged(reflect.TypeFor[[]*int8](), `jsonschema:"enum=1"`), Output).Schema)
	assert.Contains(t, s, `"items":{"type":["integer","null"],"enum":[1,null],`)
}

func TestRule1_4_Required(t *testing.T) {
	type in struct {
		A int
		B int `json:",omitempty"`
		C int `json:",omitzero"`
		D *int
		E int  `jsonschema:"default=1"`
		F *int `jsonschema:"required"`
		G int  `json:",omitempty" jsonschema:"required"`
	}
	assert.Contains(t, string(reflectOK(t, reflect.TypeFor[in](), Input).Schema), `"required":["A","F","G"]`)
	assert.Contains(t, string(reflectOK(t, reflect.TypeFor[in](), Output).Schema), `"required":["A","F"]`)
	assert.NotContains(t, string(reflectOK(t, reflect.TypeFor[struct{ A *int }](), Input).Schema), `required`)
}

func TestRule1_4_TagErrors(t *testing.T) {
	var (
		text    = reflect.TypeFor[string]()
		number  = reflect.TypeFor[int]()
		float   = reflect.TypeFor[float64]()
		list    = reflect.TypeFor[[]string]()
		mapping = reflect.TypeFor[map[string]int]()
	)
	for _, c := range []struct {
		name    string
		typ     reflect.Type
		tag     string
		message string // a part of it
		hint    string // a part of it
	}{
		{"prose", text, `jsonschema:"the city's name"`, goMsgProse, `jsonschema_description:"the city's name"`},
		{"prose with commas", text, `jsonschema:"the city, or a=b"`, goMsgProse, `jsonschema_description:"the city, or a=b"`},
		{"one word", text, `jsonschema:"city"`, goMsgProse, `jsonschema_description:"city"`},
		{"nothing", text, `jsonschema:""`, goMsgProse, ""},
		{"cut pattern", text, `jsonschema:"pattern=^a{1,3}$"`, "cut at a comma", `pattern=^a{1\\,3}$`},
		{"cut pattern with equals", text, `jsonschema:"pattern=^[a,b=c]$"`, "cut at a comma", `pattern=^[a\\,b=c]$`},
		{"cut description", text, `jsonschema:"description=The id, with a comma"`, "cut at a comma", `description=The id\\, with a comma`},
		{"cut pattern with classes", text, `jsonschema:"pattern=^\\d{1,3}$"`, "cut at a comma", `pattern=^\\d{1\\,3}$`},
		{"single backslash", text, `jsonschema:"pattern=^a{1\,3}$"`, goMsgBadTag, `pattern=^a{1\\,3}$`},
		{"no quotes", text, `jsonschema:minLength=1`, goMsgBadTag, ""},
		{"unknown key", number, `jsonschema:"mininum=1"`, `unknown key "mininum"`, "minimum"},
		{"unknown flag", text, `jsonschema:"requird"`, `unknown key "requird"`, "required"},
		{"unknown key second", number, `jsonschema:"minimum=1,maxmum=3"`, `unknown key "maxmum"`, "maximum"},
		{"far key", number, `jsonschema:"nullable=true"`, `unknown key "nullable"`, "the keys are"},
		{"case", number, `jsonschema:"Minimum=1"`, "unknown key", "minimum"},
		{"blank before key", number, `jsonschema:"minimum=1, maximum=2"`, "blanks around", `jsonschema:"minimum=1,maximum=2"`},
		{"blank after value", number, `jsonschema:"minimum=1 ,maximum=2"`, "blanks around", `jsonschema:"minimum=1,maximum=2"`},
		{"blank at equals", number, `jsonschema:"minimum = 1"`, "blanks around", `jsonschema:"minimum=1"`},
		{"trailing comma", number, `jsonschema:"minimum=1,"`, "cut", ""},
		{"extras", text, `jsonschema_extras:"a=b"`, goMsgExtras, "JSONSchema()"},
		{"twice", number, `jsonschema:"minimum=1,minimum=2"`, "minimum is given twice", ""},
		{"two descriptions", text, `jsonschema:"description=a" jsonschema_description:"b"`, goMsgTwoTexts, ""},
		{"enum twice", text, `jsonschema:"enum=a,enum=a"`, "enum=a is given twice", ""},
		{"no value", text, `jsonschema:"minLength"`, "minLength needs a value", ""},
		{"empty value", text, `jsonschema:"pattern="`, "pattern needs a value", ""},
		{"flag with value", list, `jsonschema:"uniqueItems=maybe"`, "uniqueItems takes no value", ""},
		{"minimum text", number, `jsonschema:"minimum=abc"`, "minimum=abc is not an integer", ""},
		{"minimum fraction", number, `jsonschema:"minimum=0.5"`, "is not an integer", ""},
		{"minimum hex", float, `jsonschema:"minimum=0x10"`, "is not a number", ""},
		{"minimum huge", float, `jsonschema:"minimum=1e5000000"`, "is not a number", ""},
		{"minimum outside", reflect.TypeFor[uint8](), `jsonschema:"minimum=-1"`, "outside what the type can hold, 0 to 255", ""},
		{"maximum outside", reflect.TypeFor[int8](), `jsonschema:"maximum=128"`, "outside", ""},
		{"multipleOf", number, `jsonschema:"multipleOf=0"`, "above 0", ""},
		{"bounds", number, `jsonschema:"minimum=5,maximum=4"`, "minimum=5 and maximum=4", ""},
		{"open bounds", float, `jsonschema:"exclusiveMinimum=5,maximum=5.0"`, "exclusiveMinimum=5 and maximum=5.0", ""},
		{"lengths", text, `jsonschema:"minLength=5,maxLength=4"`, "minLength=5 and maxLength=4", ""},
		{"length", text, `jsonschema:"minLength=-1"`, "is not a whole number", ""},
		{"items", list, `jsonschema:"minItems=5,maxItems=4"`, "minItems=5", ""},
		{"fixed array", reflect.TypeFor[[2]int](), `jsonschema:"minItems=1"`, "the type fixes it", ""},
		{"pattern on int", number, `jsonschema:"pattern=^a$"`, "pattern does not fit a value of type integer", ""},
		{"minimum on string", text, `jsonschema:"minimum=1"`, "minimum does not fit a value of type string", ""},
		{"minimum on strings", list, `jsonschema:"minimum=1"`, "minimum does not fit a value of type string", ""},
		{"minItems on string", text, `jsonschema:"minItems=1"`, "minItems does not fit a value of type string", ""},
		{"minItems on map", mapping, `jsonschema:"minItems=1"`, "minItems does not fit a value of type object", ""},
		{"minProperties on list", list, `jsonschema:"minProperties=1"`, "minProperties does not fit a value of type array", ""},
		{"enum on struct", reflect.TypeFor[goInner](), `jsonschema:"enum=a"`, "enum does not fit a value of type object", ""},
		{"enum on recursive", reflect.TypeFor[goTree](), `jsonschema:"enum=a"`, "enum does not fit", ""},
		{"minimum on quoted", number, `jsonschema:"minimum=1" x:"quoted"`, "minimum does not fit a value of type string", ""},
		{"constraint on any", reflect.TypeFor[any](), `jsonschema:"minimum=1"`, goMsgOwnSchema, ""},
		{"constraint on opaque", reflect.TypeFor[goOpaque](), `jsonschema:"minLength=1"`, goMsgOwnSchema, "JSONSchema()"},
		{"constraint on raw", reflect.TypeFor[json.RawMessage](), `jsonschema:"enum=1"`, "does not fit", ""},
		{"bad pattern", text, `jsonschema:"pattern=^(?=a)"`, "is not a pattern", "RE2"},
		{"pattern on duration", reflect.TypeFor[time.Duration](), `jsonschema:"pattern=^1s$"`, "the type fixes it", ""},
		{"format on time", reflect.TypeFor[time.Time](), `jsonschema:"format=date"`, "the type fixes it", ""},
		{"unknown format", text, `jsonschema:"format=phone"`, `unknown format "phone"`, "date-time, date, time, email, uri, uuid, ipv4, ipv6, hostname"},
		{"enum type", number, `jsonschema:"enum=x"`, "enum=x is not of type integer", ""},
		{"enum range", reflect.TypeFor[uint8](), `jsonschema:"enum=300"`, "enum value 300 does not satisfy", ""},
		{"enum against minimum", number, `jsonschema:"minimum=5,enum=3"`, "enum value 3 does not satisfy", ""},
		{"enum of duration", reflect.TypeFor[time.Duration](), `jsonschema:"enum=soon"`, "enum value", ""},
		{"default type", number, `jsonschema:"default=x"`, "default=x is not JSON of type integer", ""},
		{"default fraction", number, `jsonschema:"default=1.5"`, "is not JSON of type integer", ""},
		{"default bool", reflect.TypeFor[bool](), `jsonschema:"default=yes"`, "is not JSON of type boolean", ""},
		{"default enum", text, `jsonschema:"enum=a,default=b"`, `default "b" does not satisfy`, ""},
		{"default range", number, `jsonschema:"minimum=5,default=3"`, "default 3 does not satisfy", ""},
		{"default exact", float, `jsonschema:"default=9007199254740993"`, "cannot be held exactly", ""},
		{"default pattern", text, `jsonschema:"pattern=^a$,default=b"`, "does not satisfy", ""},
		{"default format", text, `jsonschema:"format=email,default=b"`, "does not satisfy", ""},
		{"default list", list, `jsonschema:"default=a"`, "is not JSON of type array", ""},
		{"default list element", list, `jsonschema:"enum=a,default=[\"b\"]"`, "does not satisfy", ""},
		{"default struct", reflect.TypeFor[goInner](), `jsonschema:"default={}"`, "does not satisfy", ""},
		{"default time", reflect.TypeFor[time.Time](), `jsonschema:"default=now"`, "does not satisfy", ""},
		{"default address", reflect.TypeFor[netip.Addr](), `jsonschema:"default=here"`, "does not satisfy", ""},
		{"default null", reflect.TypeFor[*int](), `jsonschema:"default=null"`, "is not JSON of type integer", ""},
		{"example", number, `jsonschema:"example=x"`, "example=x is not JSON of type integer", ""},
		{"example range", number, `jsonschema:"maximum=1,example=2"`, "example 2 does not satisfy", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			typ := tagged(c.typ, c.tag)
			if strings.Contains(c.tag, "quoted") {
				typ = reflect.StructOf([]reflect.StructField{{Name: "F", Type: c.typ, Tag: reflect.StructTag(`json:",string" ` + c.tag)}})
			}
			_, err := Reflect(typ, Input)
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.True(t, strings.HasPrefix(e.Pointer, "struct.F"), e.Pointer)
			assert.Contains(t, e.Message, c.message)
			assert.Contains(t, e.Hint, c.hint)
		})
	}
}
