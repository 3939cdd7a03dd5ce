package wording

import (
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// The detail of a pod has the whole reason why its workload does not surge. The row cuts that.
func TestPlanPodSaysWhyItsWorkloadDoesNotSurge(t *testing.T) {
	for why, want := range map[string]string{
		"":                                      "",
		"Job report runs its pods to their end": " No replacement starts first: Job report runs its pods to their end.",
	} {
		p := plan.Pod{Owner: "Job/report", Grace: 30 * time.Second}
		p.NoSurge = why
		got := PlanPod(p, "", time.Time{}).String()
		if !strings.HasSuffix(got, "it belongs to Job/report."+want) {
			t.Errorf("NoSurge %q: %q", why, got)
		}
	}
}
