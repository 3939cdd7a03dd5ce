package drain

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"pgregory.net/rapid"

	"github.com/kdrain-tui/kdrain-tui/drain/drainrule"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/clusterapi"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// actions are what can happen next.
func (h *history) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"look":            h.lookAround,
		"wait":            h.waitFor,
		"wake":            h.waitUntilWake,
		"watch":           h.watchSome,
		"server":          h.serveOne,
		"server again":    h.serveOne,
		"server fails":    h.failOne,
		"server fails so": h.failOne,
		"pod ends":        h.endPod,
		"pod ready":       h.podReady,
		"pod sick":        h.podSick,
		"controller":      h.controlSome,
		"controllers":     h.controlSome,
		"rollout":         h.rollout,
		"rollout undo":    h.rolloutUndo,
		"autoscaler":      h.rescale,
		"attach":          func(*rapid.T) { h.attach() },
		"list":            func(*rapid.T) { h.listApps() },
		"job":             func(*rapid.T) { h.endJobs() },
		"node":            h.changeNode,
		"disruptions":     h.someController,
		"budget":          h.changeBudget,
		"others evict":    h.othersEvict,
		"outage":          h.outage,
		"command":         h.someCommand,
		"remedy":          h.someRemedy,
		"process ends":    h.endProcess,
		"torn":            h.tear,
		"journal":         h.journalNews,
		"uncordon":        h.uncordon,
		"kubelet":         h.kubelet,
		"another's run":   h.othersLease,
		"another's surge": h.othersSurge,
		"late scheduler":  h.latePod,
		"":                h.judgeWorld,
	}
}

// oneOf draws one of the names, and skips the action where there is none.
func oneOf(t *rapid.T, what string, names []string) string {
	if len(names) == 0 {
		t.Skip("no " + what)
	}
	return rapid.SampledFrom(names).Draw(t, what)
}

func (h *history) waitFor(t *rapid.T) {
	h.catchUp()
	h.pass(rapid.SampledFrom([]time.Duration{time.Millisecond, 100 * time.Millisecond, time.Second, 12 * time.Second, 40 * time.Second}).Draw(t, "wait"))
	h.lookAround(t)
}

func (h *history) waitUntilWake(t *rapid.T) {
	if h.wake.IsZero() {
		t.Skip("it waits for no moment")
	}
	h.catchUp()
	h.pass(h.wake.Sub(h.now))
	h.lookAround(t)
}

func (h *history) watchSome(t *rapid.T) {
	if h.down || len(h.unseen) == 0 {
		t.Skip("nothing to see")
	}
	h.showNext(rapid.IntRange(1, len(h.unseen)).Draw(t, "changes"))
	if rapid.Bool().Draw(t, "budgets ahead") {
		h.showBudgets()
	}
	h.lookAround(t)
}

// serveOne lets the server do one request, or its answer arrive.
func (h *history) serveOne(t *rapid.T) {
	if len(h.requests) == 0 {
		t.Skip("no request is out")
	}
	h.serve(t, rapid.IntRange(0, len(h.requests)-1).Draw(t, "request"), "")
	if rapid.Bool().Draw(t, "look at once") {
		h.lookAround(t)
	}
}

// failOne lets one request fail: before it is done, or after.
func (h *history) failOne(t *rapid.T) {
	if len(h.requests) == 0 {
		t.Skip("no request is out")
	}
	i := rapid.IntRange(0, len(h.requests)-1).Draw(t, "request")
	failure := rapid.SampledFrom([]string{"EOF", "EOF", "EOF", "504", "refused", "503", "500", "401", "429 throttled", "409", "404 proxy"}).Draw(t, "failure")
	w := h.requests[i]
	if failure == "409" && (sends[request.Evict](w) || sends[request.Delete](w)) && w.Remedy != 0 {
		failure = "EOF"
	}
	if slices.Contains([]string{"EOF", "504", "500"}, failure) && rapid.Bool().Draw(t, "done all the same") && !h.down {
		h.carryOut(w)
	}
	h.serve(t, i, failure)
	h.lookAround(t)
}

// serve carries a request out, or lets it fail, and lets its answer arrive.
func (h *history) serve(t *rapid.T, i int, failure string) {
	r := h.requests[i]
	h.requests = append(h.requests[:i:i], h.requests[i+1:]...)
	var a kube.Answer
	switch {
	case h.down:
		a = h.answerOf("refused", r)
	case failure != "":
		a = h.answerOf(failure, r)
	default:
		a = h.carryOut(r)
	}
	t.Logf("answer #%d %d %s%s", r.ID, a.Code, a.Message, a.Failure)
	delete(h.out, r.ID)
	h.arrived = append(h.arrived, Answered{Write: r, Answer: a})
}

func terminating(p *corev1.Pod) bool { return p.DeletionTimestamp != nil }
func staying(p *corev1.Pod) bool     { return p.DeletionTimestamp == nil }

