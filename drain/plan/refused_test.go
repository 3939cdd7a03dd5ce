package plan

import (
	"reflect"
	"testing"
)

func TestRefusedNodes(t *testing.T) {
	refuse := func(name string, messages ...string) Pod {
		p := Pod{Namespace: "shop", Name: name, Action: ActionRefuse}
		for _, m := range messages {
			p.Reasons = append(p.Reasons, Reason{Level: LevelError, Message: m})
		}
		return p
	}
	nodes := []Node{
		{Name: "free", Pods: []Pod{{Name: "a", Action: ActionEvict}}},
		{Name: "one", Pods: []Pod{refuse("b", emptyDirError), refuse("c", emptyDirError)}},
		{Name: "several", Pods: []Pod{refuse("d", unmanagedError, emptyDirError)}},
	}
	one := RefusedNode{Node: "one", Why: "cannot delete " + emptyDirError + ": shop/b, shop/c"}
	several := RefusedNode{Node: "several", Why: "[cannot delete " + unmanagedError + ": shop/d, cannot delete " + emptyDirError + ": shop/d]"}
	along := RefusedNode{Node: "free", Why: "node one is refused and --all-or-nothing is set", Along: true}
	for _, row := range []struct {
		name string
		plan Plan
		want []RefusedNode
		open int
	}{
		{"none", Plan{Nodes: nodes[:1]}, nil, 1},
		{"some", Plan{Nodes: nodes}, []RefusedNode{one, several}, 1},
		{"none, and all or nothing", Plan{Nodes: nodes[:1], Options: Options{AllOrNothing: true}}, nil, 1},
		{"all or nothing", Plan{Nodes: nodes, Options: Options{AllOrNothing: true}}, []RefusedNode{along, one, several}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := row.plan.Refused(); !reflect.DeepEqual(got, row.want) {
				t.Errorf("%+v, want %+v", got, row.want)
			}
			if got := len(row.plan.Open().Nodes); got != row.open {
				t.Errorf("%d nodes are open, want %d", got, row.open)
			}
		})
	}
}

func TestWantsUsual(t *testing.T) {
	node := func(action Action, codes ...ReasonCode) Node {
		p := Pod{Action: action}
		for _, c := range codes {
			p.Reasons = append(p.Reasons, Reason{Code: c, Level: LevelError})
		}
		return Node{Pods: []Pod{p}}
	}
	warned := node(ActionEvict, ReasonEmptyDir)
	warned.Pods[0].Reasons[0].Level = LevelWarning
	for name, row := range map[string]struct {
		nodes []Node
		want  bool
	}{
		"no node":                         {nil, false},
		"no pod":                          {[]Node{{}}, false},
		"a pod that leaves":               {[]Node{node(ActionEvict)}, false},
		"a DaemonSet":                     {[]Node{node(ActionRefuse, ReasonDaemonSet)}, true},
		"local data":                      {[]Node{node(ActionRefuse, ReasonEmptyDir)}, true},
		"local data, admitted":            {[]Node{warned}, false},
		"no controller":                   {[]Node{node(ActionRefuse, ReasonUnmanaged)}, false},
		"no controller, and local data":   {[]Node{node(ActionRefuse, ReasonUnmanaged, ReasonEmptyDir)}, true},
		"the first for another reason":    {[]Node{node(ActionRefuse, ReasonUnmanaged), node(ActionRefuse, ReasonDaemonSet)}, true},
		"a DaemonSet that stays in place": {[]Node{node(ActionSkip, ReasonDaemonSet)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := WantsUsual(row.nodes...); got != row.want {
				t.Errorf("%v", got)
			}
		})
	}
}
