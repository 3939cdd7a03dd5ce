package table

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

func numbers(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = strconv.Itoa(i)
	}
	return keys
}

func TestSortingNeverMovesTheCursorToAnotherObject(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var table Table
	table.SetKeys(numbers(50))
	for range 500 {
		table.Move(r.IntN(9) - 4)
		before := table.Cursor()
		keys := slices.Clone(table.Keys())
		r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		table.SetKeys(keys)
		if table.Cursor() != before {
			t.Fatalf("the cursor went from %s to %s", before, table.Cursor())
		}
		from, to := table.Window(1+r.IntN(20), nil)
		if table.index < from || table.index >= to {
			t.Fatalf("cursor at %d, visible %d to %d", table.index, from, to)
		}
	}
}

func TestCursorWhoseObjectIsGone(t *testing.T) {
	var table Table
	table.SetKeys([]string{"a", "b", "c"})
	table.Move(1)
	table.SetKeys([]string{"a", "c"})
	if table.Cursor() != "c" {
		t.Errorf("cursor on %q", table.Cursor())
	}
	table.SetKeys(nil)
	if table.Cursor() != "" {
		t.Errorf("cursor on %q in an empty table", table.Cursor())
	}
	table.SetKeys([]string{"a", "c"}) // it came back with the same object
	if table.Cursor() != "c" {
		t.Errorf("cursor on %q", table.Cursor())
	}
}

func TestWindowWithRowsOfSeveralHeights(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var table Table
	table.SetKeys(numbers(60))
	height := func(key string) int { n, _ := strconv.Atoi(key); return 1 + n%2 }
	for range 1000 {
		table.Move(r.IntN(31) - 15)
		room := 2 + r.IntN(20)
		from, to := table.Window(room, height)
		used := 0
		for _, k := range table.Keys()[from:to] {
			used += height(k)
		}
		if table.index < from || table.index >= to || used > room {
			t.Fatalf("cursor %d, visible %d to %d, %d lines of %d", table.index, from, to, used, room)
		}
	}
}

func TestMarksSurviveFilters(t *testing.T) {
	var m Marks
	m.Add("a")
	m.Add("b")
	m.Add("a")
	if m.Len() != 2 || m.Hidden([]string{"b", "c"}) != 1 || m.Hidden(nil) != 2 {
		t.Errorf("%d marks, %d hidden", m.Len(), m.Hidden([]string{"b", "c"}))
	}
	m.Toggle("a")
	if m.Has("a") || !slices.Equal(m.Keys(), []string{"b"}) {
		t.Errorf("%v", m.Keys())
	}
}

func TestFit(t *testing.T) {
	columns := []Column{
		{ID: "name", Width: 30, Min: 10, Grow: true, Max: 40},
		{ID: "state", Width: 10},
		{ID: "zone", Width: 8, Drop: 2},
		{ID: "age", Width: 4, Drop: 1},
	}
	for _, c := range []struct {
		width int
		want  []int
	}{
		{100, []int{40, 10, 8, 4}},
		{58, []int{30, 10, 8, 4}},
		{40, []int{12, 10, 8, 4}},
		{30, []int{12, 10, 0, 4}},
		{22, []int{10, 10, 0, 0}},
		{10, []int{4, 4, 0, 0}},
	} {
		if got := Fit(columns, c.width); !slices.Equal(got, c.want) {
			t.Errorf("width %d: %v, want %v", c.width, got, c.want)
		}
	}
	for width := 1; width < 120; width++ {
		if sum := total(Fit(columns, width)); sum > width && width > 3 {
			t.Errorf("width %d: %d", width, sum)
		}
	}
}
