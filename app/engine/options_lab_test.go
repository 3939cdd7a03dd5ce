//go:build lab

package engine

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// A pod that its budget holds is deleted past it once the patience of the flag is over, and only
// after the server itself has refused its eviction.
func TestLabDeletionsPastBudgets(t *testing.T) {
	t.Parallel()
	for name, flag := range map[string]func(*plan.Options){
		"--force-after":       func(o *plan.Options) { o.ForceAfter = time.Second },
		"--max-evict-retries": func(o *plan.Options) { o.MaxEvictRetries = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			node := s.addNode("a")
			p := s.addPod("api", node)
			s.addBudget("api", "api", 1)
			c := s.connect("")
			w := s.watch(c)
			s.running(w, p)
			s.budgetHas(w, "api", 1, 0)
			o := bareOptions()
			o.GracePeriodSeconds = 1
			flag(&o)
			r := s.drain(w, c, o, node)
			if o.MaxEvictRetries > 0 {
				r.pod(p, eviction.BudgetBlocked)
				r.tried(p)
				r.Send(drain.Command{Kind: drain.CommandRetry, Pod: p.UID, By: "ada"})
			}
			r.pod(p, eviction.Gone)
			state := r.ends(drain.OutcomeDone)
			if state.Sent[attempt.VerbDelete] != 1 || state.Pod(p.UID).BudgetRefusals == 0 {
				t.Errorf("%d deletions after %d refusals\n%s", state.Sent[attempt.VerbDelete], state.Pod(p.UID).BudgetRefusals, r.story())
			}
		})
	}
}

// Ordinary pods go first, then critical ones, then what provides storage; the pod of a Job runs
// to its end.
func TestLabOrderAndJobs(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	node := s.addNode("a")
	critical := func(p *corev1.Pod) { p.Spec.PriorityClassName = "system-cluster-critical" }
	driver := func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "plugins", VolumeSource: corev1.VolumeSource{
			HostPath: &corev1.HostPathVolumeSource{Path: "/var/lib/kubelet/plugins"}}}}
	}
	storage, dns, web := s.addPod("csi", node, driver), s.addPod("dns", node, critical), s.addPod("web", node)
	work := s.addPod("work", node, s.ofJob("work"))
	c := s.connect("")
	w := s.watchOwners(c)
	s.running(w, storage, dns, web, work)
	o := bareOptions()
	o.Order, o.WaitJobs, o.GracePeriodSeconds = plan.OrderTiers, true, 1
	r := s.drain(w, c, o, node)
	for _, p := range []*corev1.Pod{web, dns, storage} {
		r.pod(p, eviction.Gone)
	}
	r.until("the pod of the Job is waited for", func(state *drain.State) bool {
		p := state.Pod(work.UID)
		return p.Wait != nil && p.Wait.For == waits.ForCompletion
	})
	if at := r.asked(work); len(at) > 0 {
		t.Errorf("the pod of the Job was to be evicted at %v, before its end", at)
	}
	_, err := s.client.CoreV1().Pods(s.namespace).Patch(s.Context(), work.Name, mergePatch, []byte(`{"status":{"phase":"Succeeded"}}`), metav1.PatchOptions{}, "status")
	s.must(err)
	state := r.ends(drain.OutcomeDone)
	for _, pair := range [][2]*corev1.Pod{{web, dns}, {dns, storage}} {
		if ended, next := state.Pod(pair[0].UID).Ended, r.asked(pair[1]); len(next) == 0 || next[0].Before(ended) {
			t.Errorf("%s was asked for at %v, before %s had ended at %s\n%s", pair[1].Name, next, pair[0].Name, ended, r.story())
		}
	}
}

// ofJob gives a pod to a Job that another controller manages, so that nobody makes or ends pods of it.
func (s *stage) ofJob(name string) labOption {
	s.Helper()
	by, controller := "test.kdrain-tui.dev/nobody", true
	template := corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever,
		Containers: []corev1.Container{{Name: "main", Image: "registry.local/" + name}}}}
	job, err := s.client.BatchV1().Jobs(s.namespace).Create(s.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: batchv1.JobSpec{ManagedBy: &by, Template: template},
	}, metav1.CreateOptions{})
	s.must(err)
	return func(p *corev1.Pod) {
		p.Spec.RestartPolicy = corev1.RestartPolicyNever
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: name, UID: job.UID, Controller: &controller}}
	}
}

// meddler changes a node right before the first cordon of it is sent.
type meddler struct {
	*connection
	meddle func()
	sent   atomic.Int32
}

