package plan

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// flags are kubectl's defaults, changed.
func flags(change ...func(*Options)) Options {
	o := DefaultOptions()
	for _, c := range change {
		c(&o)
	}
	return o
}

func force(o *Options)            { o.Force = true }
func ignoreDaemonSets(o *Options) { o.IgnoreDaemonSets = true }
func deleteEmptyDir(o *Options)   { o.DeleteEmptyDirData = true }
func disableEviction(o *Options)  { o.DisableEviction = true }

func skipDeletedAfter(d time.Duration) func(*Options) {
	return func(o *Options) { o.SkipWaitForDelete = d }
}

func podSelector(text string) func(*Options) {
	return func(o *Options) { o.PodSelector, o.Selector = text, labels.SelectorFromSet(mustSet(text)) }
}

func mustSet(text string) labels.Set {
	set, err := labels.ConvertSelectorToLabelsMap(text)
	if err != nil {
		panic(err)
	}
	return set
}

type wantedReason struct {
	code  ReasonCode
	level Level
	text  string // "" is any
}

func checkDecision(t *testing.T, got Decision, action Action, reasons []wantedReason) {
	t.Helper()
	if got.Action != action {
		t.Errorf("action is %q, want %q (%v)", got.Action, action, got.Reasons)
	}
	same := slices.EqualFunc(got.Reasons, reasons, func(g Reason, w wantedReason) bool {
		return g.Code == w.code && g.Level == w.level && (w.text == "" || g.Message == w.text)
	})
	if !same {
		t.Errorf("reasons are %+v, want %+v", got.Reasons, reasons)
	}
}

// The pods of kubectl's tests.
var (
	rcPod        = kubetest.Pod("default/bar", kubetest.OwnedBy("v1", "ReplicationController", "rc"))
	rsPod        = kubetest.Pod("default/bar", kubetest.OwnedBy("v1", "ReplicaSet", "rs"))
	dsPod        = kubetest.Pod("default/bar", kubetest.OwnedBy("apps/v1", "DaemonSet", "ds"))
	dsDonePod    = kubetest.Pod("default/bar", kubetest.OwnedBy("apps/v1", "DaemonSet", "ds"), kubetest.Phase(corev1.PodSucceeded))
	dsEmptyDir   = kubetest.Pod("default/bar", kubetest.OwnedBy("apps/v1", "DaemonSet", "ds"), kubetest.WithEmptyDir)
	orphanPod    = kubetest.Pod("default/bar", kubetest.OwnedBy("apps/v1", "DaemonSet", "missing-ds"))
	jobPod       = kubetest.Pod("default/bar", kubetest.OwnedBy("v1", "Job", "job"), kubetest.WithEmptyDir)
	jobDonePod   = kubetest.Pod("default/bar", kubetest.OwnedBy("v1", "Job", "job"), kubetest.WithEmptyDir, kubetest.Phase(corev1.PodSucceeded))
	nakedPod     = kubetest.Pod("default/bar")
	emptyDirPod  = kubetest.Pod("default/bar", kubetest.WithEmptyDir)
	emptyDirDone = kubetest.Pod("default/bar", kubetest.WithEmptyDir, kubetest.Phase(corev1.PodFailed))
)

