package drain

import (
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// journalLost is the input by which a run learns that its journal is lost.
func (s *script) journalLost(why string) Input { return JournalNews{Lost: why} }

// look is one Step and, where every question is confirmed, those that follow from
// that. It prints what is decided, and each check that fails.
func (s *script) look(in ...Input) {
	snap := s.store.Snapshot()
	for {
		d := Step(s.state, snap, in, s.now)
		for _, wrong := range s.checks.decision(s, snap, in, d) {
			fmt.Fprintf(&s.text, "!! %s\n", wrong)
		}
		s.print(d)
		for _, input := range in {
			if c, isCommand := input.(Command); isCommand && d.Refused[c.ID] != nil {
				fmt.Fprintf(&s.text, "refused: %v\n", d.Refused[c.ID])
			}
		}
		for _, w := range d.Writes {
			s.out[w.ID] = w
		}
		s.state, s.wake = d.State, d.Wake
		s.events = append(s.events, d.Events...)
		q := s.state.Question
		if q == nil || !s.yes {
			break
		}
		in = []Input{Confirm{Phase: q.Phase, Word: q.Word, By: "ada"}}
	}
	if !s.wake.IsZero() {
		fmt.Fprintf(&s.text, "wake %s\n", s.wake.Sub(s.now))
	}
}

// made is the UID of the object that the answer to a write has.
func (w Write) made() kube.UID {
	switch {
	case sends[request.CreateBudget](w):
		return kube.UID(sent[request.CreateBudget](w).Name)
	case sends[request.WriteLease](w):
		return kube.UID("lease-" + w.Node)
	case sends[request.GetBudget](w):
		return kube.UID(sent[request.GetBudget](w).Name)
	}
	return w.pod()
}

// show lets the watches show what a write did.
func (c *shownCluster) show(w Write, a kube.Answer) {
	switch {
	case sends[request.Cordon](w):
		c.change("node " + w.Node + " cordoned by=" + kube.FieldManager)
		n := c.nodes[w.Node].DeepCopy()
		n.Annotations = map[string]string{kube.CordonAnnotation: sent[request.Cordon](w).Mark}
		if sent[request.Cordon](w).ExcludeFromLB != nil {
			kubetest.ExcludeFromLB(n, kube.FieldManager, "")
		}
		c.nodes[w.Node] = n
		c.put(n)
	case sends[request.Evict](w) || sends[request.Delete](w):
		c.showDeletion(w)
	case sends[request.CreateBudget](w):
		app := sent[request.CreateBudget](w).Owner.Name
		c.change(fmt.Sprintf("budget %s of=%s uid=%s run=%s needs=1", sent[request.CreateBudget](w).Name, app, sent[request.CreateBudget](w).Name, sent[request.CreateBudget](w).Run))
	case sends[request.BudgetRef](w):
		c.change("budget " + sent[request.BudgetRef](w).Name + " gone")
	case sends[request.WriteLease](w):
		c.change(fmt.Sprintf("lease %s holder=%s version=%s", w.Node, sent[request.WriteLease](w).Run, a.ResourceVersion))
	case sends[request.DeleteLease](w):
		c.change("lease " + w.Node + " gone")
	case sends[request.Scale](w):
		c.change(fmt.Sprintf("workload %s kind=%s replicas=%d ours", sent[request.Scale](w).Name, sent[request.Scale](w).Kind, sent[request.Scale](w).To))
	case sends[request.Raise](w):
		r := sent[request.Raise](w)
		c.marks[r.Name], c.lastOf[r.Name], c.onSet[r.Name] = r.Mark, r.Mark, r.Kind == "ReplicaSet"
		c.change(fmt.Sprintf("workload %s kind=%s replicas=%d ours", r.Name, r.Kind, r.To))
	case sends[request.Lower](w):
		r := sent[request.Lower](w)
		delete(c.marks, r.Name)
		if r.From == r.To { // the number of somebody else stands
			r.To = c.store.Snapshot().WorkloadNamed(r.Kind, "default", r.Name).Replicas
		}
		c.change(fmt.Sprintf("workload %s kind=%s replicas=%d ours", r.Name, r.Kind, r.To))
	case sends[request.SetCost](w):
		r := sent[request.SetCost](w)
		c.change(fmt.Sprintf("pod %s annotation=%s:%s", r.Name, kube.DeletionCostAnnotation, r.To))
	case sends[request.SetTaints](w):
		c.showTaint(w)
	}
}

func (c *shownCluster) showDeletion(w Write) {
	uid := w.pod()
	for name, p := range c.pods {
		if p.UID != uid {
			continue
		}
		c.change("pod " + name + " terminating")
		for budget, b := range c.budgets {
			if app, one := b.Spec.Selector.MatchLabels["app"]; !one || p.Labels["app"] == app {
				c.change("budget " + budget)
			}
		}
	}
}

func (c *shownCluster) showTaint(w Write) {
	n := c.nodes[w.Node].DeepCopy()
	n.Spec.Taints = sent[request.SetTaints](w).Taints
	if n.Annotations == nil {
		n.Annotations = map[string]string{}
	}
	n.Annotations[kube.OutOfServiceAnnotation] = sent[request.SetTaints](w).Mark
	n.ResourceVersion = c.nextVersion()
	c.nodes[w.Node] = n
	c.put(n)
}