func (m *meddler) Cordon(ctx context.Context, r request.Cordon) kube.Answer {
	if m.sent.Add(1) == 1 {
		m.meddle()
	}
	return m.connection.Writer.Cordon(ctx, r)
}

// A node that somebody changes between the look and the cordon is read again and cordoned; what
// was changed stays.
func TestLabNodeChangesBeforeTheCordon(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	node := s.addNode("a")
	p := s.addPod("web", node)
	c := s.connect("")
	w := s.watch(c)
	s.running(w, p)
	m := &meddler{connection: c, meddle: func() {
		_, err := s.client.CoreV1().Nodes().Patch(context.WithoutCancel(s.Context()), node, mergePatch,
			[]byte(`{"metadata":{"labels":{"test.kdrain-tui.dev/meddled":"yes"}}}`), metav1.PatchOptions{})
		if err != nil {
			s.Error(err)
		}
	}}
	o := bareOptions()
	o.GracePeriodSeconds = 1
	r := s.drain(w, m, o, node)
	state := r.ends(drain.OutcomeDone)
	conflicts := 0
	for _, e := range r.Events(0) {
		if e.Kind == drain.EventAnswer && e.Action != nil && e.Action.Verb == attempt.VerbCordon && e.Answer != nil && e.Answer.Code == 409 {
			conflicts++
		}
	}
	live, err := s.client.CoreV1().Nodes().Get(s.Context(), node, metav1.GetOptions{})
	s.must(err)
	if conflicts == 0 || m.sent.Load() < 2 || !live.Spec.Unschedulable || live.Labels["test.kdrain-tui.dev/meddled"] != "yes" || live.Annotations[kube.CordonAnnotation] == "" {
		t.Errorf("%d conflicts, %d cordons, node %s, on the server %+v\n%s", conflicts, m.sent.Load(), state.Node(node).State, live.ObjectMeta, r.story())
	}
}

// A volume that no other node has in time is named as late, and where it is attached at last is
// shown while the run is live.
func TestLateReattachOnTheLab(t *testing.T) {
	s := newStage(t)
	s.attacher()
	a, b := s.addVolumeNode("a"), s.addVolumeNode("b")
	c := s.connect("")
	w := s.watchVolumes(c)
	s.addClaim(w, "data", s.addDriver("disk"))
	db, held := s.addPod("db", a, uses("data")), s.addPod("web", a)
	s.addBudget("web", "web", 1)
	s.running(w, db, held)
	s.attachedAll(w, a, 1)
	s.budgetHas(w, "web", 1, 0)
	o := bareOptions()
	o.GracePeriodSeconds, o.DetachTimeout, o.ReattachTimeout = 1, time.Hour, time.Second
	r := s.drain(w, c, o, a)
	comes := func(what string, holds func(v *volume.VolumeRun) bool) {
		r.until(fmt.Sprintf("its volume is %s", what), func(state *drain.State) bool {
			v := state.Pod(db.UID).Volumes
			return len(v) == 1 && holds(&v[0])
		})
	}
	comes("late", func(v *volume.VolumeRun) bool { return v.State == volume.VolumeDetached && v.Late })
	s.addPod("db", b, uses("data"))
	comes("attached elsewhere", func(v *volume.VolumeRun) bool { return v.State == volume.VolumeReattached && v.Node == b })
	s.deleteBudget("web")
	r.pod(held, eviction.Gone)
	if n := r.ends(drain.OutcomeDone).Node(a); n.State != drain.NodeDrained || len(n.Attached) > 0 {
		t.Errorf("node %s, attached %v", n.State, n.Attached)
	}
}

// Two pods of a node that share a volume take no turns, and the volume leaves with the last.
func TestSharedVolumeOnTheLab(t *testing.T) {
	s := newStage(t)
	s.attacher()
	a := s.addVolumeNode("a")
	c := s.connect("")
	w := s.watchVolumes(c)
	s.addClaim(w, "data", s.addDriver("disk"))
	one, two := s.addPod("one", a, uses("data")), s.addPod("two", a, uses("data"))
	s.running(w, one, two)
	s.attachedAll(w, a, 1)
	o := bareOptions()
	o.GracePeriodSeconds, o.DetachTimeout = 1, time.Hour
	r := s.drain(w, c, o, a)
	r.pod(one, eviction.Gone)
	r.pod(two, eviction.Gone)
	r.ends(drain.OutcomeDone)
	s.attachedAll(w, a, 0)
}
