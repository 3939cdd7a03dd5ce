package nodes

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/drain/verdict"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// preview is what a drain of one node would do.
type preview struct {
	Plan plan.Node
	// Assumed reports whether Plan is made as if the usual flags were accepted.
	Assumed          bool
	LastControlPlane bool
	// Costs are from the whole plan of the node, nil until it was made.
	Costs  *costs
	Counts verdict.Counts // of Plan, with what Costs tells of its pods
}

// costs are what only the whole plan of a node tells.
type costs struct {
	Pods     map[kube.UID]plan.Pod
	Findings []plan.Finding // all but those that merely inform
}

// makePreview puts a preview together.
func makePreview(s *kube.Snapshot, n *kube.Node, o plan.Options, previews *plan.Previews) preview {
	p := preview{LastControlPlane: len(checklist.LastControlPlane(s, n.Name)) > 0}
	p.Plan, p.Assumed = previews.Assume(n.Name, o)
	p.Counts = verdict.OfNode(&p.Plan)
	return p
}

// makeCosts makes the whole plan of the node of a preview. Nothing is claimed where
// it cannot be made.
func makeCosts(s *kube.Snapshot, p preview, o plan.Options, now time.Time) *costs {
	if p.Assumed {
		o = o.WithUsual()
	}
	planned, err := plan.New(s, []string{p.Plan.Name}, o, now)
	if err != nil {
		return nil
	}
	c := &costs{map[kube.UID]plan.Pod{}, plan.Costs(preflight.Check(s, planned, preflight.Env{Now: now}).Findings)}
	for _, pod := range planned.Nodes[0].Pods {
		c.Pods[pod.UID] = pod
	}
	return c
}

// with is the preview with the costs of the node: its pods land where the whole plan
// said last.
func (p preview) with(c *costs) preview {
	if p.Costs = c; c == nil {
		return p
	}
	for i := range p.Plan.Pods {
		pod := &p.Plan.Pods[i]
		if of, ok := c.Pods[pod.UID]; ok {
			pod.Landing, pod.Pinned, pod.NotRemade, pod.Retried = of.Landing, of.Pinned, of.NotRemade, of.Retried
		}
	}
	p.Counts = verdict.OfNode(&p.Plan)
	return p
}

// good reports whether nothing speaks against a drain of the node.
func (p *preview) good() bool {
	return p.Counts.Level() == plan.LevelInfo && (p.Costs == nil || len(p.Costs.Findings) == 0)
}
