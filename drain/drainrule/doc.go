// Package drainrule knows which of Cluster API's MachineDrainRules is for a pod: those of the
// Machine of its node, by name, the first that selects the pod (core/reconcilers/machine/drain of
// Cluster API). It must not know what a drain does about it: that is for plan.Classify and for the
// order of evictions. Start at Finder.Of, then Rules.For.
package drainrule
