package table

// Column is one column of a table.
type Column struct {
	ID    string // what sorting calls it
	Title string
	Width int  // what it would like
	Min   int  // what it can live with; 0 means Width
	Grow  bool // takes what is left over, up to Max (0: all)
	Max   int
	Right bool // its cells stand on the right side
	// Drop says how early it goes where the frame is narrow: the highest
	// first, 0 never.
	Drop int
}

// Gap is the space between columns.
const Gap = 2

// Fit tells which columns are shown in that width and how wide; a width of 0
// means that a column is left out.
func Fit(columns []Column, width int) []int {
	widths := make([]int, len(columns))
	for i, c := range columns {
		widths[i] = max(1, c.Width)
	}
	for total(widths) > width {
		shrink(columns, widths, total(widths)-width)
		if total(widths) <= width || !dropOne(columns, widths) {
			break
		}
		for i, c := range columns {
			if widths[i] > 0 {
				widths[i] = max(1, c.Width)
			}
		}
	}
	for over := total(widths) - width; over > 0; over = total(widths) - width {
		if !squeeze(widths) {
			break
		}
	}
	grow(columns, widths, width-total(widths))
	return widths
}

func total(widths []int) int {
	sum := -Gap
	for _, w := range widths {
		if w > 0 {
			sum += w + Gap
		}
	}
	return max(sum, 0)
}

// shrink takes from the columns that can be narrower, the widest first, so
// that they end alike.
func shrink(columns []Column, widths []int, over int) {
	for ; over > 0; over-- {
		widest := -1
		for i, c := range columns {
			if c.Min > 0 && widths[i] > c.Min && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

// dropOne leaves out the column that is the first to go, of several the last one.
func dropOne(columns []Column, widths []int) bool {
	first := -1
	for i, c := range columns {
		if c.Drop > 0 && widths[i] > 0 && (first < 0 || c.Drop >= columns[first].Drop) {
			first = i
		}
	}
	if first < 0 {
		return false
	}
	widths[first] = 0
	return true
}

// squeeze narrows the widest column below its minimum: the frame is smaller
// than the table can be.
func squeeze(widths []int) bool {
	widest := 0
	for i, w := range widths {
		if w > widths[widest] {
			widest = i
		}
	}
	if len(widths) == 0 || widths[widest] <= 1 {
		return false
	}
	widths[widest]--
	return true
}

// grow hands out what is left over, one cell at a time.
func grow(columns []Column, widths []int, left int) {
	for left > 0 {
		given := false
		for i, c := range columns {
			if left > 0 && c.Grow && widths[i] > 0 && (c.Max == 0 || widths[i] < c.Max) {
				widths[i]++
				left--
				given = true
			}
		}
		if !given {
			return
		}
	}
}
