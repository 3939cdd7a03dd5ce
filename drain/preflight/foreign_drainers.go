package preflight

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// FindingOtherDrainer is the code of the findings about somebody else who drains
// a node of the plan, or is about to.
const FindingOtherDrainer = "OtherDrainer"

// foreignDrainer is a sign on a node that another program drains it, has drained
// it, or means to.
type foreignDrainer struct {
	Who   string // the program
	Words string // what it does there, as the end of a sentence
	Level plan.Level
	Since string // as the sign says it, "" if it does not
}

// Taints by which others mark the nodes that they drain.
const (
	// kubernetes/autoscaler cluster-autoscaler/utils/taints/taints.go
	taintToBeDeleted       = "ToBeDeletedByClusterAutoscaler"
	taintDeletionCandidate = "DeletionCandidateOfClusterAutoscaler"
	// sigs.k8s.io/karpenter pkg/apis/v1/taints.go; v1beta1 had the other one
	taintKarpenter      = "karpenter.sh/disrupted"
	taintKarpenterOlder = "karpenter.sh/disruption"
	// medik8s/node-maintenance-operator controllers/taint.go; it began at KubeVirt
	taintMaintenance      = "medik8s.io/drain"
	taintMaintenanceOlder = "kubevirt.io/drain"
	// sigs.k8s.io/cluster-api api/core/v1beta2/common_types.go NodeOutdatedRevisionTaint
	taintOutdated = "node.cluster.x-k8s.io/outdated-revision"
)

// Annotations of nodes by which others say that they are at work.
const (
	// kubereboot/kured cmd/kured/main.go
	kuredRebooting = "weave.works/kured-reboot-in-progress"
	kuredLock      = "weave.works/kured-node-lock"
	// openshift/machine-config-operator pkg/daemon/constants/constants.go: the two
	// are equal once what is desired was done
	mcoDesired = "machineconfiguration.openshift.io/desiredDrain"
	mcoApplied = "machineconfiguration.openshift.io/lastAppliedDrain"
	mcoState   = "machineconfiguration.openshift.io/state"
	// sigs.k8s.io/cluster-api api/core/v1beta2/machine_types.go DeleteMachineAnnotation
	clusterAPIDelete = "cluster.x-k8s.io/delete-machine"
	// gardener/machine-controller-manager pkg/util/provider/machineutils/utils.go
	gardenerDelete = "node.machine.sapcloud.io/trigger-deletion-by-mcm"
)

// foreignDrainers are the signs of other drainers on a node. A cordon without
// any of them is told by the finding AlreadyCordoned.
func foreignDrainers(n *kube.Node) []foreignDrainer {
	var found []foreignDrainer
	for _, taint := range n.Taints {
		switch taint.Key {
		case taintToBeDeleted:
			found = append(found, foreignDrainer{"cluster-autoscaler", "drains it and then deletes its machine",
				plan.LevelWarning, unixTime(taint.Value)})
		case taintDeletionCandidate:
			found = append(found, foreignDrainer{"cluster-autoscaler", "considers it unneeded and may delete it soon",
				plan.LevelInfo, unixTime(taint.Value)})
		case taintKarpenter, taintKarpenterOlder:
			found = append(found, foreignDrainer{Who: "Karpenter", Words: "drains it and then deletes it",
				Level: plan.LevelWarning})
		case taintMaintenance, taintMaintenanceOlder:
			found = append(found, foreignDrainer{Who: "the node maintenance operator",
				Words: "drains it, or keeps it in maintenance", Level: plan.LevelWarning})
		case taintOutdated:
			found = append(found, foreignDrainer{Who: "Cluster API",
				Words: "plans to replace its machine with a newer one", Level: plan.LevelInfo})
		}
	}
	return append(found, annotatedDrainers(n.Annotations)...)
}

// annotatedDrainers are those that say it by an annotation.
func annotatedDrainers(marks map[string]string) []foreignDrainer {
	var found []foreignDrainer
	add := func(who, words string, level plan.Level, since string) {
		found = append(found, foreignDrainer{who, words, level, since})
	}
	if value, there := marks[kuredRebooting]; there {
		add("kured", "drains and reboots it", plan.LevelWarning, value)
	} else if _, locked := marks[kuredLock]; locked {
		add("kured", "holds its lock to reboot it", plan.LevelWarning, "")
	}
	switch state := marks[mcoState]; {
	case marks[mcoDesired] != marks[mcoApplied] && strings.HasPrefix(marks[mcoDesired], "drain-"):
		add("the machine-config operator", "drains it", plan.LevelWarning, "")
	case strings.HasPrefix(marks[mcoDesired], "drain-"):
		add("the machine-config operator", "has drained it and works on it", plan.LevelWarning, "")
	case state != "" && state != "Done":
		add("the machine-config operator", "works on it (state "+state+")", plan.LevelWarning, "")
	}
	if _, there := marks[clusterAPIDelete]; there {
		add("Cluster API", "deletes its machine first when it scales down", plan.LevelInfo, "")
	}
	if marks[gardenerDelete] == "true" {
		add("the machine controller manager", "is told to drain it and to delete its machine", plan.LevelWarning, "")
	}
	if marks[plan.KarpenterNoDisrup] != "" {
		add("Karpenter", "is told to leave it alone ("+plan.KarpenterNoDisrup+"): somebody wants it undisturbed",
			plan.LevelInfo, "")
	}
	return found
}

// unixTime makes the value of cluster-autoscaler's taints readable: the time of
// the taint in seconds.
func unixTime(value string) string {
	seconds, err := strconv.ParseInt(value, 10, 64)
	if err != nil || seconds <= 0 {
		return ""
	}
	return time.Unix(seconds, 0).UTC().Format("2006-01-02 15:04 MST")
}

// findOtherDrainers finds the nodes of the plan that somebody else drains, each sign
// once with all its nodes.
func findOtherDrainers(s *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	type sign struct {
		words string
		level plan.Level
	}
	var order []sign
	marked, shown := map[sign][]string{}, map[sign][]string{}
	for i := range p.Nodes {
		n := s.Node(p.Nodes[i].Name)
		if n == nil {
			continue
		}
		for _, d := range foreignDrainers(n) {
			s := sign{d.Who + " " + d.Words, d.Level}
			if marked[s] == nil {
				order = append(order, s)
			}
			name := n.Name
			if d.Since != "" {
				name += " (since " + d.Since + ")"
			}
			marked[s], shown[s] = append(marked[s], n.Name), append(shown[s], name)
		}
	}
	var found []plan.Finding
	for _, level := range []plan.Level{plan.LevelWarning, plan.LevelInfo} {
		for _, s := range order {
			if s.level == level {
				found = append(found, plan.Finding{Code: FindingOtherDrainer, Level: level,
					Objects: nodeObjects(marked[s]),
					Message: fmt.Sprintf("%s: %s", s.words, format.List(shown[s], format.NamesShown))})
			}
		}
	}
	return found
}
