package drain

import "testing"

// Several nodes are never drained on a plain yes, also where the connection has no
// context that could be typed.
func TestSeveralNodesNeedATypedConfirmation(t *testing.T) {
	nodes := func(states ...NodeState) (list []*NodeRun) {
		for i, state := range states {
			list = append(list, &NodeRun{NodeFacts: NodeFacts{Name: string(rune('a' + i))}, State: state})
		}
		return list
	}
	for _, c := range []struct {
		context string
		nodes   []*NodeRun
		want    string
	}{
		{"prod", nodes(NodeCordoned), "a"},
		{"", nodes(NodeCordoned), "a"},
		{"prod", nodes(NodeCordoned, NodeCordoned), "prod"},
		{"", nodes(NodeCordoned, NodeCordoned, NodeCordoned), "drain 3 nodes"},
		{"", nodes(NodeCordoned, NodeRefused), "drain 1 node"},
	} {
		st := &stepper{s: &State{Run: RunFacts{Context: c.context}, Nodes: c.nodes}}
		if got := st.evictWord(); got != c.want {
			t.Errorf("%q, %d nodes: %q, want %q", c.context, len(c.nodes), got, c.want)
		}
	}
}