// active reports whether the controller of a pod counts it.
func active(p *corev1.Pod) bool { return staying(p) && p.Status.Phase != corev1.PodSucceeded }

func (h *history) endPod(t *rapid.T) {
	h.lines("pod " + oneOf(t, "terminating pod", alike(h.truth.pods, terminating)) + " gone")
}

func (h *history) podReady(t *rapid.T) {
	h.lines("pod " + oneOf(t, "sick pod", alike(h.truth.pods, func(p *corev1.Pod) bool { return active(p) && !kubetest.IsReady(p) })) + " ready")
}

func (h *history) podSick(t *rapid.T) {
	name := oneOf(t, "pod", alike(h.truth.pods, func(p *corev1.Pod) bool { return staying(p) && kubetest.IsReady(p) }))
	h.disturb(name)
	h.lines("pod " + name + " not-ready")
}

// disturbAll notes that somebody else changes what guards the pods.
func (h *history) disturbAll() {
	for _, a := range h.apps {
		a.disturbed = h.now
	}
}

// disturb notes that a pod is taken away from those that serve, and not by a controller.
func (h *history) disturb(pod string) {
	if a := h.app(appOf(pod)); a != nil {
		a.disturbed = h.now
	}
}

// endJobs lets pods that are to run to their end come to it.
func (h *history) endJobs() {
	for _, name := range alike(h.truth.pods, func(p *corev1.Pod) bool {
		return active(p) && p.Spec.NodeName != "w3" && (p.Labels["app"] == "job" || p.Labels["cluster.x-k8s.io/drain"] != "" || p.Labels["app"] == "app0" && h.runsToItsEnd())
	}) {
		h.disturb(name)
		h.lines("pod " + name + " finished")
	}
}

// runsToItsEnd reports whether a rule lets the pods of app0 run to their end.
func (h *history) runsToItsEnd() bool {
	rules := h.truth.store.Snapshot().DrainRules
	return rules != nil && slices.ContainsFunc(rules.Rules, func(r clusterapi.Rule) bool { return r.Behavior == drainrule.WaitCompleted })
}

// changeNode deletes a node, or replaces it by another of its name: its pods go with it.
func (h *history) changeNode(t *rapid.T) {
	if rapid.IntRange(0, 5).Draw(t, "really") > 0 {
		t.Skip("too early")
	}
	node := h.thereNode(t)
	h.lines("node " + node + " " + rapid.SampledFrom([]string{"deleted", "replaced"}).Draw(t, "change"))
	for _, name := range alike(h.truth.pods, func(p *corev1.Pod) bool { return p.Spec.NodeName == node }) {
		h.disturb(name)
		h.lines("pod " + name + " gone")
	}
}

// thereNode draws a node of the plan that exists.
func (h *history) thereNode(t *rapid.T) string {
	return oneOf(t, "node", alike(h.truth.nodes, func(n *corev1.Node) bool { return n.Name != "w3" }))
}

func (h *history) someController(t *rapid.T) {
	h.controlBudget(oneOf(t, "budget", alike(h.truth.budgets, func(*policyv1.PodDisruptionBudget) bool { return true })))
}

func (h *history) changeBudget(t *rapid.T) {
	name := "budget " + oneOf(t, "budget", []string{"app0", "app1", "second"})
	h.disturbAll()
	known := h.truth.budgets[name[7:]] != nil
	switch change := rapid.SampledFrom([]string{"gone", "needs=0", "needs=1", "needs=2 unobserved"}).Draw(t, "change"); {
	case change != "gone" && name == "budget second" && !known:
		h.lines(name + " of=app0 " + change)
	case change != "gone":
		h.lines(name + " " + change)
	case known:
		h.lines(name + " gone")
	}
}

// othersEvict is somebody else who evicts a pod under the same budgets.
func (h *history) othersEvict(t *rapid.T) {
	name := oneOf(t, "pod", alike(h.truth.pods, staying))
	p := h.truth.pods[name]
	ours, were := h.evicted[p.UID]
	h.disturb(name)
	h.evict(Write{Request: request.Evict{Namespace: "default", Name: name, UID: p.UID}})
	if delete(h.evicted, p.UID); were {
		h.evicted[p.UID] = ours
	}
}

func (h *history) outage(t *rapid.T) {
	if h.down {
		h.serverUp()
	} else {
		h.down = true
		h.server("down")
	}
	h.lookAround(t)
}

func (h *history) serverUp() {
	h.down = false
	h.showNext(len(h.unseen))
	h.server("up")
}

