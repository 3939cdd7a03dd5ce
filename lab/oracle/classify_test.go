// Package oracle compares the rules of the drain package with kubectl's own
// code, which the main module does not carry.
package oracle

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/kubernetes/fake"
	kubectl "k8s.io/kubectl/pkg/drain"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// Random cases: ORACLE_N of them (a case is a pod under a set of flags), from
// ORACLE_SEED, which is fresh and printed where it is not given.
const defaultCases = 100_000

func fromEnvironment(t *testing.T) (cases int, seed uint64) {
	cases, seed = defaultCases, rand.Uint64()
	if v := os.Getenv("ORACLE_N"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			t.Fatalf("ORACLE_N: %v", err)
		}
		cases = n
	}
	if v := os.Getenv("ORACLE_SEED"); v != "" {
		n, err := strconv.ParseUint(v, 10, 64)
		if err != nil {
			t.Fatalf("ORACLE_SEED: %v", err)
		}
		seed = n
	}
	return cases, seed
}

// TestClassifyAgreesWithKubectl gives random pods and flags to kubectl's
// drain.Helper and to Classify and compares which pods are taken, which errors
// stop the drain and which warnings are printed. What may differ is the list in
// explained, and nothing else. Time stands still meanwhile: kubectl asks the clock
// how long a pod has been terminating.
func TestClassifyAgreesWithKubectl(t *testing.T) {
	n, seed := fromEnvironment(t)
	t.Logf("ORACLE_N=%d ORACLE_SEED=%d", n, seed)
	start, seen := time.Now(), tally{}
	synctest.Test(t, func(t *testing.T) { classifyAll(t, n, seed, seen) })
	t.Logf("%d cases in %s: %s", n, time.Since(start).Round(time.Millisecond), seen)
	if n >= defaultCases {
		seen.requireAll(t)
	}
}

func classifyAll(t *testing.T, n int, seed uint64, seen tally) {
	random := rand.New(rand.NewPCG(seed, 0))
	for done := 0; done < n; {
		w := newWorld(random, time.Now())
		client, snapshot := w.client(), kubetest.SnapshotOf(w.now, w.objects()...)
		for range setsPerWorld {
			o := randomFlags(random)
			for _, node := range w.nodes {
				done += len(w.podsOn(node))
				if problems := compare(client, snapshot, node, o, seen); len(problems) > 0 {
					t.Fatalf("seed %d, node %s, %s:\n%s", seed, node, describe(o), strings.Join(problems, "\n"))
				}
			}
		}
	}
}

// verdict is what one of the two says of a node: pods by namespace/name.
type verdict struct {
	taken    []string
	errors   map[string]string // message by pod
	warnings map[string]string // "code" is only known of ours
}

func compare(client *fake.Clientset, s *kube.Snapshot, node string, o plan.Options, seen tally) []string {
	theirs := askKubectl(client, node, o)
	var problems []string
	disagree := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }

	var taken []string
	for _, p := range s.PodsOn(node) {
		name := p.Namespace + "/" + p.Name
		d := plan.Classify(p, s, o, s.At())
		if d.Action == plan.ActionEvict || d.Action == plan.ActionDelete {
			taken = append(taken, name)
			if (d.Action == plan.ActionDelete) != o.DisableEviction {
				disagree("%s: action %s", name, d.Action)
			}
		}
		compareErrors(name, d, theirs.errors[name], seen, disagree)
		compareWarnings(name, d, theirs.warnings[name], seen, disagree)
		seen.count(d)
	}
	slices.Sort(taken)
	if !slices.Equal(taken, theirs.taken) {
		disagree("we take %v, kubectl %v", taken, theirs.taken)
	}
	return problems
}

// askKubectl runs kubectl's code. Its lists of errors and warnings group the pods
// by message, in an order of their own: "cannot delete MESSAGE: POD, POD" and
// "MESSAGE: POD, POD; MESSAGE: POD".
func askKubectl(client *fake.Clientset, node string, o plan.Options) verdict {
	helper := &kubectl.Helper{
		Client: client, Force: o.Force, IgnoreAllDaemonSets: o.IgnoreDaemonSets,
		DeleteEmptyDirData: o.DeleteEmptyDirData, DisableEviction: o.DisableEviction,
		PodSelector: o.PodSelector, GracePeriodSeconds: o.GracePeriodSeconds, ChunkSize: 500,
		SkipWaitForDeleteTimeoutSeconds: int(o.SkipWaitForDelete.Seconds()),
	}
	list, errs := helper.GetPodsForDeletion(node)
	v := verdict{errors: map[string]string{}, warnings: map[string]string{}}
	for _, p := range list.Pods() {
		v.taken = append(v.taken, p.Namespace+"/"+p.Name)
	}
	slices.Sort(v.taken)
	for _, err := range errs {
		spread(v.errors, strings.TrimPrefix(err.Error(), "cannot delete "))
	}
	if text := list.Warnings(); text != "" {
		for _, group := range strings.Split(text, "; ") {
			spread(v.warnings, group)
		}
	}
	return v
}

