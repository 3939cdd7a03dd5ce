package drain

import (
	"crypto/rand"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// NewRunID makes a short id for a run: easy to read aloud, with no letters that
// are taken for digits, and enough of them never to meet twice on one machine.
func NewRunID() string {
	const alphabet = "23456789abcdefghjkmnpqrstvwxyz"
	var raw [6]byte
	_, _ = rand.Read(raw[:]) // never fails (crypto/rand, Go 1.24)
	id := make([]byte, len(raw))
	for i, b := range raw {
		id[i] = alphabet[int(b)%len(alphabet)]
	}
	return string(id)
}

// StartEvent is the first event of a run of the plan.
func StartEvent(planned plan.Plan, facts RunFacts) Event {
	facts.Options = planned.Options
	for _, f := range plan.Costs(planned.Findings) {
		facts.Findings = append(facts.Findings, plan.Finding{Code: f.Code, Level: f.Level, Message: f.Message})
	}
	refused := map[string]string{}
	for _, n := range planned.Refused() {
		refused[n.Node] = n.Why
	}
	for _, n := range planned.Nodes {
		facts.Nodes = append(facts.Nodes, NodeFacts{Name: n.Name, UID: n.UID, Unschedulable: n.Unschedulable, Refused: refused[n.Name]})
		for _, p := range n.Pods {
			facts.Pods = append(facts.Pods, PodFacts{
				Node: n.Name, Namespace: p.Namespace, Name: p.Name, UID: p.UID, Owner: p.Owner,
				Action: p.Action, Reasons: p.Reasons, Loss: p.Fate().Loss, GraceSeconds: int64(p.Grace / time.Second), Self: p.Self,
			})
		}
	}
	return Event{Kind: EventRunStarted, Run: &facts}
}

// podFacts are the facts of a pod that joins a run.
func podFacts(p *kube.Pod, d plan.Decision) PodFacts {
	facts := PodFacts{Node: p.Node, Namespace: p.Namespace, Name: p.Name, UID: p.UID,
		Action: d.Action, Reasons: d.Reasons, Loss: plan.LossBy(d.Reasons), GraceSeconds: p.Spec.GraceSeconds}
	if p.Owner != nil {
		facts.Owner = p.Owner.Kind + "/" + p.Owner.Name
	}
	return facts
}
