package annotation

import (
	"cmp"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// ForNode is the annotation for a node that is to be cordoned, or to be kept from load
// balancers. The mark of a cordon that stays somebody else's stays theirs: it only notes
// what the run adds.
func ForNode(node *kube.Node, mark Mark, adopts, exclude bool) Mark {
	if !node.Unschedulable {
		mark.ExcludedFromLB = exclude || Excluded(node)
		return mark
	}
	there, marked := Mark{}, false
	if node.Cordon != nil {
		there, marked = Parse(node.Cordon.Mark)
	}
	switch {
	case adopts:
		mark.Was, mark.After, mark.AfterBy, mark.ExcludedFromLB = there.Was, there.Run, there.By,
			exclude || there.ExcludedFromLB
	case marked && there.Run == mark.Run:
		mark.Was = there.Was
	case marked:
		there.ExcludedFromLB, there.ExcludedBy = true, mark.Run
		return there
	default:
		mark.Was = "unschedulable"
	}
	return mark
}

// Foreign says who had cordoned the node, "" if it was the run itself.
func Foreign(node *kube.Node, run string) string {
	by := "already cordoned"
	if c := node.Cordon; c != nil {
		if m, ours := Parse(c.Mark); ours && m.Run == run && m.Was == "schedulable" {
			return ""
		} else if ours && m.By != "" {
			return by + " by " + m.By + " at " + m.At.UTC().Format(time.RFC3339)
		}
		if c.Manager != "" && !c.Since.IsZero() {
			return by + " by " + c.Manager + " at " + c.Since.UTC().Format(time.RFC3339)
		}
	}
	return by
}

// TakenOver says who has cordoned a node since the run cordoned it, "" if nobody is known to have.
func TakenOver(node *kube.Node, run string) string {
	if node.Cordon == nil {
		return ""
	}
	switch mark, ours := Parse(node.Cordon.Mark); {
	case ours && mark.Run != "" && mark.Run != run:
		return "run " + mark.Run + " of " + mark.Maker() + " has cordoned it since"
	case node.Cordon.Manager != "" && node.Cordon.Manager != kube.FieldManager:
		return node.Cordon.Manager + " has cordoned it since"
	}
	return ""
}

// Undo uncordons only if the annotation names the run and the field is
// still ours by managedFields: a cordon that somebody has since made their own
// is theirs to take back.
func Undo(name string, uid kube.UID, run string, node *kube.Node) (req *request.Cordon, what, left string) {
	what = "uncordon node " + name
	switch {
	case node == nil:
		left = "the node is gone"
		return nil, what, left
	case node.UID != uid:
		left = "another node has its name"
		return nil, what, left
	case !node.Unschedulable || node.Cordon == nil:
		if mark := annotated(node); mark.excluder() == run && mark.labelStands(node) {
			return &request.Cordon{Node: name, UID: uid, ResourceVersion: node.ResourceVersion,
				ExcludeFromLB: new(bool)}, "let load balancers use node " + name + " again", ""
		}
		left = "it is already schedulable"
		return nil, what, left
	}
	mark, ours := Parse(node.Cordon.Mark)
	labelled := ours && mark.labelStands(node)
	onlyLabel := ours && mark.excluder() == run && (mark.Run != run ||
		mark.Was == "unschedulable" && mark.ExcludedFromLB || labelled && node.Cordon.Manager != kube.FieldManager)
	switch {
	case onlyLabel && !labelled:
		what, left = "let load balancers use node "+name+" again", "somebody has changed or removed its label since"
	case onlyLabel && mark.Run != run:
		// Only the label was ours: cordon and mark stay as they were.
		mark.ExcludedFromLB, mark.ExcludedBy = false, ""
		what = "let load balancers use node " + name + " again"
		req = &request.Cordon{Node: name, UID: uid, ResourceVersion: node.ResourceVersion, Unschedulable: true,
			Mark: mark.String(), ExcludeFromLB: new(bool)}
	case !ours || mark.Run != run:
		left = "its cordon is not of this run"
	case onlyLabel:
		// Only the label was ours: the cordon stays with whoever made it.
		what = "let load balancers use node " + name + " again"
		req = &request.Cordon{Node: name, UID: uid, ResourceVersion: node.ResourceVersion, Unschedulable: true,
			ExcludeFromLB: new(bool)}
	case mark.Was != "schedulable":
		left = "it was unschedulable before the run"
	case node.Cordon.Manager != kube.FieldManager: // one that is not known included
		left = cmp.Or(node.Cordon.Manager, "somebody else") + " has cordoned it since"
	default:
		req = &request.Cordon{Node: name, UID: uid, ResourceVersion: node.ResourceVersion}
		if labelled {
			req.ExcludeFromLB = new(bool)
		} else if mark.ExcludedFromLB && node.ExcludedFromLB() {
			what += " (its label for load balancers stays: somebody has changed it since)"
		}
		if mark.After != "" {
			what += ", cordoned before by run " + mark.After
			if mark.AfterBy != "" {
				what += " of " + mark.AfterBy
			}
		}
	}
	return req, what, left
}
