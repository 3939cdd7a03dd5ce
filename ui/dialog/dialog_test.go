package dialog

import (
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

var now = time.Date(2026, 8, 21, 14, 0, 0, 0, time.UTC)

func TestConfirm(t *testing.T) {
	for _, c := range []struct {
		name string
		keys string
		want string
	}{
		{"enter is the safe answer", "enter", Cancel},
		{"esc cancels", "esc", Cancel},
		{"n cancels", "n", Cancel},
		{"y accepts", "y", Accept},
		{"moving and enter accepts", "tab enter", Accept},
		{"moving there and back cancels", "right left enter", Cancel},
		{"other keys do nothing", "x Y j space D", ""},
	} {
		d := Confirm("id", "title", "do it", false)
		d.Open(now)
		var got string
		for _, k := range strings.Fields(c.keys) {
			if a := d.Key(k, k, now); a != nil {
				got = a.Value
			}
		}
		if got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

func TestTypedAcceptsTheExactTextOnly(t *testing.T) {
	for word, want := range map[string]bool{"worker-a1": true, "worker-a": false, "worker-a11": false, "Worker-a1": false, "worker-a1 ": false, "y": false} {
		d := Typed("id", "title", "worker-a1", "evict")
		d.Open(now)
		for _, r := range word {
			if d.Key(string(r), string(r), now) != nil {
				t.Fatalf("%q answered while it was typed", word)
			}
		}
		a := d.Key("enter", "", now)
		if (a != nil && a.Value == Accept) != want {
			t.Errorf("%q: %+v", word, a)
		}
		if !want && d.Problem == "" {
			t.Errorf("%q: no word about what is wrong", word)
		}
	}
	d := Typed("id", "title", "worker-a1", "evict")
	d.Open(now)
	d.Paste("worker-a1\n", now)
	if d.Text != "worker-a1" {
		t.Errorf("pasted %q", d.Text)
	}
}

func TestGraceOfADialogThatOpenedByItself(t *testing.T) {
	d := Confirm("id", "title", "do it", false)
	d.Auto = true
	d.Open(now)
	at := now
	for range 3 { // somebody is typing: each key makes it wait again
		at = at.Add(400 * time.Millisecond)
		if d.Key("y", "y", at) != nil {
			t.Fatalf("it took a key after %s", at.Sub(now))
		}
	}
	if at = now.Add(MaxQuiet); d.Key("y", "y", at) == nil {
		t.Error("it is deaf for ever")
	}
	d = Confirm("id", "title", "do it", false)
	d.Auto = true
	d.Open(now)
	if d.Key("y", "y", now.Add(Quiet)) == nil {
		t.Error("it is deaf after quiet")
	}
}

func TestLayoutStaysInTheFrame(t *testing.T) {
	d := Typed("id", strings.Repeat("title ", 30), strings.Repeat("w", 90), "evict", paint.T(strings.Repeat("long text ", 80)))
	d.Open(now)
	d.Text = strings.Repeat("界", 90)
	for w := 60; w < 220; w += 9 {
		for h := 12; h < 60; h += 5 {
			box := d.Layout(w, h, now)
			if len(box.Lines) > h || box.Width > w || box.CursorX >= box.Width || box.CursorY >= len(box.Lines) {
				t.Fatalf("%dx%d: %d lines, %d wide, cursor %d,%d", w, h, len(box.Lines), box.Width, box.CursorX, box.CursorY)
			}
			for _, l := range box.Lines {
				if l.Width() != box.Width {
					t.Fatalf("%dx%d: a line of %d in a box of %d: %s", w, h, l.Width(), box.Width, l)
				}
			}
		}
	}
}
