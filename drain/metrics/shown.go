package metrics

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// Shown is what the metrics are about; each may be nil.
type Shown struct {
	Run  *drain.State
	Roll *roll.State
}

// Text is all of it in the text format of Prometheus (version 0.0.4). docs/metrics.md lists the names.
func (s Shown) Text(now time.Time) string {
	p := &page{}
	if s.Run != nil {
		run(p, s.Run, now)
		nodes(p, s.Run)
	}
	if s.Roll != nil {
		rolling(p, s.Roll)
	}
	return p.text.String()
}

var (
	outcomes = []drain.Outcome{drain.OutcomeDone, drain.OutcomePartly, drain.OutcomeRefused, drain.OutcomeAborted,
		drain.OutcomeFailed}
	nodeStates = []drain.NodeState{drain.NodeWaiting, drain.NodeCordoning, drain.NodeCordoned, drain.NodeDraining,
		drain.NodeDrained, drain.NodeRefused, drain.NodeFailed, drain.NodeStopped}
	podStates = []eviction.State{eviction.Planned, eviction.Surging, eviction.Requested, eviction.BudgetBlocked,
		eviction.BudgetSyncing, eviction.Throttled, eviction.WebhookWait, eviction.MultipleBudgets,
		eviction.NamespaceTerminating, eviction.Retrying, eviction.Terminating, eviction.StuckTerminating, eviction.Gone,
		eviction.Replaced, eviction.Moved, eviction.Skipped, eviction.Failed}
	rollStates = []roll.NodeState{roll.Waiting, roll.Draining, roll.Working, roll.Returning, roll.Done, roll.Failed}
)

func run(p *page, s *drain.State, now time.Time) {
	id := label{"run", s.Run.ID}
	p.metric("kdrain_run_info", gauge, "The run that the metrics are about; always 1.").
		add(1, id, label{"context", s.Run.Context}, label{"version", s.Run.Version})
	p.metric("kdrain_run_start_timestamp_seconds", gauge, "When the run was started.", id).at(s.Started)
	p.metric("kdrain_run_end_timestamp_seconds", gauge, "When the run ended; missing before.", id).at(s.Ended)
	p.metric("kdrain_run_last_event_timestamp_seconds", gauge, "When something last happened in the run.", id).
		at(s.Updated)
	oneOf(p.metric("kdrain_run_outcome", gauge, "How the run ended: 1 for that outcome; all 0 before.", id), "outcome",
		outcomes, s.Outcome)
	oneOf(p.metric("kdrain_run_phase", gauge, "The phase that the run is in: 1 for that one.", id), "phase",
		s.PhasesInOrder(), s.Phase)
	p.metric("kdrain_run_suspended", gauge, "Whether its process stopped in order without an end of the run.", id).
		is(s.Suspended)
	p.metric("kdrain_run_paused", gauge, "Whether the run is paused.", id).is(s.Paused)
	p.metric("kdrain_run_waits_for_confirmation", gauge, "Whether the run waits for a confirmation.", id).
		is(s.Question != nil)
	p.metric("kdrain_run_api_server_reachable", gauge, "Whether the API server answers.", id).is(s.Down == nil)
	p.metric("kdrain_run_health_gate_closed", gauge,
		"Whether workloads that are worse than before keep the next node.", id).
		is(s.Gate != nil)
	worse := 0
	if s.Gate != nil {
		worse = len(s.Gate.Workloads)
	}
	p.metric("kdrain_run_workloads_worse", gauge,
		"How many workloads keep the health gate closed.", id).add(float64(worse))
	pods(p, s, id, now)
	requests := p.metric("kdrain_run_requests_total", counter, "Requests sent to the API server, by verb.", id)
	for _, verb := range ordered(s.Sent) {
		requests.add(float64(s.Sent[verb]), label{"verb", string(verb)})
	}
}

