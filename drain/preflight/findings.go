package preflight

import (
	"cmp"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Env is what the findings of a plan need to know beside the cluster and the plan.
type Env struct {
	Now time.Time
	// Run is the run that the plan is of, "" before there is one: its own Leases hold
	// nothing.
	Run       string
	Self      Self
	Access    Access
	Leftovers []tempbudget.Leftover
	// InBatches tells that the plan is of a roll, which drains its nodes in batches.
	InBatches bool
	// ReadOnly leaves out the commands that remove something.
	ReadOnly bool
}

// finder finds something that the operator should know of a plan.
type finder func(s *kube.Snapshot, p *plan.Plan, env *Env) []plan.Finding

// finders are asked in this order; of findings of one level the first come first.
var finders = []finder{
	findAccess, findExcluded, findDrainRules, findLastPods, findSelf, findLastControlPlane, findHeld, findUnseenKinds,
	findOtherDrainers, findSilentNodes,
	findOutOfOrder, findNotRemade, findOutages, findNoSurge, findUnserved, findExceeded, findPinned, findUnseenVolumes,
	findTolerant, findEmptyDirData, findNodeFiles, findUnknownVolumes, findCordoned, findUnguarded, findUnforeseen,
	findNoRoom, findPreempts, findLeftovers,
}

// Check is the plan with all that the operator should know of it, the gravest first.
// The node of this program's own pod and that of its API server go last. With
// --fail-on-blockers nodes are refused by what was found.
func Check(s *kube.Snapshot, planned plan.Plan, env Env) plan.Plan {
	planned = selfLast(s, planned, env.Self)
	planned.Findings = nil
	for _, find := range finders {
		planned.Findings = append(planned.Findings, find(s, &planned, &env)...)
	}
	rank := map[plan.Level]int{plan.LevelError: 0, plan.LevelWarning: 1, plan.LevelInfo: 2}
	slices.SortStableFunc(planned.Findings, func(a, b plan.Finding) int {
		return cmp.Compare(rank[a.Level], rank[b.Level])
	})
	return plan.RefuseBlockers(planned)
}

func eachMoved(s *kube.Snapshot, p *plan.Plan, do func(*kube.Pod)) {
	for i := range p.Nodes {
		for k := range p.Nodes[i].Pods {
			if pod := s.Pod(p.Nodes[i].Pods[k].UID); pod != nil && p.Nodes[i].Pods[k].Moves() {
				do(pod)
			}
		}
	}
}

// group gathers objects of one finding, each once.
type group struct {
	seen    map[string]struct{}
	objects []string
	names   []string
}

func (g *group) add(kind, namespace, name string) { g.note("", kind, namespace, name) }

// note is add with something to say about the object.
func (g *group) note(about, kind, namespace, name string) {
	object, named := kind+"/"+namespace+"/"+name, kind+" "+namespace+"/"+name
	if namespace == "" {
		object, named = kind+"/"+name, kind+" "+name
	}
	if _, ok := g.seen[object]; ok {
		return
	}
	if g.seen == nil {
		g.seen = make(map[string]struct{})
	}
	g.seen[object] = struct{}{}
	g.objects = append(g.objects, object)
	if about != "" {
		named += " (" + about + ")"
	}
	g.names = append(g.names, named)
}

func (g *group) finding(code string, level plan.Level, text string) []plan.Finding {
	if len(g.objects) == 0 {
		return nil
	}
	text += format.List(g.names, format.NamesShown)
	return []plan.Finding{{Code: code, Level: level, Message: text, Objects: g.objects}}
}

func nodeObjects(names []string) []string {
	objects := make([]string, len(names))
	for i, name := range names {
		objects[i] = "Node/" + name
	}
	return objects
}
