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
	Pane          Rect
}

// Rect is a part of the frame; one without a width is not shown.
type Rect struct{ X, Y, Width, Height int }

// A frame this wide has the pane beside the table, one this high below it.
const (
	paneBeside = 140
	paneBelow  = 40
)

// gutterWidth is what a row keeps free on its left: cursor, mark, blank.
const gutterWidth = 3

// MakeLayout cuts a frame of that size into parts; head is how many lines the
// page would like below its title.
func MakeLayout(width, height, head int, pane bool) Layout {
	l := Layout{Width: width, Height: height}
	if width < MinWidth || height < MinHeight {
		l.TooSmall = true
		return l
	}
	l.DetailRows = detailRows(height)
	if pane && (width >= paneBeside || height >= paneBelow) {
		l.DetailRows = 0
	}
	l.Head = min(head, HeadRoom(height))
	l.Table = 2 + l.Head
	l.Body = l.Table + 1
	l.Hints = height - 1
	l.Detail = l.Hints - l.DetailRows
	l.Rows = max(1, l.Detail-1-l.Body)
	switch {
	case l.DetailRows > 0:
	case width >= paneBeside:
		w := min(max(width*2/5, 52), 84)
		l.Pane = Rect{X: width - w, Y: l.Table, Width: w, Height: l.Rows + 1}
	default:
		h := (l.Rows - 1) * 2 / 5
		l.Rows -= h + 1 // and a rule
		l.Pane = Rect{Y: l.Body + l.Rows + 1, Width: width, Height: h}
	}
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

// TableWidth is that of the table: what the pane beside it leaves.
func (l Layout) TableWidth() int {
	if l.Pane.X > 0 {
		return l.Pane.X - 1
	}
	return l.Width
}

// Columns is the width that the columns of a table share.
func (l Layout) Columns() int { return max(1, l.TableWidth()-gutterWidth-1) }