// The rows of kubectl's TestDrain (k8s.io/kubectl pkg/cmd/drain/drain_test.go)
// that are about filters, under their names there; each once to evict and once
// to delete, as there.
func TestClassifyAsKubectlDrain(t *testing.T) {
	orphanNotFound := `daemonsets.apps "missing-ds" not found`
	table := []struct {
		name    string
		pod     *corev1.Pod
		o       Options
		action  Action
		reasons []wantedReason
	}{
		{"RC-managed pod", rcPod, flags(), ActionEvict, nil},
		{"DS-managed pod", dsPod, flags(), ActionRefuse, []wantedReason{{ReasonDaemonSet, LevelError, daemonSetError}}},
		{"DS-managed terminated pod", dsDonePod, flags(), ActionEvict, []wantedReason{{ReasonFinished, LevelInfo, ""}}},
		// Upstream's "orphaned DS-managed pod" has no owner at all; both forms are here.
		{"orphaned DS-managed pod", nakedPod, flags(), ActionRefuse, []wantedReason{{ReasonUnmanaged, LevelError, unmanagedError}}},
		{"orphaned DS-managed pod with --force", nakedPod, flags(force), ActionEvict, []wantedReason{{ReasonUnmanaged, LevelWarning, unmanagedDeleted}}},
		{"pod of a missing DaemonSet", orphanPod, flags(ignoreDaemonSets), ActionRefuse, []wantedReason{{ReasonOrphanedDaemonSet, LevelError, orphanNotFound}}},
		{"pod of a missing DaemonSet with --force", orphanPod, flags(force), ActionEvict, []wantedReason{{ReasonOrphanedDaemonSet, LevelWarning, orphanNotFound}}},
		{"DS-managed pod with --ignore-daemonsets", dsPod, flags(ignoreDaemonSets), ActionSkip, []wantedReason{{ReasonDaemonSet, LevelWarning, daemonSetSkipped}}},
		{"DS-managed pod with emptyDir with --ignore-daemonsets", dsEmptyDir, flags(ignoreDaemonSets), ActionSkip,
			[]wantedReason{{ReasonDaemonSet, LevelWarning, daemonSetSkipped}, {ReasonEmptyDir, LevelInfo, ""}}},
		{"Job-managed pod with local storage", jobPod, flags(force, deleteEmptyDir), ActionEvict, []wantedReason{{ReasonEmptyDir, LevelWarning, emptyDirDeleted}}},
		{"Job-managed terminated pod", jobDonePod, flags(), ActionEvict, []wantedReason{{ReasonFinished, LevelInfo, ""}}},
		{"RS-managed pod", rsPod, flags(), ActionEvict, nil},
		{"naked pod", nakedPod, flags(), ActionRefuse, []wantedReason{{ReasonUnmanaged, LevelError, unmanagedError}}},
		{"naked pod with --force", nakedPod, flags(force), ActionEvict, []wantedReason{{ReasonUnmanaged, LevelWarning, unmanagedDeleted}}},
		{"pod with EmptyDir", emptyDirPod, flags(force), ActionRefuse,
			[]wantedReason{{ReasonEmptyDir, LevelError, emptyDirError}, {ReasonUnmanaged, LevelWarning, unmanagedDeleted}}},
		{"terminated pod with emptyDir", emptyDirDone, flags(), ActionEvict, []wantedReason{{ReasonFinished, LevelInfo, ""}}},
		{"pod with EmptyDir and --delete-emptydir-data", emptyDirPod, flags(force, deleteEmptyDir), ActionEvict,
			[]wantedReason{{ReasonEmptyDir, LevelWarning, emptyDirDeleted}, {ReasonUnmanaged, LevelWarning, unmanagedDeleted}}},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			s := kubetest.SnapshotOf(kubetest.Now, row.pod, kubetest.DaemonSet("default/ds"))
			checkDecision(t, Classify(kubetest.RecordOf(s, row.pod), s, row.o, kubetest.Now), row.action, row.reasons)
			row.o.DisableEviction = true
			if row.action == ActionEvict {
				row.action = ActionDelete
			}
			checkDecision(t, Classify(kubetest.RecordOf(s, row.pod), s, row.o, kubetest.Now), row.action, row.reasons)
		})
	}
}

