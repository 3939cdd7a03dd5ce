package checklist

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestACordonLeavesASchedulableNode(t *testing.T) {
	for name, c := range map[string]struct {
		other runtime.Object
		want  bool
	}{
		"a Ready node":    {kubetest.Node("w2"), true},
		"a cordoned node": {kubetest.Node("w2", cordoned), false},
		"an unready node": {kubetest.Node("w2", unready), false},
		"a named node":    {kubetest.Node("w1"), false},
	} {
		t.Run(name, func(t *testing.T) {
			s := kubetest.SnapshotOf(kubetest.Now, kubetest.Node("w1"), c.other)
			if got := LeavesSchedulable(s, []string{"w1"}); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
