package plan

import (
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/drainrule"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/selection"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// New is the preview of a drain of the nodes: what would happen to each of
// their pods, and in which wave. What the operator should know before is added by
// Check. It fails with an *selection.UnknownNodesError only.
func New(s *kube.Snapshot, nodes []string, o Options, now time.Time) (Plan, error) {
	return NewFor("", false, s, nodes, o, now)
}

// NewFor is New for a run that has begun, "" for none. The temporary budgets of the run
// itself say no more than its guard, by which its pods are judged as they were before: so
// what the run does changes nothing of what was confirmed. For the same reason the MachineDrainRules
// of the options are taken then; before a run they are those of the snapshot. With inBatches it is the plan of a roll:
// where pods land is not judged, as that holds only where all nodes are drained at a time.
func NewFor(run string, inBatches bool, s *kube.Snapshot, nodes []string, o Options, now time.Time) (Plan, error) {
	names, err := selection.Known(s, nodes)
	if err != nil {
		return Plan{}, err
	}
	p := planner{s: s, o: o, now: now, tracker: budget.NewTracker(s, now), advises: true}
	p.tracker.Advises, p.tracker.Own = true, run
	if run == "" || o.DrainRules == nil {
		p.o.DrainRules = drainrule.NewFinder(s).Of(names)
	}
	plan := Plan{TakenAt: s.At(), Options: o, Nodes: p.nodes(names), InBatches: inBatches}
	if plan.Options.DrainRules = nil; o.Honors(HonorClusterAPI) {
		plan.Options.DrainRules = p.o.DrainRules
	}
	p.pin(plan.Nodes)
	if !inBatches {
		p.land(&plan)
	}
	p.surge(&plan)
	return plan, nil
}

// planner makes the plan of some nodes from one snapshot.
type planner struct {
	s       *kube.Snapshot
	o       Options
	now     time.Time
	tracker *budget.Tracker
	advises bool          // also what would help
	pods    [][]*kube.Pod // by node, in the order of the plan

	taken   map[kube.UID]struct{} // the pods that the plan moves, once they are counted
	counted bool

	lastOwner     *kube.Owner
	lastNotRemade string
	lastRetried   bool
}

// nodes classifies all pods first: whether a pod is held for good depends on
// which others go too.
func (p *planner) nodes(names []string) []Node {
	plans := make([]Node, len(names))
	p.pods = make([][]*kube.Pod, len(names))
	for i, name := range names {
		plans[i].Name = name
		if n := p.s.Node(name); n != nil {
			plans[i].UID, plans[i].Ready, plans[i].Unschedulable = n.UID, n.Ready == kube.NodeReady, n.Unschedulable
		}
		p.pods[i] = p.s.PodsOn(name) // by namespace and name
		plans[i].Pods = make([]Pod, len(p.pods[i]))
		for k, pod := range p.pods[i] {
			plans[i].Pods[k] = p.pod(pod)
		}
	}
	waves := waves{}
	planned := func(uid kube.UID) bool { return p.planned(plans, uid) }
	for i := range plans {
		room := make([]budget.Judgement, len(plans[i].Pods))
		for k := range plans[i].Pods {
			p.judge(&plans[i].Pods[k], p.pods[i][k], &room[k], planned, waves)
			if p.advises {
				p.advise(&plans[i].Pods[k], p.pods[i][k])
			}
		}
		inOrder(plans[i].Pods)
	}
	p.findDowntime(plans)
	return plans
}

func (p *planner) pod(pod *kube.Pod) Pod {
	d := classify(pod, p.s, &p.o, p.now)
	plan := Pod{
		Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, Node: pod.Node, Owner: ownerName(pod.Owner), Controller: pod.Owner,
		Action: d.Action, Reasons: d.Reasons, Order: d.Order, Volumes: volume.HasClaims(pod),
		Ephemeral: volume.HasEphemeral(pod),
		Grace:     time.Duration(pod.Spec.GraceSeconds) * time.Second,
	}
	if p.o.GracePeriodSeconds >= 0 {
		plan.Grace = time.Duration(p.o.GracePeriodSeconds) * time.Second
	}
	if p.advises && plan.Moves() {
		plan.NotRemade, plan.Retried = p.notRemade(pod)
	}
	if plan.Moves() && p.o.SkipWaitForDelete == 0 { // else such pods are left behind
		plan.Stuck = p.stuck(pod, plan.Grace)
	}
	return plan
}

// stuck says why nothing removes the pod from its node once it is told to end, "" where that is not
// so. The API server itself removes a pod without grace (k8s.io/kubernetes
// pkg/registry/core/pod/strategy.go CheckGracefulDelete), and its garbage collector those of nodes
// that are tainted as out of service.
func (p *planner) stuck(pod *kube.Pod, grace time.Duration) string {
	serverNow := p.s.ServerTime(p.now)
	if budget.Overdue(pod, serverNow) {
		return "finalizer " + strings.Join(pod.Finalizers, ", ") + ", its grace period ended " +
			format.Since(serverNow, pod.Deleted) + " ago"
	}
	node := p.s.Node(pod.Node)
	if node == nil || node.Ready != kube.NodeUnknown || node.OutOfService() ||
		!pod.Terminating() && (grace == 0 || pod.Finished()) {
		return ""
	}
	if node.ReadySince.IsZero() {
		return "the kubelet of " + node.Name + " is silent"
	}
	return "the kubelet of " + node.Name + " is silent for " + format.Since(serverNow, node.ReadySince)
}

func ownerName(o *kube.Owner) string {
	if o == nil {
		return ""
	}
	return o.Kind + "/" + o.Name
}

func (p *Pod) Moves() bool { return p.Action == ActionEvict || p.Action == ActionDelete }

// judge fills in what the budgets say, in the room given, and the wave.
func (p *planner) judge(plan *Pod, pod *kube.Pod, room *budget.Judgement, planned func(kube.UID) bool, w waves) {
	switch plan.Action {
	case ActionEvict:
		j, b := p.tracker.Judge(pod, planned)
		if g := p.tracker.Guarded(p.o.Guard, pod, &j, planned); g != nil {
			plan.Wave = w.inTurn(g)
		} else {
			plan.Wave = w.next(p.tracker, &j, b)
		}
		*room = j
		plan.Budget = room
	case ActionDelete:
		*room = p.tracker.Unasked(pod)
		plan.Budget, plan.Wave = room, 1
	case ActionRefuse: // what its budgets would say if it were not refused
		*room, _ = p.tracker.Judge(pod, planned)
		plan.Budget = room
	case ActionSkip:
	}
}

// planned reports whether the plan moves the pod. The set is made when it is first
// asked for, which only blocked pods do.
func (p *planner) planned(all []Node, uid kube.UID) bool {
	if !p.counted {
		p.counted = true
		if p.taken == nil {
			p.taken = make(map[kube.UID]struct{})
		}
		for i := range all {
			for k := range all[i].Pods {
				if all[i].Pods[k].Moves() {
					p.taken[all[i].Pods[k].UID] = struct{}{}
				}
			}
		}
	}
	_, ok := p.taken[uid]
	return ok
}

// Previews are plans of single nodes of one snapshot, each as if it were drained
// alone, without findings and advice: cheap enough for all rows of a table. What
// has been worked out of a budget or an owner for one node serves the next, and
// under other options too. They are for one goroutine.
type Previews struct {
	s       *kube.Snapshot
	now     time.Time
	tracker *budget.Tracker
	rules   *drainrule.Finder
	taken   map[kube.UID]struct{} // room for the pods of one node
}

// NewPreviews are the previews of a snapshot.
func NewPreviews(s *kube.Snapshot, now time.Time) *Previews {
	return &Previews{s: s, now: now, tracker: budget.NewTracker(s, now), rules: drainrule.NewFinder(s),
		taken: map[kube.UID]struct{}{}}
}

// node is the plan of one node. One that does not exist has an empty plan.
func (v *Previews) node(name string, o Options) Node {
	clear(v.taken)
	names := []string{name}
	o.DrainRules = v.rules.Of(names)
	p := planner{s: v.s, o: o, now: v.now, tracker: v.tracker, taken: v.taken}
	return p.nodes(names)[0]
}
