package drain

import (
	"maps"
	"slices"
	"strings"
)

// flagHelp says what each flag of a drain does. The commands' help and the options
// page of the dashboard both take their words from here.
var flagHelp = map[string]string{
	// kubectl's.
	"ignore-daemonsets":            "leave pods of DaemonSets where they are",
	"delete-emptydir-data":         "move pods with emptyDir volumes too; that local data is deleted",
	"force":                        "move pods too that no controller declares; they do not come back",
	"disable-eviction":             "delete instead of evicting; this goes past all PodDisruptionBudgets",
	"grace-period":                 "seconds that each pod gets to end; negative: the pod's own, 0: at once",
	"timeout":                      "how long a node may take before it is given up, like 90s or 15m; 0: for ever",
	"pod-selector":                 "only the pods that this label selector chooses",
	"skip-wait-for-delete-timeout": "do not wait for pods whose deletion is older than this many seconds; 0: wait for all",

	// Ours: what decides about pods and nodes.
	"order":                "tiers: ordinary pods first, then critical ones, then storage; a blocked pod holds nobody (default: all at once)",
	"honor":                "obey the drain labels and annotations of " + HonorableWords() + " (they are only shown otherwise)",
	"wait-jobs":            "let pods of Jobs run to their end instead of evicting them",
	"block-single-replica": "refuse a node that holds the only pod of a workload, or one of which that cannot be told",
	"guard":                "how many pods of a workload without a budget may be away at a time, like 25% or 1: the run itself holds the others back",
	"guard-write":          "make the guard real budgets in the cluster for the time of the run; they are removed at its end",

	// Ours: what steers a run.
	"max-parallel-nodes":     "how many nodes may make progress at a time; one that is held lets the next begin",
	"strict-order":           "a node that is held keeps its place: the next begins when it is through, as with kubectl",
	"max-parallel-evictions": "how many eviction requests may be on their way at a time",
	"all-or-nothing":         "touch no node if one of them is refused",
	"fail-on-blockers":       "refuse a node if a budget never lets one of its pods go, or it is the last Ready control-plane node",
	"fail-fast":              "begin no further node once one has failed",
	"max-parallel-volumes": "how many pods with volumes may be on their way at a time, per node and CSI driver, until the volumes are detached; " +
		"0: all, as kubectl",
	"detach-timeout":   "how long after a pod's grace period the detach of its volumes is waited for; then the next goes, with a warning",
	"reattach-timeout": "warn of a volume that no other node has after this time; it is never waited for; 0: never",
	"reason":           "why, in your words: kept in the mark on the node and in the report",
	"lease-namespace":  "where runs keep the Leases over their nodes, so that two never work on one; empty: none are taken or looked at",

	// Ours: what goes past budgets in the end, and what happens around an eviction.
	"exclude-from-lb": "label the nodes out of external load balancers with the cordon, and wait this long before the first eviction; " +
		"uncordon undoes it; 0: off",
	"max-evict-retries": "delete a pod past its budget, with its own grace period, once the budget (nothing else) refused it more often than this; 0: never",
	"force-after":       "delete a pod past its budget, with its own grace period, once the budget (no outage, no pause) held it for this long; 0: never",
	"allow-scale":       "let ctl give the workload of a blocked pod one more replica or roll it out anew; replicas are taken back at the end",
	"allow-zero-grace":  "let ctl delete a stuck pod with a grace period of zero: its process may still run",
	"allow-taint":       "let ctl declare a node that is off out of service: its pods are forgotten, its volumes detached",
}

// FlagHelp says in one clause what a flag of a drain does, by its name without
// dashes. A name that is none is a mistake of the program, and panics.
func FlagHelp(flag string) string {
	help, ok := flagHelp[flag]
	if !ok {
		panic("no flag of a drain is called " + flag)
	}
	return help
}

// Flags are the names of all flags that FlagHelp knows, sorted.
func Flags() []string { return slices.Sorted(maps.Keys(flagHelp)) }

// HonorableWords are the names that --honor takes, in words.
func HonorableWords() string {
	names := make([]string, len(Honorable))
	for i, h := range Honorable {
		names[i] = string(h)
	}
	return strings.Join(names, ", ")
}
