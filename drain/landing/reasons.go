package landing

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// reason is why a node cannot take a pod, in the order in which the scheduler
// asks (pkg/scheduler/apis/config/v1/default_plugins.go): the first plugin that
// refuses has the word.
type reason uint8

const (
	none reason = iota
	notNamed
	cordoned
	tainted
	nodeAffinity
	portTaken
	tooManyPods
	noCPU
	noMemory
	noEphemeral
	claimInUse
	tooManyVolumes
	volumeElsewhere
	noVolume
	volumeGone
	otherZone
	spreadLabel
	spreadSkew
	podAffinity
	podAntiAffinity
	existingAntiAffinity
	reasons
)

var reasonText = [reasons]string{
	notNamed:             "node(s) didn't satisfy plugin(s) [NodeAffinity]",
	cordoned:             "node(s) were unschedulable",
	tainted:              "node(s) had untolerated taint(s)",
	nodeAffinity:         "node(s) didn't match Pod's node affinity/selector",
	portTaken:            "node(s) didn't have free ports for the requested pod ports",
	tooManyPods:          "Too many pods",
	noCPU:                "Insufficient cpu",
	noMemory:             "Insufficient memory",
	noEphemeral:          "Insufficient ephemeral-storage",
	claimInUse:           "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
	tooManyVolumes:       "node(s) exceed max volume count",
	volumeElsewhere:      "node(s) didn't match PersistentVolume's node affinity",
	noVolume:             "node(s) didn't find available persistent volumes to bind",
	volumeGone:           "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
	otherZone:            "node(s) had no available volume zone",
	spreadLabel:          "node(s) didn't match pod topology spread constraints (missing required label)",
	spreadSkew:           "node(s) didn't match pod topology spread constraints",
	podAffinity:          "node(s) didn't match pod affinity rules",
	podAntiAffinity:      "node(s) didn't match pod anti-affinity rules",
	existingAntiAffinity: "node(s) didn't satisfy existing pods anti-affinity rules",
}

// outcome is what asking all nodes for a pod came to.
type outcome struct {
	feasible []int32
	counts   [reasons]int
	extended map[corev1.ResourceName]int // nodes short of an extended resource
	preempts bool                        // none is feasible, and some would be without pods of lower priority
}

func (o *outcome) short(name corev1.ResourceName) {
	if o.extended == nil {
		o.extended = map[corev1.ResourceName]int{}
	}
	o.extended[name]++
}

// message is the scheduler's (pkg/scheduler/framework/types.go FitError),
// without its words on preemption.
func (o *outcome) message(g *group, nodes int) string {
	if nodes == 0 {
		return "no nodes available to schedule pods"
	}
	if g.blocked != "" {
		return fmt.Sprintf("0/%d nodes are available: %s.", nodes, g.blocked)
	}
	var parts []string
	for r, n := range o.counts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, reasonText[r]))
		}
	}
	for name, n := range o.extended {
		parts = append(parts, fmt.Sprintf("%d Insufficient %s", n, name))
	}
	slices.Sort(parts)
	return fmt.Sprintf("0/%d nodes are available: %s.", nodes, strings.Join(parts, ", "))
}
