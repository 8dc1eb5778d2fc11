package jmes

import "strings"

// nearest returns the function whose name has the fewest wrong characters compared with name, if they are few.
func nearest(name string) string {
	found, fewest := "", 3
	for i := range functions {
		f := functions[i].name
		if d := distance(strings.ToLower(name), f); d < fewest && d < len(f)-1 {
			found, fewest = f, d
		}
	}
	return found
}

// distance counts the bytes to add, leave out or change to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}
