package retire

import (
	"strings"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/clusterapi"
)

// karpenterGroup is how a Node object shows that Karpenter made its machine: in its finalizer, its
// NodeClaim and its labels.
const karpenterGroup = "karpenter.sh/"

// Ties are what else hangs on a Node object, shown before it is deleted.
type Ties struct {
	Finalizers []string // the object stays until their controllers have removed them
	Owners     []string // Kind/name
	ProviderID string
	Warning    string // who may terminate the machine, "" where none is known
}

// TiesOf reads them from the Node object.
func TiesOf(n *kube.Node) Ties {
	t := Ties{Finalizers: n.Finalizers, ProviderID: n.ProviderID}
	karpenter := false
	for _, f := range n.Finalizers {
		karpenter = karpenter || strings.HasPrefix(f, karpenterGroup)
	}
	for _, o := range n.Owners {
		t.Owners = append(t.Owners, o.Kind+"/"+o.Name)
		karpenter = karpenter || strings.HasPrefix(o.APIVersion, karpenterGroup)
	}
	switch machine := n.Annotations[clusterapi.MachineAnnotation]; {
	case karpenter:
		t.Warning = "Karpenter made this node: deleting the Node object terminates its machine"
	case machine != "":
		t.Warning = "Cluster API made this node from Machine " + kube.Visible(machine) +
			": deleting the Node object can terminate its machine, by a MachineHealthCheck or a remediation"
	case len(n.Owners) > 0 || len(n.Finalizers) > 0:
		t.Warning = "a controller owns this node or has a finalizer on it: deleting the Node object can terminate its machine"
	}
	return t
}

// Lines are the ties for a person, one a line; nil where there are none.
func (t Ties) Lines() []string {
	var lines []string
	if len(t.Finalizers) > 0 {
		lines = append(lines, "finalizers: "+strings.Join(t.Finalizers, ", "))
	}
	if len(t.Owners) > 0 {
		lines = append(lines, "owned by: "+strings.Join(t.Owners, ", "))
	}
	if t.ProviderID != "" {
		lines = append(lines, "provider id: "+t.ProviderID)
	}
	return lines
}
