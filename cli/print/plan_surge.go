package print

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
)

// surgeJSON is a workload whose pods move, with --surge.
type surgeJSON struct {
	Workload string `json:"workload"` // Kind/namespace/name
	Pods     int    `json:"pods"`     // that move
	AtOnce   int32  `json:"atOnce"`   // replicas more at a time, 0 if its pods are evicted as usual
	// What they request meanwhile, in millicores and bytes.
	CPUMilli    int64         `json:"extraCPUMilli"`
	MemoryBytes int64         `json:"extraMemoryBytes"`
	Not         *surge.Reason `json:"reason"` // why they are evicted as usual, or what the surge waits for, else null
}

func projectSurges(plan plan.Plan) []surgeJSON {
	var all []surgeJSON
	for _, s := range plan.Surges {
		all = append(all, surgeJSON{Workload: s.Kind + "/" + s.Namespace + "/" + s.Name, Pods: s.Pods, AtOnce: s.AtOnce,
			CPUMilli: s.Extra.CPUMilli, MemoryBytes: s.Extra.MemoryBytes, Not: s.Not})
	}
	return all
}

// surges prints the workloads that surge and what their replacements request, and counts the others. The row of a pod
// has the reason why its workload does not surge.
func (t planText) surges(p plan.Plan) {
	if len(p.Surges) == 0 {
		return
	}
	t.line("")
	t.line("%s", t.style.In(Bold, "Replacements first (--surge="+string(p.Options.Surge)+")"))
	asUsual := 0
	for _, s := range p.Surges {
		if !s.Not.Passes() {
			asUsual++
			continue
		}
		pods := format.Count(s.Pods, "pod")
		t.line("  %s: %s, %d more at a time%s%s", s.Title(), pods, s.AtOnce, extra(&s), waitsFor(&s))
	}
	if asUsual > 0 {
		t.line("  no surge for %s: pods %s", format.Count(asUsual, "workload"), plan.AsUsual)
	}
}

// waitsFor says what has to be over before.
func waitsFor(s *plan.Surge) string {
	if s.Not == nil {
		return ""
	}
	return "; waits for this to pass: " + s.Not.Text
}

// extra says what the replacements request beside the pods that they replace.
func extra(s *plan.Surge) string {
	if s.Extra.CPUMilli == 0 && s.Extra.MemoryBytes == 0 {
		return ""
	}
	return fmt.Sprintf(", which request CPU %s and memory %s meanwhile",
		resource.NewMilliQuantity(s.Extra.CPUMilli, resource.DecimalSI),
		resource.NewQuantity(s.Extra.MemoryBytes, resource.BinarySI))
}
