package ui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// noted are preferences in memory.
type noted struct {
	said []string
	err  error
}

func (n *noted) KeepTheme(name string) error {
	n.said = append(n.said, "theme "+name)
	return n.err
}

func (n *noted) KeepUsual(cluster string, accepted bool) error {
	n.said = append(n.said, fmt.Sprintf("usual on %s: %t", cluster, accepted))
	return n.err
}

func (n *noted) want(t *testing.T, said ...string) {
	t.Helper()
	if !slices.Equal(n.said, said) {
		t.Errorf("remembered %q, want %q", n.said, said)
	}
	n.said = nil
}

// The screen has the look of the selected theme while one is chosen: esc leaves it as it was, enter keeps it.
func TestAThemeIsChosenByItsLook(t *testing.T) {
	dir, kept := t.TempDir(), &noted{}
	for name, text := range map[string]string{"mine": "description: My own.\n", "broken": "tokens: 7\n"} {
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := drive(t, company(), 120, 30, func(d *Deps) { d.ThemesDir, d.Preferences = dir, kept })
	before := d.m.View().Content
	d.keys("ctrl+t")
	d.shows("✓ default", "high-contrast", "deuteranopia", "tritanopia", "mine", "My own.", "✖ refused")
	own := d.m.View().Content
	d.keys("down", "down")
	if d.m.View().Content == own {
		t.Error("the selected theme is not shown")
	}
	d.keys("esc")
	if d.m.View().Content != before {
		t.Error("esc does not leave the theme as it was")
	}
	kept.want(t)
	d.keys("ctrl+t")
	d.list(frame.Themes).Table.Select("broken")
	d.keys("enter")
	d.shows("broken.yaml", "this theme cannot be read")
	d.list(frame.Themes).Table.Select("high-contrast")
	d.keys("enter")
	if d.m.path.page != frame.Nodes || d.m.View().Content == before || d.m.result(false).Theme != "high-contrast" {
		t.Errorf("on %s, with theme %s", d.m.path.page, d.m.result(false).Theme)
	}
	kept.want(t, "theme high-contrast")
	kept.err = errors.New("nothing was remembered: disk full")
	d.keys("ctrl+t", "enter")
	d.shows("nothing was remembered: disk full")
}

// Whether the usual flags are accepted is remembered for the context: when they are accepted, and when one of
// them is taken back.
func TestTheUsualIsRemembered(t *testing.T) {
	kept := &noted{}
	d := drive(t, company(), 120, 30, func(d *Deps) { d.Preferences = kept })
	d.keys("a")
	kept.want(t, "usual on 5f0e: true")
	d.keys("O")
	d.list(frame.Options).Table.Select("delete-emptydir-data")
	d.keys("space")
	kept.want(t, "usual on 5f0e: false")
	d.keys("space")
	kept.want(t, "usual on 5f0e: true")
	d.list(frame.Options).Table.Select("force")
	d.keys("space")
	kept.want(t)

	guarded := drive(t, company(), 120, 30, func(d *Deps) { d.Preferences, d.Protected = kept, "prod-eu-1" })
	guarded.keys("a")
	kept.want(t)

	again := drive(t, company(), 120, 30, func(d *Deps) { d.UsualAccepted, d.Options = true, plan.DefaultOptions() })
	again.shows("▲ --delete-emptydir-data")
	if o := again.m.s.Options; !o.IgnoreDaemonSets || !o.DeleteEmptyDirData {
		t.Errorf("%+v", o)
	}
}
