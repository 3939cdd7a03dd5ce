package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// A text is found in a page of text: the page scrolls to it, n to the next, and round the end.
func TestFindInAText(t *testing.T) {
	d := drive(t, company(), 80, 24)
	d.keys("?", "/")
	d.typed("pause")
	d.shows("/ pause", "enter keeps, n finds the next")
	scroll := d.m.page().(frame.Scroller).Scroll()
	lines := d.m.page().View().Text
	first := scroll.Hit
	if !strings.Contains(lines[first].String(), "pause") || !strings.Contains(d.frame(), "▌") {
		t.Fatalf("line %d: %q", first, lines[first].String())
	}
	d.keys("enter", "n")
	second := scroll.Hit
	if second <= first || !strings.Contains(lines[second].String(), "pause") {
		t.Errorf("next is line %d: %q", second, lines[second].String())
	}
	for range lines {
		if d.keys("n"); scroll.Hit == first {
			break
		}
	}
	if scroll.Hit != first {
		t.Error("n does not begin again at the top")
	}
	d.keys("esc")
	if scroll.Find != "" || d.m.path.page != frame.Help {
		t.Errorf("esc leaves %q looked for, on %s", scroll.Find, d.m.path.page)
	}
	d.keys("n")
	d.shows("nothing is looked for")
	d.keys("/")
	d.typed("~[")
	d.shows("nothing is found")
	d.typed("[")
	d.keys("backspace", "backspace", "backspace", "backspace") // the last one ends it
	if d.m.filtering {
		t.Error("still looking")
	}
}

// The sentence below the rows names the node so that no other looks the same.
func TestSentenceTellsNodesApart(t *testing.T) {
	const domain = ".eu-central-1.compute.internal"
	for _, names := range [][]string{
		{"gke-prod-eu1-batch-pool-f2a9c1d-69tp", "gke-prod-eu1-default-pool-f2a9c1d-69tp", "worker-1"},
		{"ip-10-0-113-17" + domain, "ip-10-0-113-171" + domain, "ip-10-0-97-203" + domain},
	} {
		w := emptyWorld()
		for _, name := range names {
			w.node(name, "", time.Hour)
		}
		d := drive(t, w, 80, 24)
		seen := map[string]bool{}
		for _, name := range names {
			d.list(frame.Nodes).Table.Select(name)
			lines := strings.Split(strings.TrimRight(d.frame(), "\n"), "\n")
			subject, _, _ := strings.Cut(strings.TrimSpace(lines[len(lines)-4]), "  ")
			if seen[subject] || subject == "" {
				t.Errorf("%s is called %q", name, subject)
			}
			seen[subject] = true
		}
	}
}