func (h *history) someCommand(t *rapid.T) {
	kind := rapid.SampledFrom([]CommandKind{CommandPause, CommandContinue, CommandContinue, CommandRetry, CommandSkip,
		CommandLast, CommandLeave, CommandAbort, CommandSuspend}).Draw(t, "command")
	if kind == CommandAbort && rapid.IntRange(0, 3).Draw(t, "really") > 0 {
		t.Skip("too early")
	}
	c := Command{Kind: kind, By: "ada"}
	if rapid.Bool().Draw(t, "by ctl") {
		h.controls++
		c.ID = h.controls
	}
	switch kind {
	case CommandRetry, CommandSkip, CommandLast:
		c.Pod = h.somePod(t).UID
		h.retried[c.Pod] = h.retried[c.Pod] || kind == CommandRetry
	case CommandLeave:
		c.Node = h.state.Nodes[rapid.IntRange(0, len(h.state.Nodes)-1).Draw(t, "node")].Name
	}
	h.arrived = append(h.arrived, c)
	h.lookAround(t)
}

func (h *history) somePod(t *rapid.T) *eviction.Record {
	if len(h.state.Pods) == 0 {
		t.Skip("no pod in the run")
	}
	return h.state.Pods[rapid.IntRange(0, len(h.state.Pods)-1).Draw(t, "pod")]
}

// someRemedy applies a remedy that is available.
func (h *history) someRemedy(t *rapid.T) {
	p := h.somePod(t)
	var offered []remedy.Remedy
	for _, r := range Remedies(h.state, h.store.Snapshot(), p.UID, h.now) {
		if r.DisabledReason == "" && r.Word != "" {
			offered = append(offered, r)
		}
	}
	if len(offered) == 0 {
		t.Skip("no remedy is available")
	}
	r := rapid.SampledFrom(offered).Draw(t, "remedy")
	h.arrived = append(h.arrived, Command{Kind: CommandRemedy, Pod: p.UID, Remedy: r.Facts, Word: r.Word, By: "ada", OnScreen: true})
	h.lookAround(t)
}

// endProcess ends the process, and another one resumes.
func (h *history) endProcess(t *rapid.T) {
	if h.state.Outcome != "" || h.state.JournalLost != "" {
		t.Skip("nothing to resume")
	}
	h.restart(t)
}

// restart lets another process resume, and read the cluster as it is; what the one before had sent
// arrived or not.
func (h *history) restart(t *rapid.T) {
	for _, r := range h.requests {
		if !h.down && rapid.Bool().Draw(t, "arrived") {
			h.carryOut(r)
		}
	}
	h.serverUp()
	if h.listApps(); !h.lossless && rapid.IntRange(0, 2).Draw(t, "workloads unknown") == 0 {
		h.hideApps()
	}
	h.arrived, h.requests = nil, nil
	clear(h.refused)
	for app := range h.heldSince { // no process counts the time of another one
		h.heldSince[app] = h.now
	}
	h.takeUp()
	t.Log("resumed")
	h.lookAround(t)
}

// tear lets the process end while it writes what the next look decides.
func (h *history) tear(t *rapid.T) { h.tears = true }

// torn ends the process in the middle of a look that wrote the events from before on: the journal has the first
// of them only, and nothing that the look decided to send was sent.
func (h *history) torn(t *rapid.T, before int) {
	keep := rapid.IntRange(before, len(h.events)-1).Draw(t, "events kept")
	t.Logf("torn: %d of %d events are lost, the first is %s", len(h.events)-keep, len(h.events)-before, h.events[keep].Kind)
	h.events, h.tears = h.events[:keep], false
	h.restart(t)
}

func (h *history) journalNews(t *rapid.T) {
	news := JournalNews{}
	if h.state.JournalLost == "" {
		news.Lost = "no space left on device"
	}
	h.arrived = append(h.arrived, news)
	h.lookAround(t)
}

func (h *history) uncordon(t *rapid.T) {
	if rapid.IntRange(0, 3).Draw(t, "really") > 0 {
		t.Skip("too early")
	}
	h.lines("node " + oneOf(t, "node", alike(h.truth.nodes, func(n *corev1.Node) bool { return n.Spec.Unschedulable })) + " uncordoned")
}

func (h *history) kubelet(t *rapid.T) {
	h.lines("node " + h.thereNode(t) + " " + rapid.SampledFrom([]string{"silent", "ready"}).Draw(t, "kubelet"))
}

// othersLease is another run that writes the Lease of a node.
func (h *history) othersLease(t *rapid.T) {
	if rapid.IntRange(0, 3).Draw(t, "really") > 0 {
		t.Skip("too early")
	}
	h.lines("lease " + h.thereNode(t) + " holder=r9")
}

// latePod is a pod that the scheduler bound before it saw the cordon.
func (h *history) latePod(t *rapid.T) {
	if rapid.IntRange(0, 3).Draw(t, "really") > 0 {
		t.Skip("too early")
	}
	if _, safe := ToDo(Lasting(h.events)); safe["w1"] {
		t.Skip("too late")
	}
	if a := h.apps[0]; a.kind != "StatefulSet" && h.truth.nodes["w1"] != nil && len(h.podsOf(a)) < int(a.controlled().replicas) {
		h.addPodOf(a, 0, "w1", "not-ready")
	}
}
