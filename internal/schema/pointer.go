package schema

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A step is one token of a path into a value: a member name, or an index when name is not used.
type step struct {
	name  string
	index int // -1 for a member
}

func stepsPointer(path []step) string {
	var s strings.Builder
	for _, p := range path {
		s.WriteByte('/')
		if p.index >= 0 {
			s.WriteString(strconv.Itoa(p.index))
		} else {
			s.WriteString(escapeToken(p.name))
		}
	}
	return s.String()
}

func stepsTokens(path []step) []string {
	tokens := make([]string, len(path))
	for i, p := range path {
		tokens[i] = p.name
		if p.index >= 0 {
			tokens[i] = strconv.Itoa(p.index)
		}
	}
	return tokens
}

func pointerOf(tokens []string) string {
	var s strings.Builder
	for _, t := range tokens {
		s.WriteByte('/')
		s.WriteString(escapeToken(t))
	}
	return s.String()
}

var tokenEscaper = strings.NewReplacer("~", "~0", "/", "~1")

func escapeToken(token string) string {
	if !strings.ContainsAny(token, "~/") {
		return token
	}
	return tokenEscaper.Replace(token)
}

// unescapeToken is the reverse; a "~" that starts no escape makes it fail.
func unescapeToken(token string) (string, bool) {
	for i := 0; i < len(token); i++ {
		if token[i] == '~' && (i+1 == len(token) || token[i+1] != '0' && token[i+1] != '1') {
			return "", false
		}
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(token), true
}

// lookup follows a path of tokens through a value.
func lookup(v any, tokens []string) (any, bool) {
	for _, t := range tokens {
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[t]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(t)
			if err != nil || i < 0 || i >= len(at) || strconv.Itoa(i) != t {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

func escapeFragment(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

// schemaPointer returns the pointer into the schema that the library names by a URL.
func schemaPointer(location string) string {
	_, fragment, _ := strings.Cut(location, "#")
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		return fragment
	}
	return pointer
}

// comparePaths orders by place: parents first, array elements by number, names that look like numbers before others.
func comparePaths(a, b []string) int {
	return slices.CompareFunc(a, b, func(x, y string) int {
		i, errI := strconv.Atoi(x)
		j, errJ := strconv.Atoi(y)
		switch {
		case errI == nil && errJ == nil:
			return cmp.Or(cmp.Compare(i, j), strings.Compare(x, y))
		case errI == nil:
			return -1
		case errJ == nil:
			return 1
		}
		return strings.Compare(x, y)
	})
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