// --evict-daemonsets, which kubectl has not: it chooses pods of DaemonSets that would be refused or left, and no
// others; what else refuses a pod does so here too.
func TestClassifyChosenDaemonSets(t *testing.T) {
	evictDaemonSets := func(text string) func(*Options) {
		return func(o *Options) {
			if err := o.Flags().Set("evict-daemonsets", text); err != nil {
				t.Fatal(err)
			}
		}
	}
	chosen, other, none := evictDaemonSets("app=bar"), evictDaemonSets("app=other"), evictDaemonSets(" ")
	last := wantedReason{ReasonDaemonSetLast, LevelWarning, daemonSetLast}
	refused, left := wantedReason{ReasonDaemonSet, LevelError, daemonSetError}, wantedReason{ReasonDaemonSet, LevelWarning, daemonSetSkipped}
	foreign := kubetest.Pod("default/bar", kubetest.OwnedBy("apps.kruise.io/v1alpha1", "DaemonSet", "ds"))
	ending := kubetest.Pod("default/bar", kubetest.OwnedBy("apps/v1", "DaemonSet", "ds"), kubetest.Deleted(0))
	excluded := func(o *Options) { o.ExcludePods = []string{"default/bar"} }
	for _, row := range []struct {
		name    string
		pod     *corev1.Pod
		o       Options
		unknown bool // DaemonSets are not read yet
		action  Action
		reasons []wantedReason
	}{
		{"chosen", dsPod, flags(chosen), false, ActionEvict, []wantedReason{last}},
		{"chosen, the others ignored", dsPod, flags(chosen, ignoreDaemonSets), false, ActionEvict, []wantedReason{last}},
		{"chosen, without eviction", dsPod, flags(chosen, disableEviction), false, ActionDelete, []wantedReason{last}},
		{"not chosen", dsPod, flags(other), false, ActionRefuse, []wantedReason{refused}},
		{"not chosen, ignored", dsPod, flags(other, ignoreDaemonSets), false, ActionSkip, []wantedReason{left}},
		{"an empty selector chooses none", dsPod, flags(none, ignoreDaemonSets), false, ActionSkip, []wantedReason{left}},
		{"with emptyDir", dsEmptyDir, flags(chosen), false, ActionRefuse, []wantedReason{last, {ReasonEmptyDir, LevelError, emptyDirError}}},
		{"with emptyDir that may go", dsEmptyDir, flags(chosen, deleteEmptyDir), false, ActionEvict, []wantedReason{last, {ReasonEmptyDir, LevelWarning, emptyDirDeleted}}},
		{"not among --pod-selector", dsPod, flags(chosen, podSelector("app=web")), false, ActionSkip, []wantedReason{{ReasonNotSelected, LevelInfo, ""}}},
		{"excluded by hand", dsPod, flags(chosen, excluded), false, ActionSkip, []wantedReason{{ReasonExcluded, LevelWarning, ""}}},
		{"finished", dsDonePod, flags(chosen), false, ActionEvict, []wantedReason{{ReasonFinished, LevelInfo, ""}}},
		{"ending", ending, flags(chosen), false, ActionEvict, []wantedReason{{ReasonTerminating, LevelInfo, ""}, last}},
		{"its DaemonSet is gone", orphanPod, flags(chosen), false, ActionRefuse, []wantedReason{{ReasonOrphanedDaemonSet, LevelError, ""}}},
		{"its DaemonSet is not known yet", orphanPod, flags(chosen), true, ActionEvict, []wantedReason{{ReasonDaemonSetUnknown, LevelWarning, ""}, last}},
		{"of another API group", foreign, flags(chosen), false, ActionEvict, []wantedReason{{ReasonDaemonSetLike, LevelWarning, ""}}},
		{"of a ReplicaSet", rsPod, flags(chosen), false, ActionEvict, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			store := kubetest.StoreOf(kubetest.Now, row.pod, kubetest.DaemonSet("default/ds"))
			if row.unknown {
				store.SetSync(kube.KindDaemonSets, kube.SyncState{Phase: kube.NotSynced})
			}
			s := store.Snapshot()
			checkDecision(t, Classify(kubetest.RecordOf(s, row.pod), s, row.o, kubetest.Now), row.action, row.reasons)
		})
	}
}