func pods(p *page, s *drain.State, id label, now time.Time) {
	counts, longest := map[eviction.State]int{}, time.Duration(0)
	for _, pod := range s.Pods {
		counts[pod.State]++
		if !pod.BlockedSince.IsZero() && !pod.State.Final() {
			longest = max(longest, now.Sub(pod.BlockedSince))
		}
	}
	if s.Outcome != "" {
		longest = 0
	}
	countOf(p.metric("kdrain_run_pods", gauge, "Pods of the run by state; those that stay are Skipped.", id), "state",
		podStates, counts)
	p.metric("kdrain_run_longest_block_seconds", gauge,
		"How long the pod has been blocked that is blocked for longest.", id).
		add(longest.Seconds())
}

func nodes(p *page, s *drain.State) {
	id := label{"run", s.Run.ID}
	counts := map[drain.NodeState]int{}
	for _, n := range s.Nodes {
		counts[n.State]++
	}
	countOf(p.metric("kdrain_run_nodes", gauge, "Nodes of the run by state.", id), "state", nodeStates, counts)
	// One sample a node, not one for each state that it could be in: a run can have a thousand.
	state := p.metric("kdrain_node_state", gauge, "The state of a node of the run, in the label; always 1.", id)
	for _, n := range s.Nodes {
		state.add(1, label{"node", n.Name}, label{"state", string(n.State)})
	}
	_, byNode := s.ProgressByNode()
	total := p.metric("kdrain_node_pods", gauge, "Pods of a node that the run is to move.", id)
	for _, n := range s.Nodes {
		total.add(float64(byNode[n.Name].Total), label{"node", n.Name})
	}
	gone := p.metric("kdrain_node_pods_gone", gauge, "Of these, pods that have left the node.", id)
	for _, n := range s.Nodes {
		gone.add(float64(byNode[n.Name].Left), label{"node", n.Name})
	}
	blocked := p.metric("kdrain_node_pods_blocked", gauge, "Of these, pods that are blocked.", id)
	for _, n := range s.Nodes {
		blocked.add(float64(byNode[n.Name].Blocked), label{"node", n.Name})
	}
	safe := p.metric("kdrain_node_safe_to_power_off", gauge,
		"Whether the run drained the node and saw that it is safe to power off.", id)
	for _, n := range s.Nodes {
		safe.is(n.SafeToPowerOff(), label{"node", n.Name})
	}
}

func rolling(p *page, s *roll.State) {
	id := label{"roll", s.Facts.Run.ID}
	p.metric("kdrain_roll_info", gauge, "The roll that the metrics are about; always 1.").
		add(1, id, label{"context", s.Facts.Run.Context}, label{"version", s.Facts.Run.Version})
	p.metric("kdrain_roll_start_timestamp_seconds", gauge, "When the roll was started.", id).at(s.Started)
	p.metric("kdrain_roll_end_timestamp_seconds", gauge, "When the roll ended; missing before.", id).at(s.Ended)
	ended := p.metric("kdrain_roll_outcome", gauge, "How the roll ended: 1 for that outcome; all 0 before.", id)
	oneOf(ended, "outcome", outcomes, s.Outcome)
	p.metric("kdrain_roll_batches", gauge, "Batches of the roll.", id).add(float64(len(s.Facts.Batches)))
	p.metric("kdrain_roll_batch", gauge, "The batch that is under way or was last, from 1; 0 before the first.", id).
		add(float64(s.Batch + 1))
	p.metric("kdrain_roll_paused", gauge, "Whether the roll is paused.", id).is(s.Paused)
	p.metric("kdrain_roll_suspended", gauge, "Whether its process stopped in order without an end of the roll.", id).
		is(s.Suspended)
	p.metric("kdrain_roll_waits_for_answer", gauge,
		"Whether the roll waits for the operator.", id).is(s.Question != nil)
	p.metric("kdrain_roll_health_gate_closed", gauge,
		"Whether workloads that are worse than before keep the next batch.", id).
		is(s.Gate != nil)
	counts := map[roll.NodeState]int{}
	for i := range s.Nodes {
		counts[s.Nodes[i].State]++
	}
	countOf(p.metric("kdrain_roll_nodes", gauge, "Nodes of the roll by state.", id), "state", rollStates, counts)
}
