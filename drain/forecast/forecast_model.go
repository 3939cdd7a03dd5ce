package forecast

import (
	"net/http"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// elsewhere is where replacements are put: on no node of a plan.
const elsewhere = "(elsewhere)"

// newModel is the cluster of the snapshot as far as the plan touches it: its
// nodes, the pods that move and the budgets over them. All other pods are only
// counted, in the budgets' numbers.
func newModel(s *kube.Snapshot, planned plan.Plan, now time.Time) *model {
	m := &model{
		s: s, plan: playable(planned), began: now, now: now,
		pods: map[kube.UID]*modelPod{}, budgets: map[kube.UID]*modelBudget{}, guards: map[kube.UID]*modelGuard{}, starts: map[kube.UID]time.Duration{},
		going: map[string]int{}, spans: map[string]*plan.NodeSpan{},
	}
	m.store = kube.NewStore(func() time.Time { return now })
	m.store.SetHealth(kube.Health{Live: true, LastContact: now, Offset: s.Health().Offset})
	for _, k := range kube.Kinds {
		m.store.SetSync(k, kube.SyncState{Phase: kube.Synced})
	}
	for i := range m.plan.Nodes {
		n := &m.plan.Nodes[i]
		if node := s.Node(n.Name); node != nil {
			record := *node
			m.store.Put(&record)
		}
		for k := range n.Pods {
			m.addBudgets(&n.Pods[k])
		}
	}
	for i := range m.plan.Nodes {
		for k := range m.plan.Nodes[i].Pods {
			m.addPod(&m.plan.Nodes[i].Pods[k])
		}
	}
	if m.plan.Options.Guard != "" {
		plan.EachMove(m.plan, m.addGuard)
	}
	m.addSurges()
	m.state = drain.Simulated(m.plan, now)
	return m
}

// playable is the plan as the model plays it: with the pods that move (or refuse a
// node), and answers that take no time.
func playable(planned plan.Plan) plan.Plan {
	o := planned.Options
	o.LeaseNamespace = "" // who else is at work is not forecast
	// Temporary budgets in the cluster allow what the guard would.
	o.MaxParallelEvictions, o.DryRun, o.GuardWrite, o.WaitJobs = 1<<20, plan.DryRunNone, false, false
	o.WaitReplacements = 0 // their owners' start times are in the budgets; the wait after the last pod is not forecast
	reduced := plan.Plan{Options: o, Nodes: make([]plan.Node, len(planned.Nodes)), Surges: planned.Surges}
	for i, n := range planned.Nodes {
		reduced.Nodes[i] = n
		reduced.Nodes[i].Pods = make([]plan.Pod, 0, len(n.Pods))
		for _, p := range n.Pods {
			if p.Action != plan.ActionSkip {
				reduced.Nodes[i].Pods = append(reduced.Nodes[i].Pods, p)
			}
		}
	}
	return reduced
}

// addBudgets takes the budgets over a pod into the model. They come before the
// pods that they select: a store asks each pod once which they are.
func (m *model) addBudgets(plan *plan.Pod) {
	live := m.s.Pod(plan.UID)
	if live == nil || !plan.Moves() {
		return
	}
	for _, b := range m.s.BudgetsOf(live) {
		m.budget(b)
	}
}

func (m *model) addPod(plan *plan.Pod) {
	live := m.s.Pod(plan.UID)
	if live == nil || !plan.Moves() {
		return
	}
	record := *live
	m.store.Put(&record)
	p := &modelPod{plan: plan, live: &record}
	m.pods[plan.UID] = p
	m.addVolumes(&record)
	for _, b := range m.s.BudgetsOf(live) {
		p.budget = m.budgets[b.UID]
	}
	if live.Terminating() {
		p.evicted, p.wave = true, 1
		m.goes(p, live.Deleted.Sub(m.s.ServerTime(m.now)))
	}
}

// budget takes a budget into the model, with what is going to happen under it
// anyway: pods that are on their way out or in.
func (m *model) budget(b *kube.Budget) *modelBudget {
	if known := m.budgets[b.UID]; known != nil {
		return known
	}
	mb := &modelBudget{healthy: b.CurrentHealthy}
	m.budgets[b.UID] = mb
	m.putBudget(mb, *b)
	if !b.Observed() {
		m.later(time.Second, func() {
			seen := *mb.record
			seen.ObservedGeneration = seen.Generation
			m.putBudget(mb, seen)
		})
	}
	if b.DisruptionsAllowed > 0 {
		return mb
	}
	for _, sick := range budget.SickUnder(b, m.s, m.s.PodsUnder(b), m.s.ServerTime(m.now)) {
		m.addSick(mb, sick)
	}
	return mb
}

// addSick takes a pod into the model that holds those of a budget: how long it
// may decides when a node is held.
func (m *model) addSick(mb *modelBudget, sick budget.SickPod) {
	record := *sick.Pod
	m.store.Put(&record)
	if node := m.s.Node(record.Node); node != nil {
		there := *node
		m.store.Put(&there)
	}
	if in, comes := m.comesIn(sick); comes {
		m.later(in, func() { m.serves(mb, 1) })
	}
}

// comesIn reports when an unhealthy pod, or the one that replaces it, serves
// without anybody's help, if it does.
func (m *model) comesIn(sick budget.SickPod) (time.Duration, bool) {
	p, serverNow := sick.Pod, m.s.ServerTime(m.now)
	switch {
	case p.Owner == nil || sick.Silent || budget.Overdue(p, serverNow):
	case sick.Class == budget.SickLeaves && p.Terminating() && !madeAtOnce(p.Owner):
		return p.Deleted.Sub(serverNow) + m.startsIn(p.Owner), true
	case sick.Class == budget.SickLive && budget.Starting(sick, serverNow):
		return m.startsIn(p.Owner) - serverNow.Sub(p.Created), true
	}
	return 0, false
}

// putBudget writes a budget down under a new version.
func (m *model) putBudget(mb *modelBudget, b kube.Budget) {
	m.version++
	b.ResourceVersion = "m" + strconv.Itoa(m.version)
	mb.record, m.stirred = &b, true
	m.store.Put(&b)
}

// serves counts pods in or out, as the disruption controller does.
func (m *model) serves(mb *modelBudget, change int32) {
	mb.healthy += change
	b := *mb.record
	b.CurrentHealthy = mb.healthy
	b.DisruptionsAllowed = max(mb.healthy-b.DesiredHealthy, 0)
	m.putBudget(mb, b)
}

func (m *model) startsIn(owner *kube.Owner) time.Duration {
	took, known := m.starts[owner.UID]
	if !known {
		took = starts(m.s, owner.UID)
		m.starts[owner.UID] = took
	}
	return took
}

// perform answers a write of the run as the server would.
func (m *model) perform(w drain.Write) kube.Answer {
	switch r := w.Request.(type) {
	case request.Cordon:
		if node := m.store.Snapshot().Node(w.Node); node != nil {
			record := *node
			m.version++
			record.Unschedulable, record.ResourceVersion = true, "m"+strconv.Itoa(m.version)
			record.Cordon = &kube.Cordon{Mark: r.Mark}
			m.store.Put(&record)
		}
	case request.Raise:
		return m.raise(r)
	case request.SetCost:
		return m.setCost(r)
	case request.Lower:
		return m.lower(r)
	case request.Evict:
		return m.evict(m.pods[r.UID], false)
	case request.Delete:
		return m.evict(m.pods[r.UID], true)
	}
	return kube.Answer{Code: http.StatusOK}
}

func (m *model) evict(p *modelPod, past bool) kube.Answer {
	if p == nil || p.evicted {
		return kube.Answer{Code: http.StatusNotFound}
	}
	predicted := budget.Predict(p.live, m.store.Snapshot().BudgetsOf(p.live), p.live.UID)
	if !predicted.Goes() && !past {
		return refusalOf(predicted)
	}
	p.evicted, p.wave = true, 1+m.before(p)
	if m.spans[p.plan.Node] == nil {
		m.spans[p.plan.Node] = &plan.NodeSpan{Node: p.plan.Node, From: m.now.Sub(m.began)}
	}
	switch {
	case p.budget != nil && predicted.Way == budget.WaySpends:
		p.wave = max(p.wave, 1+p.budget.back)
	case p.guard != nil:
		p.wave = max(p.wave, 1+p.guard.back)
	}
	m.ends(p)
	if madeAtOnce(p.live.Owner) {
		m.remake(p)
	}
	return kube.Answer{Code: http.StatusCreated}
}

// before is the last wave of the pods that have to leave the node of a pod first, 0 for none.
func (m *model) before(p *modelPod) (wave int) {
	if !p.plan.Later {
		return 0
	}
	for _, other := range m.pods {
		if other.plan.Node == p.plan.Node && other.plan.Turn() < p.plan.Turn() {
			wave = max(wave, other.wave)
		}
	}
	return wave
}

// ends begins the grace of a pod.
func (m *model) ends(p *modelPod) {
	going := *p.live
	serverNow := m.s.ServerTime(m.now)
	going.Deleted, going.DeletionGrace = serverNow.Add(p.plan.Grace), int64(p.plan.Grace/time.Second)
	m.store.Put(&going)
	if p.budget != nil && p.live.Ready && !budget.IgnoresBudgets(p.live) {
		m.serves(p.budget, -1)
	}
	m.goes(p, endsIn(p.plan.Grace))
}

// goes lets a pod end, and its owner make up for it.
func (m *model) goes(p *modelPod, after time.Duration) {
	if p.plan.Stuck != "" {
		p.wave = 0 // accepted, but nothing ends it
		return
	}
	m.going[p.plan.Node]++
	m.later(after, func() {
		m.store.Remove(&kube.Pod{UID: p.plan.UID})
		m.leaves(p)
		m.detach(p)
		// That a pod is gone lets nothing go by itself but the next node (when it
		// was the last, or those that are left are held), the next tier or order and the next
		// volume.
		m.going[p.plan.Node]--
		m.stirred = m.stirred || m.going[p.plan.Node] == 0 || p.plan.Volumes || m.plan.Options.Order != ""
		if !madeAtOnce(p.live.Owner) && !p.live.Terminating() {
			m.remake(p)
		}
	})
}

// madeAtOnce tells of owners that make up for a pod as soon as it is told to end
// (replica_set.go syncReplicaSet counts no terminating pods); a StatefulSet waits
// for its name to be free. Those of other kinds are taken to wait as well.
func madeAtOnce(owner *kube.Owner) bool {
	return owner != nil && (owner.Kind == "ReplicaSet" || owner.Kind == "ReplicationController")
}

// remake has the owner of a pod that goes make another. What is unhealthy is taken to
// be so elsewhere too, and what finds no room to wait for it.
func (m *model) remake(p *modelPod) {
	roomless := p.plan.Landing != nil && p.plan.Landing.Together.Answer == landing.DoesNotFit
	if p.live.Owner != nil && p.plan.NotRemade == "" && p.live.Ready && !roomless {
		m.later(m.startsIn(p.live.Owner), func() { m.replace(p) })
	}
}

// replace puts a Ready pod elsewhere.
func (m *model) replace(p *modelPod) {
	m.putReady(p.live)
	p.back = true
	if p.budget != nil {
		p.budget.back = max(p.budget.back, p.wave)
		m.serves(p.budget, 1)
	}
	if p.guard != nil {
		p.guard.back = max(p.guard.back, p.wave)
		m.stirred = true
	}
}

// putReady puts a Ready pod like another elsewhere.
func (m *model) putReady(like *kube.Pod) {
	record := *like
	m.version++
	record.UID, record.Name = kube.UID("m"+strconv.Itoa(m.version)), like.Name+"-replacement"
	record.Node, record.Created, record.ReadySince = elsewhere, m.s.ServerTime(m.now), m.s.ServerTime(m.now)
	record.Phase, record.Ready, record.Deleted, record.Finalizers = corev1.PodRunning, true, time.Time{}, nil
	m.store.Put(&record)
}

// refusalOf is the refusal as a server words it, as far as Interpret reads it.
func refusalOf(p budget.Prediction) kube.Answer {
	a := kube.Answer{Code: p.Code}
	switch p.Cause {
	case budget.CauseBudget, budget.CauseNotObserved:
		a.Causes = []kube.Cause{{Type: string(policyv1.DisruptionBudgetCause)}}
	case budget.CauseMultiple:
		a.Message = "This pod has more than one PodDisruptionBudget"
	}
	if p.Cause == budget.CauseNotObserved {
		a.RetryAfter = time.Second
	}
	return a
}
