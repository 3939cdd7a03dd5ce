package frame

// The smallest frame that shows a page; below it there is only a notice.
const (
	MinWidth  = 60
	MinHeight = 12
)

// Layout is where the parts of a page stand, in lines from the top.
type Layout struct {
	Width, Height int
	TooSmall      bool
	Head          int // lines below the first rule that say what the page is about
	Table         int // line of the column titles
	Body          int // first line of the rows
	Rows          int // lines for rows
	Detail        int // first line of the sentence on the selected row
	DetailRows    int
	Hints         int // the last line
}

// Gutter is what a row keeps free on its left: cursor, mark, blank.
const Gutter = 3

// MakeLayout cuts a frame of that size into parts; head is how many lines the
// page would like below its title.
func MakeLayout(width, height, head int) Layout {
	l := Layout{Width: width, Height: height}
	if width < MinWidth || height < MinHeight {
		l.TooSmall = true
		return l
	}
	l.DetailRows = detailRows(height)
	l.Head = min(head, HeadRoom(height))
	l.Table = 2 + l.Head
	l.Body = l.Table + 1
	l.Hints = height - 1
	l.Detail = l.Hints - l.DetailRows
	l.Rows = max(1, l.Detail-1-l.Body)
	return l
}

func detailRows(height int) int {
	switch {
	case height < 16:
		return 1
	case height < 20:
		return 2
	case height < 36:
		return 3
	}
	return 4
}

// HeadRoom is how many lines below the title are shown at most, so that three rows
// stay.
func HeadRoom(height int) int { return max(0, height-4-detailRows(height)-1-3) }

// Columns is the width that the columns of a table share.
func (l Layout) Columns() int { return max(1, l.Width-Gutter-1) }
