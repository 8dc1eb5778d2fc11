package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWrap(t *testing.T) {
	assert.Equal(t, []string{""}, wrap("", 10))
	assert.Equal(t, []string{"0123456789"}, wrap("0123456789", 10))
	assert.Equal(t, []string{"one two ", "  three ", "  four"}, wrap("one two three four", 10))
	assert.Equal(t, []string{"0123456789", "  abcdefgh", "  ij"}, wrap("0123456789abcdefghij", 10))
}

func TestLayoutJSON(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`{"b": 1, "a": 2}`, `{"b":1,"a":2}`},
		{`{"b":[1,2,3],"a":{"c":null}}`, "{\n  \"b\": [1,2,3],\n  \"a\": {\n    \"c\": null\n  }\n}"},
		{`{"b":[1,2,3],"a":{}}`, "{\n  \"b\": [1,2,3],\n  \"a\": {}\n}"},
		{`[12345678,{"k":12345678}]`, "[\n  12345678,\n  {\n    \"k\": 12345678\n  }\n]"},
		{`"a text that is longer than a line"`, `"a text that is longer than a line"`},
	} {
		assert.Equal(t, test.want, layoutJSON(json.RawMessage(test.in), "", 16))
	}
}