// kubectl's TestSkipDeletedFilter (pkg/drain/filter_test.go), and the second
// around the limit: kubectl counts whole seconds after the end of grace.
func TestClassifySkipsLongDeleted(t *testing.T) {
	table := []struct {
		over, skip time.Duration
		alive      bool
		want       Action
	}{
		{alive: true, skip: 20 * time.Second, want: ActionEvict},
		{over: time.Second, skip: 20 * time.Second, want: ActionEvict},
		{over: 100 * time.Second, skip: 20 * time.Second, want: ActionSkip},
		{over: 20*time.Second + 900*time.Millisecond, skip: 20 * time.Second, want: ActionEvict},
		{over: 21 * time.Second, skip: 20 * time.Second, want: ActionSkip},
		{over: time.Hour, skip: 0, want: ActionEvict},
		{over: -time.Minute, skip: time.Second, want: ActionEvict}, // still in its grace period
	}
	for _, row := range table {
		p := kubetest.Pod("default/pod", kubetest.OwnedBy("apps/v1", "ReplicaSet", "rs"))
		if !row.alive {
			kubetest.Deleted(row.over)(p)
		}
		s := kubetest.SnapshotOf(kubetest.Now, p)
		got := Classify(kubetest.RecordOf(s, p), s, flags(skipDeletedAfter(row.skip)), kubetest.Now)
		if got.Action != row.want {
			t.Errorf("grace over for %v, skip after %v: %v, want %v", row.over, row.skip, got.Action, row.want)
		}
		if row.alive == slices.ContainsFunc(got.Reasons, func(r Reason) bool { return r.Code == ReasonTerminating }) {
			t.Errorf("grace over for %v: reasons %v", row.over, got.Reasons)
		}
	}
}

// The rule about terminating pods takes the server's time: here our clock is an
// hour behind.
func TestClassifyTakesServerTime(t *testing.T) {
	p := kubetest.Pod("default/pod", kubetest.Deleted(0))
	store := kubetest.StoreOf(kubetest.Now, p)
	store.SetHealth(kube.Health{Live: true, Offset: time.Hour})
	s := store.Snapshot()
	if got := Classify(kubetest.RecordOf(s, p), s, flags(skipDeletedAfter(time.Minute)), kubetest.Now); got.Action != ActionSkip {
		t.Errorf("action %v, want skip", got.Action)
	}
}

// Where kubectl keeps one reason, all are kept (drain-engines B8), and what
// decides is what stops kubectl.
func TestClassifyKeepsEveryReason(t *testing.T) {
	table := []struct {
		name    string
		pod     *corev1.Pod
		o       Options
		action  Action
		reasons []wantedReason
	}{
		{"bare pod with emptyDir, no flags: both flags that are missing", emptyDirPod, flags(), ActionRefuse,
			[]wantedReason{{ReasonEmptyDir, LevelError, emptyDirError}, {ReasonUnmanaged, LevelError, unmanagedError}}},
		{"DaemonSet's pod with emptyDir: the second flag would not matter", dsEmptyDir, flags(), ActionRefuse,
			[]wantedReason{{ReasonDaemonSet, LevelError, daemonSetError}, {ReasonEmptyDir, LevelInfo, ""}}},
		{"finished mirror pod: the mirror filter looks at finished pods too", kubetest.Pod("default/m", kubetest.Mirrored, kubetest.Phase(corev1.PodSucceeded)), flags(), ActionSkip,
			[]wantedReason{{ReasonMirror, LevelInfo, ""}}},
		{"mirror pod with emptyDir", kubetest.Pod("default/m", kubetest.Mirrored, kubetest.WithEmptyDir, kubetest.OwnedBy("v1", "Node", "w1")), flags(), ActionSkip,
			[]wantedReason{{ReasonMirror, LevelInfo, ""}, {ReasonEmptyDir, LevelInfo, ""}}},
		{"mirror pod of a DaemonSet: the DaemonSet filter comes first", kubetest.Pod("default/m", kubetest.Mirrored, kubetest.OwnedBy("apps/v1", "DaemonSet", "ds")), flags(), ActionRefuse,
			[]wantedReason{{ReasonDaemonSet, LevelError, daemonSetError}, {ReasonMirror, LevelInfo, ""}}},
		{"orphan with emptyDir and no flags", kubetest.Pod("default/o", kubetest.WithEmptyDir, kubetest.OwnedBy("apps/v1", "DaemonSet", "missing-ds")), flags(), ActionRefuse,
			[]wantedReason{{ReasonOrphanedDaemonSet, LevelError, ""}, {ReasonEmptyDir, LevelError, emptyDirError}}},
		{"long deleted DaemonSet's pod is skipped without its flag", kubetest.Pod("default/o", kubetest.Deleted(time.Hour), kubetest.OwnedBy("apps/v1", "DaemonSet", "ds")),
			flags(skipDeletedAfter(time.Second)), ActionSkip, []wantedReason{{ReasonTerminating, LevelInfo, ""}, {ReasonDaemonSet, LevelInfo, ""}}},
		{"not selected: kubectl does not even list it", emptyDirPod, flags(podSelector("app=other")), ActionSkip, []wantedReason{{ReasonNotSelected, LevelInfo, ""}}},
		{"excluded: nothing else is said of it", kubetest.Pod("default/x", kubetest.WithEmptyDir), flags(func(o *Options) { *o = o.TogglePod("default", "x") }), ActionSkip, []wantedReason{{ReasonExcluded, LevelWarning, ""}}},
		{"taken into the drain again", rsPod, flags(func(o *Options) { *o = o.TogglePod("default", rsPod.Name).TogglePod("default", rsPod.Name) }), ActionEvict, nil},
		{"a namesake elsewhere", rsPod, flags(func(o *Options) { *o = o.TogglePod("other", rsPod.Name) }), ActionEvict, nil},
		{"selected", rsPod, flags(podSelector("app=bar")), ActionEvict, nil},
		// drain-engines B12: kubectl knows DaemonSets of apps/v1 only.
		{"DaemonSet of another group", kubetest.Pod("default/k", kubetest.OwnedBy("apps.kruise.io/v1alpha1", "DaemonSet", "ds")), flags(), ActionEvict,
			[]wantedReason{{ReasonDaemonSetLike, LevelWarning, ""}}},
		{"a kind that is only named alike", kubetest.Pod("default/k", kubetest.OwnedBy("apps/v1", "daemonset", "ds")), flags(), ActionEvict, nil},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			s := kubetest.SnapshotOf(kubetest.Now, row.pod, kubetest.DaemonSet("default/ds"))
			checkDecision(t, Classify(kubetest.RecordOf(s, row.pod), s, row.o, kubetest.Now), row.action, row.reasons)
		})
	}
}

