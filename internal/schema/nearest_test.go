package schema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNearest(t *testing.T) {
	tools := []string{"get_weather", "get_weathers", "set_weather", "list_files", "add", "And", "ad", "a", "divide"}
	for _, c := range []struct {
		word string
		max  int
		want []string
	}{
		{"get_wether", 3, []string{"get_weather", "get_weathers", "set_weather"}},
		{"get_wether", 1, []string{"get_weather"}},
		{"GET_WEATHER", 1, []string{"get_weather"}},
		{"teg_weather", 1, []string{"get_weather"}},
		{"dad", 3, []string{"ad", "add"}},
		{"divdie", 3, []string{"divide"}},
		{"completely_other", 3, nil},
		{"x", 3, nil},
		{"b", 3, nil},
		{"", 3, nil},
		{"add", 0, nil},
		{strings.Repeat("a", 1_000), 3, nil},
	} {
		assert.Equal(t, c.want, Nearest(c.word, tools, c.max), c.word)
	}
	assert.Equal(t, []string{"a"}, Nearest("A", []string{"b", "a"}, 3))
	assert.Equal(t, []string{"şehir"}, Nearest("Şehri", []string{"şehir"}, 1))
}
