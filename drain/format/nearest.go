package format

import "strings"

// farthest is how many letters a mistyped name may differ by from what was meant.
const farthest = 2

// Nearest is the name that was probably meant by a mistyped one, "" where none is near. A
// name that begins with what was typed is as near as one can be that differs.
func Nearest(typed string, names []string) string {
	nearest, least := "", farthest+1
	for _, name := range names {
		d := distance(typed, name)
		if len(typed) > 3 && strings.HasPrefix(name, typed) {
			d = min(d, farthest)
		}
		if d < least {
			nearest, least = name, d
		}
	}
	return nearest
}

// distance is how many letters must be put in, left out or replaced to make one name of
// the other (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
