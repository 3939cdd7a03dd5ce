package drain

import (
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/kube"
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
	case sends[kube.BudgetRequest](w):
		return kube.UID(sent[kube.BudgetRequest](w).Name)
	case sends[kube.LeaseWrite](w):
		return kube.UID("lease-" + w.Node)
	case sends[kube.BudgetLook](w):
		return kube.UID(sent[kube.BudgetLook](w).Name)
	}
	return w.pod()
}

// show lets the watches show what a write did.
func (c *shownCluster) show(w Write, a kube.Answer) {
	switch {
	case sends[kube.CordonRequest](w):
		c.change("node " + w.Node + " cordoned by=" + kube.FieldManager)
		n := c.nodes[w.Node].DeepCopy()
		n.Annotations = map[string]string{kube.CordonAnnotation: sent[kube.CordonRequest](w).Mark}
		if sent[kube.CordonRequest](w).ExcludeFromLB != nil {
			n.Labels = map[string]string{kube.LoadBalancerLabel: ""}
		}
		c.nodes[w.Node] = n
		c.put(n)
	case sends[kube.EvictRequest](w) || sends[kube.DeleteRequest](w):
		c.showDeletion(w)
	case sends[kube.BudgetRequest](w):
		app := sent[kube.BudgetRequest](w).Owner.Name
		c.change(fmt.Sprintf("budget %s of=%s uid=%s run=%s needs=1", sent[kube.BudgetRequest](w).Name, app, sent[kube.BudgetRequest](w).Name, sent[kube.BudgetRequest](w).Run))
	case sends[kube.BudgetRef](w):
		c.change("budget " + sent[kube.BudgetRef](w).Name + " gone")
	case sends[kube.LeaseWrite](w):
		c.change(fmt.Sprintf("lease %s holder=%s version=%s", w.Node, sent[kube.LeaseWrite](w).Run, a.ResourceVersion))
	case sends[kube.LeaseRef](w):
		c.change("lease " + w.Node + " gone")
	case sends[kube.ScaleRequest](w):
		c.change(fmt.Sprintf("workload %s kind=%s replicas=%d ours", sent[kube.ScaleRequest](w).Name, sent[kube.ScaleRequest](w).Kind, sent[kube.ScaleRequest](w).To))
	case sends[kube.TaintRequest](w):
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
			if b.Spec.Selector.MatchLabels["app"] == p.Labels["app"] {
				c.change("budget " + budget)
			}
		}
	}
}

func (c *shownCluster) showTaint(w Write) {
	n := c.nodes[w.Node].DeepCopy()
	n.Spec.Taints = sent[kube.TaintRequest](w).Taints
	if n.Annotations == nil {
		n.Annotations = map[string]string{}
	}
	n.Annotations[kube.OutOfServiceAnnotation] = sent[kube.TaintRequest](w).Mark
	n.ResourceVersion = c.nextVersion()
	c.nodes[w.Node] = n
	c.put(n)
}