// Whether a DaemonSet's pod is an orphan cannot be told while DaemonSets cannot
// be read; nothing is taken for an orphan then.
func TestClassifyWithoutDaemonSets(t *testing.T) {
	table := []struct {
		name    string
		sync    kube.SyncState
		objects []runtime.Object
		o       Options
		action  Action
		reasons []wantedReason
	}{
		{"denied: kubectl's GET would answer 403", kube.SyncState{Phase: kube.Denied, Reason: "forbidden"}, nil,
			flags(ignoreDaemonSets, force), ActionRefuse,
			[]wantedReason{{ReasonDaemonSetUnknown, LevelError, `daemonsets.apps "ds" cannot be read, so it cannot be told whether it still exists: "forbidden"`}}},
		{"denied, but somebody found it", kube.SyncState{Phase: kube.Denied}, []runtime.Object{kubetest.DaemonSet("default/ds")},
			flags(ignoreDaemonSets), ActionSkip, []wantedReason{{ReasonDaemonSet, LevelWarning, daemonSetSkipped}}},
		{"still being read", kube.SyncState{Phase: kube.NotSynced}, nil, flags(ignoreDaemonSets, force), ActionSkip,
			[]wantedReason{{ReasonDaemonSetUnknown, LevelWarning, ""}, {ReasonDaemonSet, LevelWarning, daemonSetSkipped}}},
		{"connection gone", kube.SyncState{Phase: kube.Stale}, nil, flags(force), ActionRefuse,
			[]wantedReason{{ReasonDaemonSetUnknown, LevelWarning, ""}, {ReasonDaemonSet, LevelError, daemonSetError}}},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			store := kubetest.StoreOf(kubetest.Now, append(row.objects, dsPod)...)
			store.SetSync(kube.KindDaemonSets, row.sync)
			s := store.Snapshot()
			checkDecision(t, Classify(kubetest.RecordOf(s, dsPod), s, row.o, kubetest.Now), row.action, row.reasons)
		})
	}
}
