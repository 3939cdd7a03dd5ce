package process

import (
	"errors"
	"strings"
	"testing"
)

// A command runs only where that is seen, and has ended only where nothing else is possible.
func TestJudge(t *testing.T) {
	here := Group{Host: "a", Boot: "b1", Space: "s1"}
	of := func(change func(g *Group)) Group {
		g := Group{ID: 7, Began: "100", Host: "a", Boot: "b1", Space: "s1"}
		change(&g)
		return g
	}
	same := of(func(*Group) {})
	first, child := Member{ID: 7, Began: "100"}, Member{ID: 9, Began: "105"}
	zombie := Member{ID: 7, Began: "100", Ended: true}
	for name, c := range map[string]struct {
		group   Group
		members []Member
		err     error
		want    Life
		why     string
	}{
		"it runs":                       {same, []Member{first, child}, nil, Runs, ""},
		"what it started runs":          {same, []Member{child}, nil, Runs, ""},
		"what it started, it a zombie":  {same, []Member{zombie, child}, nil, Runs, ""},
		"nothing is left":               {same, nil, nil, Ended, ""},
		"only a zombie":                 {same, []Member{zombie}, nil, Ended, ""},
		"its id was given again":        {same, []Member{{ID: 7, Began: "900"}, child}, nil, Ended, ""},
		"the host has booted since":     {of(func(g *Group) { g.Boot = "b0" }), []Member{first}, nil, Ended, ""},
		"another host":                  {of(func(g *Group) { g.Host = "z" }), nil, nil, Unknown, "host z"},
		"another host, another boot":    {of(func(g *Group) { g.Host, g.Boot = "z", "b0" }), nil, nil, Unknown, "host z"},
		"another container":             {of(func(g *Group) { g.Space = "s2" }), nil, nil, Unknown, "container"},
		"a system without groups":       {Group{Host: "a"}, nil, nil, Unknown, "does not tell"},
		"a host that is not known":      {Group{}, nil, nil, Unknown, "host unknown"},
		"processes that cannot be read": {same, nil, errors.New("no /proc"), Unknown, "no /proc"},
	} {
		got := c.group.Judge(here, func(id int) ([]Member, error) {
			if id != c.group.ID {
				t.Errorf("%s: group %d is asked for", name, id)
			}
			return c.members, c.err
		})
		if got.Life != c.want || !strings.Contains(got.Why, c.why) || (got.Why == "") != (c.why == "") {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
}
