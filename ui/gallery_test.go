package ui

import (
	"slices"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/ui/keys"
)

// gallery are the pages of docs/pages.md: every page of the program, and scenes that show what is special of one.
var gallery = []struct {
	scene string
	page  keys.Page
}{
	{"nodes-usual", "nodes"}, {"pods", "pods"}, {"allpods", "all pods"}, {"node", "node"}, {"budgets", "budgets"},
	{"map", "map"}, {"plan-nodes", "plan"}, {"findings", "findings"}, {"options", "options"}, {"confirm-evict", "run"},
	{"run", "run"}, {"remedies", "remedies"}, {"pod", "pod"}, {"replay-timeline", "timeline"}, {"checklist", "checklist"},
	{"result-checked", "run"}, {"events", "events"}, {"runs", "runs"}, {"replay-paused", "run"}, {"roll-new", "new roll"},
	{"roll", "roll"}, {"find", "find"}, {"themes", "themes"}, {"help", "help"}, {"messages", "messages"},
}

// Each page has its pictures, dark and light; `make docs` draws them from these files.
func TestPicturesOfEveryPage(t *testing.T) {
	missing := slices.Clone(allPages)
	for _, picture := range gallery {
		at := slices.IndexFunc(allScenes(), func(sc scene) bool { return sc.name == picture.scene })
		if at < 0 {
			t.Errorf("there is no scene %s", picture.scene)
			continue
		}
		for _, look := range []string{"dark", "light"} {
			d := allScenes()[at].up(t, 110, 32)
			if d.m.path.page != picture.page {
				t.Errorf("%s is on page %q, want %q", picture.scene, d.m.path.page, picture.page)
			}
			d.m.dark = look == "dark"
			d.m.repaint()
			d.m.layout()
			golden(t, "page-"+picture.scene+"-"+look, d.m.View().Content)
		}
		missing = slices.DeleteFunc(missing, func(p keys.Page) bool { return p == picture.page })
	}
	if len(missing) > 0 {
		t.Errorf("pages without a picture: %q", missing)
	}
}

func allScenes() []scene {
	return slices.Concat(scenes, pageScenes, controlScenes, mapScenes, replayScenes, rollScenes, []scene{
		{"messages", func(t testing.TB, w, h int) *driver {
			d := drive(t, company(), w, h)
			d.m.notices.warn("the nodes have no Events of this run: not allowed to create them", d.now)
			d.keys("a", "e")
			return d
		}},
	})
}
