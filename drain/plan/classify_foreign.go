package plan

import (
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/drainrule"
)

// Labels and annotations by which other projects steer what happens to a pod.
const (
	clusterAPIDrain = "cluster.x-k8s.io/drain"                         // label, Cluster API: skip, wait-completed
	safeToEvict     = "cluster-autoscaler.kubernetes.io/safe-to-evict" // annotation: "false" keeps the node
	// annotation: "true", or a duration from the pod's start
	KarpenterNoDisrup = "karpenter.sh/do-not-disrupt"
)

const (
	// ReasonForeign is the word of another project's label or annotation.
	ReasonForeign ReasonCode = "Foreign"
	// ReasonWaitForCompletion marks a pod that is left to run to its end before
	// it is evicted.
	ReasonWaitForCompletion ReasonCode = "WaitForCompletion"
	// ReasonMachineDrainRule is the word of a MachineDrainRule of Cluster API.
	ReasonMachineDrainRule ReasonCode = "MachineDrainRule"
)

// foreignMarks says what other projects' drain marks ask for. They are always shown;
// they decide only where --honor names the project. kubectl knows none of them.
func foreignMarks(c *classified) []remark {
	if c.finished {
		return nil
	}
	var said []remark
	switch value := c.pod.Labels[clusterAPIDrain]; drainrule.OfLabel(value) {
	case drainrule.Skip:
		said = append(said, c.obeyed(HonorClusterAPI, ActionSkip, ReasonForeign, LevelInfo,
			"label "+clusterAPIDrain+"="+value)...)
	case drainrule.WaitCompleted:
		said = append(said, c.obeyed(HonorClusterAPI, "", ReasonWaitForCompletion, LevelInfo,
			"label "+clusterAPIDrain+"="+value+": runs to completion first")...)
	}
	if c.pod.Annotations[safeToEvict] == "false" {
		said = append(said, c.obeyed(HonorClusterAutoscaler, ActionRefuse, ReasonForeign, LevelError,
			"annotation "+safeToEvict+"=false")...)
	}
	if value := c.pod.Annotations[KarpenterNoDisrup]; undisturbed(value, c.pod.Created, c.serverNow) {
		said = append(said, c.obeyed(HonorKarpenter, ActionRefuse, ReasonForeign, LevelError,
			"annotation "+KarpenterNoDisrup+"="+value)...)
	}
	if c.o.WaitJobs && c.pod.Owner != nil && c.pod.Owner.Kind == "Job" {
		said = append(said, says(ReasonWaitForCompletion, LevelInfo,
			"its Job runs to completion first (--wait-jobs)")...)
	}
	return said
}

// machineDrainRule is what the MachineDrainRule that is for the pod asks for. The label of the pod
// itself comes first, and pods of DaemonSets and mirror pods have no rules.
func machineDrainRule(c *classified) []remark {
	if c.finished || c.moot() || drainrule.OfLabel(c.pod.Labels[clusterAPIDrain]) != "" {
		return nil
	}
	rule, why := c.o.DrainRules.For(c.s, c.pod)
	switch {
	case rule == nil:
		return nil
	case why != "":
		return c.obeyed(HonorClusterAPI, ActionRefuse, ReasonMachineDrainRule, LevelError, rule.Title()+": "+why)
	case rule.Behavior == drainrule.Skip:
		return c.obeyed(HonorClusterAPI, ActionSkip, ReasonMachineDrainRule, LevelWarning,
			rule.Title()+" skips it: it stays on its node")
	case rule.Behavior == drainrule.WaitCompleted:
		return c.obeyed(HonorClusterAPI, "", ReasonWaitForCompletion, LevelInfo,
			rule.Title()+": runs to completion first")
	case rule.Order == 0:
		return nil
	}
	if c.o.Honors(HonorClusterAPI) {
		c.order = rule.Order
	}
	return c.obeyed(HonorClusterAPI, "", ReasonMachineDrainRule, LevelInfo,
		fmt.Sprintf("%s: drain order %d (0 without a rule; lower ones leave the node first)", rule.Title(), rule.Order))
}

// obeyed lets a foreign mark decide if its project is honored; else it is shown.
func (c *classified) obeyed(project Honored, action Action, code ReasonCode, level Level, words string) []remark {
	switch {
	case !c.o.Honors(project):
		return says(ReasonForeign, LevelInfo, fmt.Sprintf("%s (not obeyed without --honor=%s)", words, project))
	case action == "":
		return says(code, level, words)
	}
	return stops(action, code, level, words+fmt.Sprintf(" (--honor=%s)", project))
}

// undisturbed reports whether Karpenter would leave the pod alone now: "true", or
// a duration that has not passed since the pod was made
// (karpenter pkg/utils/pod/scheduling.go).
func undisturbed(value string, created, serverNow time.Time) bool {
	switch value {
	case "": // as nearly always; ParseDuration would make an error of it
		return false
	case "true":
		return true
	}
	d, err := time.ParseDuration(value)
	return err == nil && serverNow.Before(created.Add(d))
}
