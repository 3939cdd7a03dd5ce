package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
)

// The report says what came of the costs that the plan named: each of them, and none that a surge
// or a replacement elsewhere prevented.
func TestCosts(t *testing.T) {
	accepted := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	pod := func(name string, change func(*eviction.Record), costs ...plan.EffectKind) *eviction.Record {
		p := &eviction.Record{Facts: eviction.Facts{Namespace: "shop", Name: name, Costs: costs}, State: eviction.Gone, Attempts: 1, Accepted: accepted}
		if change != nil {
			change(p)
		}
		return p
	}
	ready := func(p *eviction.Record) {
		p.Replacement.State, p.Replacement.ReadyAt = replacement.Ready, accepted.Add(11*time.Second)
	}
	surged := func(p *eviction.Record) {
		ready(p)
		p.Attempts, p.Accepted = 0, time.Time{}
	}
	for name, c := range map[string]struct {
		pods []*eviction.Record
		want string
	}{
		"both costs of one pod": {[]*eviction.Record{pod("db", ready, plan.Down, plan.Data)},
			"shop/db lost the data of its local volumes; shop/db was down for 11s"},
		"still down":            {[]*eviction.Record{pod("db", nil, plan.Down)}, "shop/db left, and its workload is down"},
		"its replacement first": {[]*eviction.Record{pod("web", surged, plan.Down)}, ""},
		"it landed":             {[]*eviction.Record{pod("web", ready, plan.Nowhere)}, ""},
		"it did not":            {[]*eviction.Record{pod("web", nil, plan.Nowhere)}, "shop/web has no replacement"},
		"several":               {[]*eviction.Record{pod("a", nil, plan.Lost), pod("b", nil, plan.Lost)}, "shop/a and shop/b are not recreated"},
		"still there":           {[]*eviction.Record{pod("db", func(p *eviction.Record) { p.State = eviction.Terminating }, plan.Data)}, ""},
	} {
		s := &drain.State{Pods: c.pods}
		if got := strings.Join(costsOf(s), "; "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := CostsOf(pod("db", ready, plan.Down, plan.Data)); !slices.Equal(got, []plan.EffectKind{plan.Data}) {
		t.Errorf("what still costs: %v", got)
	}
}