// spread reads "MESSAGE: POD, POD" into the map.
func spread(into map[string]string, group string) {
	i := strings.LastIndex(group, ": ")
	for _, pod := range strings.Split(group[i+2:], ", ") {
		into[pod] = group[:i]
	}
}

// compareErrors asks that a pod is refused by both or by none, and that our
// first error is kubectl's.
func compareErrors(name string, d plan.Decision, theirs string, seen tally, disagree func(string, ...any)) {
	var errors []plan.Reason
	for _, r := range d.Reasons {
		if r.Level == plan.LevelError {
			errors = append(errors, r)
		}
	}
	if (d.Action == plan.ActionRefuse) != (len(errors) > 0) {
		disagree("%s: %s with errors %v", name, d.Action, errors)
	}
	switch {
	case len(errors) == 0 && theirs == "":
	case len(errors) == 0:
		disagree("%s: kubectl refuses it: %q", name, theirs)
	case theirs == "":
		disagree("%s: kubectl does not refuse it, we say %q", name, errors[0].Message)
	case errors[0].Message != theirs:
		disagree("%s: we say %q, kubectl %q", name, errors[0].Message, theirs)
	default:
		for _, more := range errors[1:] {
			if why := explainedError(more); why != "" {
				seen[why]++
			} else {
				disagree("%s: an error that kubectl does not know: %v", name, more)
			}
		}
	}
}

// compareWarnings asks that the warning that kubectl keeps is among ours.
func compareWarnings(name string, d plan.Decision, theirs string, seen tally, disagree func(string, ...any)) {
	found := theirs == ""
	for _, r := range d.Reasons {
		switch {
		case r.Level != plan.LevelWarning:
		case r.Message == theirs:
			found = true
		default:
			if why := explainedWarning(r, d); why != "" {
				seen[why]++
			} else {
				disagree("%s: a warning that kubectl does not print: %v", name, r)
			}
		}
	}
	if !found {
		disagree("%s: kubectl warns %q, we do not (%v)", name, theirs, d.Reasons)
	}
}

// The only differences that are allowed, and why.
const (
	// B8 (drain-engines 2.5): kubectl keeps the last filter's message of a pod, so
	// that the warning of an earlier one is lost wherever the pod goes through all
	// filters, or is stopped by a later one.
	lostWarning = "B8: warning that kubectl drops"
	// kubectl stops at the first error. We name all that stands in the way, so that
	// an operator does not find the second flag after the first run.
	furtherError = "further error behind kubectl's"
	// B12: a DaemonSet of another API group is evicted, as kubectl does, with a
	// warning of ours.
	foreignDaemonSet = "B12: warning about a DaemonSet of another group"
)

// explainedError says why an error behind the first one is right.
func explainedError(r plan.Reason) string {
	switch r.Code {
	case plan.ReasonEmptyDir, plan.ReasonUnmanaged: // the filters that may come second
		return furtherError
	}
	return ""
}

// explainedWarning says why a warning is right that kubectl does not print.
func explainedWarning(r plan.Reason, d plan.Decision) string {
	switch r.Code {
	case plan.ReasonEmptyDir, plan.ReasonOrphanedDaemonSet:
		return lostWarning // never the last filter
	case plan.ReasonUnmanaged:
		if d.Action == plan.ActionRefuse {
			return lostWarning // by --force, but the emptyDir refuses it before
		}
	case plan.ReasonDaemonSetLike:
		return foreignDaemonSet
	}
	return ""
}

// tally counts what came up, to see that the random cases reach all of it.
type tally map[string]int

func (t tally) count(d plan.Decision) {
	t["action "+string(d.Action)]++
	for _, r := range d.Reasons {
		t["reason "+string(r.Code)+" "+string(r.Level)]++
	}
}

func (t tally) String() string {
	var lines []string
	for what, n := range t {
		lines = append(lines, fmt.Sprintf("%s %d", what, n))
	}
	slices.Sort(lines)
	return strings.Join(lines, ", ")
}

func (t tally) requireAll(tt *testing.T) {
	for _, what := range []string{
		lostWarning, furtherError, foreignDaemonSet,
		"action evict", "action delete", "action skip", "action refuse",
		"reason DaemonSet error", "reason DaemonSet warning", "reason OrphanedDaemonSet error",
		"reason OrphanedDaemonSet warning", "reason Mirror info", "reason EmptyDir error", "reason EmptyDir warning",
		"reason Unmanaged error", "reason Unmanaged warning", "reason NotSelected info", "reason Terminating info",
	} {
		if t[what] == 0 {
			tt.Errorf("the random cases never came to %q", what)
		}
	}
}
