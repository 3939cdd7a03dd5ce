package drain

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// --exclude-from-lb on a node that somebody else has cordoned notes in their mark what it
// adds, and changes nothing else of it; a rollback takes back just that.
func TestTheMarkOfSomebodyElseStaysTheirs(t *testing.T) {
	theirs := annotation.Mark{By: "eve", Reason: "disk", At: time.Unix(1e9, 0).UTC(), Was: "schedulable"}
	for name, c := range map[string]struct {
		mark string
		want annotation.Mark
	}{
		"an operator's": {theirs.String(), annotation.Mark{By: "eve", Reason: "disk", At: theirs.At, Was: "schedulable", ExcludedFromLB: true, ExcludedBy: "r1"}},
		"kubectl's":     {"", annotation.Mark{Run: "r1", By: "ada", Was: "unschedulable", ExcludedFromLB: true}},
		"our own":       {annotation.Mark{Run: "r1", Was: "schedulable"}.String(), annotation.Mark{Run: "r1", By: "ada", Was: "schedulable", ExcludedFromLB: true}},
	} {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.SetNode("a", func(n *corev1.Node) {
			n.Spec.Unschedulable, n.Annotations = true, map[string]string{kube.CordonAnnotation: c.mark}
		})
		mark := annotation.ForNode(s.Snapshot().Node("a"), annotation.Mark{Run: "r1", By: "ada", Was: "schedulable", ExcludedFromLB: true}, false, true)
		if mark.Run == "r1" {
			mark.At = time.Time{}
		}
		if mark != c.want {
			t.Errorf("%s: %+v, want %+v", name, mark, c.want)
		}
		s.SetNode("a", func(n *corev1.Node) {
			n.Annotations[kube.CordonAnnotation] = mark.String()
			kubetest.ExcludeFromLB(n, kube.FieldManager, "")
		})
		u, _, _ := annotation.Undo("a", "node-a", "r1", s.Snapshot().Node("a"))
		if name == "an operator's" && (u == nil || !u.Unschedulable || u.Mark != c.mark || *u.ExcludeFromLB) {
			t.Errorf("%s: rollback %+v", name, u)
		}
	}
}

// A node that kubectl uncordon made schedulable keeps annotation and label: the next run takes the label over.
func TestTheNextAnnotationKeepsTheLabelOfAnUncordonedNode(t *testing.T) {
	s := kubetest.NewSimulation()
	s.AddNode("a")
	for value, kept := range map[string]bool{"": true, "edge": false} {
		s.SetNode("a", func(n *corev1.Node) {
			n.Annotations = map[string]string{kube.CordonAnnotation: annotation.Mark{Run: "r1", Was: "schedulable", ExcludedFromLB: true}.String()}
			n.ManagedFields = nil
			kubetest.ExcludeFromLB(n, kube.FieldManager, value)
		})
		mark := annotation.ForNode(s.Snapshot().Node("a"), annotation.Mark{Run: "r2", Was: "schedulable"}, false, false)
		if mark.ExcludedFromLB != kept {
			t.Errorf("label %q: %+v", value, mark)
		}
	}
}

// A drain that takes over the cordon of another run says so before, and its rollback says
// whose cordon it takes back.
func TestAnAdoptedCordonIsSaid(t *testing.T) {
	s := kubetest.NewSimulation()
	s.AddNode("a")
	cordoned := func(mark annotation.Mark) {
		s.SetNode("a", func(n *corev1.Node) {
			n.Spec.Unschedulable, n.Annotations = true, map[string]string{kube.CordonAnnotation: mark.String()}
			n.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: kube.FieldManager, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:unschedulable":{}}}`)}}
		})
	}
	for run, level := range map[string]plan.Level{"r0": plan.LevelWarning, "": plan.LevelInfo} { // an operator's own cordon is left to them
		cordoned(annotation.Mark{Run: run, By: "eve", Was: "schedulable"})
		planned, err := plan.New(s.Snapshot(), []string{"a"}, plan.DefaultOptions(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		planned = preflight.Check(s.Snapshot(), planned, preflight.Env{Now: time.Now()})
		i := slices.IndexFunc(planned.Findings, func(f plan.Finding) bool { return f.Code == preflight.FindingAlreadyCordoned })
		if i < 0 || planned.Findings[i].Level != level || strings.Contains(planned.Findings[i].Message, "its rollback") != (level == plan.LevelWarning) {
			t.Errorf("run %q: %+v", run, planned.Findings)
		}
	}
	cordoned(annotation.Mark{Run: "r1", By: "ada", Was: "schedulable", After: "r0", AfterBy: "eve"})
	u, what, _ := annotation.Undo("a", "node-a", "r1", s.Snapshot().Node("a"))
	if u == nil || what != "uncordon node a, cordoned before by run r0 of eve" {
		t.Errorf("%+v, %s", u, what)
	}
}
