package drain

import (
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// print tells what a Step decided: an event or a write to a line. Left out is what the
// command of the script says already (answers, confirmations) and what other lines
// say (the intents of writes, the end of a phase that is followed by another).
func (s *script) print(d Output) {
	for _, e := range d.Events {
		if line := s.eventLine(e, d.State); line != "" {
			fmt.Fprintln(&s.text, line)
		}
		if e.Kind != EventIntent {
			continue
		}
		for _, w := range d.Writes {
			if w.ID == e.Action.ID {
				fmt.Fprintf(&s.text, "-> #%d %s\n", w.ID, writeLine(w, e))
			}
		}
	}
}

func (s *script) eventLine(e Event, next *State) string {
	message := ""
	if e.Message != "" {
		message = ": " + e.Message
	}
	switch e.Kind {
	case EventPhase:
		return s.phaseLine(e)
	case EventQuestion:
		if s.yes {
			return ""
		}
		word := ""
		if e.Word != "" {
			word = fmt.Sprintf(", type %q", e.Word)
		}
		return fmt.Sprintf("asks whether to %s%s", e.Phase, word)
	case EventPod:
		return s.podLine(e)
	case EventPodAdded:
		return fmt.Sprintf("%s joins the run: %s", short(e.UID), e.Added.Action)
	case EventNode:
		doubt := ""
		if n := next.Node(e.Node); e.NodeState.Final() && n.CordonInDoubt {
			doubt = " (whether it is cordoned is not known)"
		}
		if n := next.Node(e.Node); e.CordonGone && n.Cordoned {
			doubt = " (no cordon of the run is left)"
		}
		return fmt.Sprintf("%s %s%s%s%s", e.Node, e.NodeState, message, s.within(e.Wait), doubt)
	case EventBudget:
		return fmt.Sprintf("temporary budget %s %s%s%s", e.Budget.Name, e.BudgetState, message, s.within(e.Wait))
	case EventLease:
		return fmt.Sprintf("Lease of %s %s%s", e.Node, e.LeaseState, message)
	case EventRemedy:
		return fmt.Sprintf("%s for %s: %s%s%s", e.Remedy.Kind, short(e.Remedy.Pod), e.RemedyState, message, s.within(e.Wait))
	case EventSurge:
		return fmt.Sprintf("surge of %s %s%s", e.Surge.Name, e.SurgeChange.State, message)
	case EventVolumes:
		return s.volumesLine(e, message)
	case EventReplacement:
		if !s.replaced {
			return ""
		}
		return fmt.Sprintf("%s: %s", short(e.UID), e.Replacement.Words())
	case EventBaseline:
		var all []string
		for _, w := range e.Baseline {
			all = append(all, fmt.Sprintf("%s %s %d of %d", w.Kind, w.Name, w.Available, w.Wanted))
		}
		return strings.TrimSpace("before: " + strings.Join(all, ", "))
	case EventGate:
		if !e.Gate.Closed {
			return "the health gate opens"
		}
		return "the health gate is closed" + message
	case EventConnection:
		if e.Message == "" {
			return "the API server answers again"
		}
		return "the API server does not answer" + message
	case EventControl:
		return fmt.Sprintf("%s, says %s%s", e.Command, e.By, message)
	case EventJournal:
		if e.Message == "" {
			return "the journal can be written again"
		}
		return "the journal cannot be written" + message
	case EventRunEnded:
		return fmt.Sprintf("run ends: %s%s", e.Outcome, message)
	}
	return ""
}

// short is the UID of a pod, which in scripts is its name; one that has the name of
// another has that with a mark.
func short(uid kube.UID) string { return string(uid) }

func (s *script) phaseLine(e Event) string {
	switch e.PhaseStatus {
	case PhaseFailed, PhaseSkipped:
		return fmt.Sprintf("phase %s %s", e.Phase, e.PhaseStatus)
	case PhaseDone:
		if e.Phase == PhaseEvict {
			return "all nodes are through"
		}
	}
	return ""
}

// within is how long something is waited for at most.
func (s *script) within(w *waits.Wait) string {
	if w == nil || w.Until.IsZero() {
		return ""
	}
	return ", again in " + w.Until.Sub(s.now).String()
}

func (s *script) podLine(e Event) string {
	line := fmt.Sprintf("%s %s", short(e.UID), e.PodState)
	if e.Wait != nil {
		line += ": " + s.waitText(e.Wait)
	}
	if e.Message != "" {
		line += ": " + e.Message
	}
	return line
}

func (s *script) waitText(w *waits.Wait) string {
	switch w.For {
	case waits.ForServer, waits.ForWebhook:
		return strings.TrimPrefix(w.Words+s.within(w), ", ")
	case waits.ForGrace:
		return "grace " + w.Until.Sub(s.now).Round(time.Millisecond).String()
	case waits.ForVolumeQueue:
		text := "the turn of driver " + w.Driver
		if w.Ahead != nil {
			text += " after " + w.Ahead.Pod
		}
		return text
	}
	text := w.Sentence(s.now) + s.within(w)
	if w.Never {
		text += " (never by itself)"
	}
	return text
}

func (s *script) volumesLine(e Event, message string) string {
	var all []string
	for i := range e.Volumes {
		v := &e.Volumes[i]
		text := fmt.Sprintf("%s %s", v.Title(), v.State)
		if v.Node != "" {
			text += " to " + v.Node
		}
		if v.Why != "" {
			text += " (" + v.Why + ")"
		}
		all = append(all, text)
	}
	of := e.Node
	if e.UID != "" {
		of = short(e.UID)
	}
	if e.PowerOff != nil && e.PowerOff.Safe {
		of += " is safe to power off"
	}
	if e.PowerOff != nil && e.CordonGone {
		of += " has no cordon of the run any longer"
	}
	if len(all) > 0 {
		of += " volumes: " + strings.Join(all, ", ")
	}
	return of + message
}

// writeLine is the request of a write, as an operator would say it.
func writeLine(w Write, e Event) string {
	switch {
	case sends[request.Cordon](w):
		text := "cordon " + w.Node
		if m, ours := annotation.Parse(sent[request.Cordon](w).Mark); ours && m.After != "" {
			text += ", in the place of run " + m.After
		} else if m.ExcludedBy != "" {
			text += ", in the mark of run " + m.Run
		}
		if sent[request.Cordon](w).ExcludeFromLB != nil {
			text += ", out of load balancers"
		}
		return text
	case sends[request.Evict](w):
		return "evict " + short(sent[request.Evict](w).UID) + underBudget(e)
	case sends[request.Delete](w):
		text := "delete " + short(sent[request.Delete](w).UID)
		if sent[request.Delete](w).Grace != nil {
			text += fmt.Sprintf(" with %d s of grace", *sent[request.Delete](w).Grace)
		}
		return text
	case sends[request.GetPod](w):
		return "who has the name " + sent[request.GetPod](w).Name + "?"
	case sends[request.CreateBudget](w):
		r := sent[request.CreateBudget](w)
		return fmt.Sprintf("create budget %s with maxUnavailable %s over %s %s %s", r.Name, r.MaxUnavailable, r.Owner.APIVersion, r.Owner.Kind, r.Owner.Name)
	case sends[request.BudgetRef](w):
		return "remove budget " + sent[request.BudgetRef](w).Name
	case sends[request.GetBudget](w):
		return "is there a budget " + sent[request.GetBudget](w).Name + "?"
	case sends[request.WriteLease](w):
		return string(w.Verb) + " the Lease of " + w.Node
	case sends[request.DeleteLease](w):
		return "release the Lease of " + w.Node
	case sends[request.Restart](w):
		return "restart Deployment " + sent[request.Restart](w).Name
	case sends[request.Scale](w):
		return fmt.Sprintf("scale %s %s from %d to %d", sent[request.Scale](w).Kind, sent[request.Scale](w).Name, sent[request.Scale](w).From, sent[request.Scale](w).To)
	case sends[request.Raise](w):
		return fmt.Sprintf("raise %s %s to %d", sent[request.Raise](w).Kind, sent[request.Raise](w).Name, sent[request.Raise](w).To)
	case sends[request.Lower](w):
		if r := sent[request.Lower](w); r.From != r.To {
			return fmt.Sprintf("lower %s %s from %d to %d", r.Kind, r.Name, r.From, r.To)
		} else if r.Owners != "" {
			return "give the number of " + r.Name + " back to its owners"
		}
		return "remove the annotation of " + sent[request.Lower](w).Name
	case sends[request.SetCost](w):
		if r := sent[request.SetCost](w); r.To != request.LowestDeletionCost {
			return fmt.Sprintf("give %s back cost %q", r.Name, r.To)
		}
		return "lowest cost for " + sent[request.SetCost](w).Name
	case sends[request.SetTaints](w):
		return string(w.Verb) + " " + w.Node
	}
	return string(w.Verb)
}

func underBudget(e Event) string {
	budget, found := strings.CutPrefix(string(e.Action.Budget), "pdb-")
	if !found {
		return ""
	}
	return " (budget " + budget + ")"
}
