package schema

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNearLength is the longest word that is compared, in characters.
const maxNearLength = 128

// Nearest returns at most max of the candidates that are near to a word, the nearest first and equally near ones by name.
// Near means few typing errors (a letter added, missing, wrong or swapped with its neighbour; case does not count): none in a
// word of one character, one in a word of up to four, two in one of up to eight, then a third of its length up to four.
func Nearest(word string, candidates []string, max int) []string {
	length := utf8.RuneCountInString(word)
	if length == 0 || length > maxNearLength || max <= 0 {
		return nil
	}
	limit := nearLimit(length)
	w := foldRunes(word)
	type near struct {
		name     string
		distance int
	}
	var found []near
	for _, c := range candidates {
		if n := utf8.RuneCountInString(c); n == 0 || n < length-limit || n > length+limit {
			continue
		}
		if d := distance(w, foldRunes(c), limit); d <= limit {
			found = append(found, near{c, d})
		}
	}
	slices.SortFunc(found, func(a, b near) int {
		return cmp.Or(a.distance-b.distance, strings.Compare(a.name, b.name))
	})
	var names []string
	for _, f := range found {
		if len(names) == max {
			break
		}
		if !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
	}
	return names
}

func nearLimit(length int) int {
	switch {
	case length == 1:
		return 0
	case length <= 4:
		return 1
	case length <= 8:
		return 2
	}
	return min(length/3, 4)
}

func foldRunes(s string) []rune {
	runes := []rune(s)
	for i, r := range runes {
		runes[i] = unicode.ToLower(r)
	}
	return runes
}

// distance is the optimal string alignment distance, or limit+1 when it is larger. Only the diagonal band that can stay
// within the limit is computed.
func distance(a, b []rune, limit int) int {
	width := len(b) + 1
	rows := make([]int, 3*width)
	before, last, row := rows[:width], rows[width:2*width], rows[2*width:]
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := range row {
			row[j] = limit + 1
		}
		row[0] = i
		best := limit + 1
		if i <= limit {
			best = i
		}
		for j := max(1, i-limit); j <= min(len(b), i+limit); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(last[j-1]+cost, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = min(d, limit+1)
			best = min(best, row[j])
		}
		if best > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit+1)
}
