//go:build landing

package landing

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// perWorld is how many pods are tried in one world.
const perWorld = 10

// world tries pods in one random cluster. A pod that waits for a volume to be
// made leaves the scheduler waiting, so it is the last one there.
func (r *rig) world(t *testing.T, c *count, number int, random *rand.Rand) {
	t.Helper()
	d := dice{random}
	w := newWorld(number, d)
	r.scheduler.forget()
	r.create(t, w)
	defer r.clear(t)
	for i := 0; i < perWorld && c.cases < *cases; i++ {
		if last := r.try(t, c, w, d, i%2 == 1); last {
			return
		}
	}
}

// try is one case; it tells whether the world is spent.
func (r *rig) try(t *testing.T, c *count, w *world, d dice, moved bool) (spent bool) {
	t.Helper()
	var p *corev1.Pod
	var q question
	var a answer
	if moved {
		p, q, a = r.move(t, w, d)
	}
	if p == nil {
		p = w.pod(d, true)
		q, a = r.foresee(t, p)
		r.createPod(t, p)
	} else {
		c.moved++
	}
	c.cases++
	v := r.watch(t, p)
	r.compare(t, c, p, q, a, v)
	if err := gone(r.client.CoreV1().Pods(p.Namespace).Delete(t.Context(), p.Name, now())); err != nil {
		t.Fatal(err)
	}
	r.awaitGone(t, p)
	return v.waits
}

// foresee asks about a pod that is not there yet: once it is, the scheduler may
// begin to bind its claims.
func (r *rig) foresee(t *testing.T, p *corev1.Pod) (question, answer) {
	t.Helper()
	o := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	planned, err := r.client.CoreV1().Pods(p.Namespace).Create(t.Context(), p, o)
	must(t, err, false)
	q := r.list(t)
	q.Pods.Items = append(q.Pods.Items, *planned)
	return r.ask(t, q, p.Namespace+"/"+p.Name)
}

// move asks about a pod of a node in a plan, cordons the node, deletes the pod
// and recreates it. There may be no pod left to do that with.
func (r *rig) move(t *testing.T, w *world, d dice) (*corev1.Pod, question, answer) {
	t.Helper()
	candidates := slices.Clone(w.pods)
	d.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
	pods := r.client.CoreV1()
	for _, p := range candidates {
		w.pods = slices.DeleteFunc(w.pods, func(o *corev1.Pod) bool { return o == p })
		live, err := pods.Pods(p.Namespace).Get(t.Context(), p.Name, metav1.GetOptions{})
		if err != nil || live.DeletionTimestamp != nil || live.Status.Phase == corev1.PodSucceeded {
			continue
		}
		q, a := r.ask(t, r.list(t), p.Namespace+"/"+p.Name, p.Spec.NodeName)
		_, err = pods.Nodes().Patch(t.Context(), p.Spec.NodeName, types.MergePatchType, []byte(`{"spec":{"unschedulable":true}}`), metav1.PatchOptions{})
		must(t, err, false)
		must(t, pods.Pods(p.Namespace).Delete(t.Context(), p.Name, now()), false)
		r.settle(t)
		r.awaitCordon(t, p.Namespace, p.Spec.NodeName, w.name("probe"))
		again := p.DeepCopy()
		again.Name, again.Spec.NodeName = w.name("again"), ""
		r.createPod(t, again)
		return again, q, a
	}
	return nil, question{}, answer{}
}

// awaitCordon waits until the scheduler has seen that the node is cordoned: it
// refuses a pod that could go nowhere else. Before, it may still bind one there.
func (r *rig) awaitCordon(t *testing.T, namespace, node, name string) {
	t.Helper()
	pods := r.client.CoreV1().Pods(namespace)
	for tries := 0; ; tries++ {
		here := []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}
		probe := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("%s-%d", name, tries)},
			Spec: corev1.PodSpec{
				Containers: []corev1.Container{{Name: "probe", Image: "probe"}},
				Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
					NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: here}},
				}}},
			},
		}
		r.createPod(t, probe)
		v := r.watch(t, probe)
		must(t, gone(pods.Delete(t.Context(), probe.Name, now())), false)
		r.awaitGone(t, probe)
		if v.node == "" && !v.failed {
			return
		}
	}
}

func (r *rig) awaitGone(t *testing.T, p *corev1.Pod) {
	t.Helper()
	until(t, "the pod to be gone", func(ctx context.Context) bool {
		_, err := r.client.CoreV1().Pods(p.Namespace).Get(ctx, p.Name, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}

func (r *rig) createPod(t *testing.T, p *corev1.Pod) {
	t.Helper()
	_, err := r.client.CoreV1().Pods(p.Namespace).Create(t.Context(), p, metav1.CreateOptions{})
	must(t, err, false)
}

// verdict is what the scheduler did.
type verdict struct {
	node    string // where it bound the pod, "" if it refused
	message string
	failed  bool // an error of its own, neither
	waits   bool // the node is chosen, and the volume has to be made there
	// nominated is the node on which it has preempted pods for this one.
	nominated string
}

// preempts is our answer where the scheduler may preempt pods of lower priority.
const preempts = "may preempt pods of lower priority"

// watch waits for the scheduler's verdict.
func (r *rig) watch(t *testing.T, p *corev1.Pod) verdict {
	t.Helper()
	var v verdict
	until(t, "a verdict on "+p.Namespace+"/"+p.Name, func(context.Context) bool {
		var decided bool
		v, decided = r.look(t, p)
		return decided
	})
	return v
}

func (r *rig) look(t *testing.T, p *corev1.Pod) (v verdict, decided bool) {
	t.Helper()
	live, err := r.client.CoreV1().Pods(p.Namespace).Get(t.Context(), p.Name, metav1.GetOptions{})
	must(t, err, false)
	if live.Spec.NodeName != "" {
		return verdict{node: live.Spec.NodeName}, true
	}
	for _, vol := range live.Spec.Volumes {
		if vol.PersistentVolumeClaim == nil {
			continue
		}
		claim, err := r.client.CoreV1().PersistentVolumeClaims(p.Namespace).Get(t.Context(), vol.PersistentVolumeClaim.ClaimName, metav1.GetOptions{})
		if err == nil && claim.Annotations["volume.kubernetes.io/selected-node"] != "" {
			return verdict{node: claim.Annotations["volume.kubernetes.io/selected-node"], waits: true}, true
		}
	}
	for _, condition := range live.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return verdict{message: condition.Message, failed: condition.Reason == "SchedulerError",
				nominated: live.Status.NominatedNodeName}, true
		}
	}
	return verdict{}, false
}

// compare holds one against the other. Where the scheduler refused or failed and they
// differ, it gets some time: what it knows comes by watches, and may be old.
func (r *rig) compare(t *testing.T, c *count, p *corev1.Pod, q question, a answer, v verdict) {
	t.Helper()
	agree := func() bool {
		return v.node != "" && slices.Contains(a.Nodes, v.node) || v.node == "" && a.Answer == "DoesNotFit"
	}
	for end := time.Now().Add(patience); a.Answer != "Unknown" && v.node == "" && (!agree() || v.failed); time.Sleep(50 * time.Millisecond) {
		if later, decided := r.look(t, p); decided {
			v = later
		}
		if v.node != "" {
			c.settled++
		}
		if time.Now().After(end) {
			break
		}
	}
	switch {
	case a.Answer == "Unknown" && a.Why == preempts && (v.node != "" || v.nominated != ""):
		c.preempted++
		return
	case a.Answer == "Unknown" && a.Why == preempts: // pods of a lower priority alone, or spread, hold it off
		c.spared++
	case a.Answer == "Unknown":
		c.unknown++
	case agree() && v.nominated != "": // by ports or other pods: not modelled, and not a place today
		c.refused++
		c.unforeseen++
	case agree() && v.node != "":
		c.fits++
		r.compareSize(t, c, p, q, a)
		return
	case agree():
		c.refused++
		if strings.HasPrefix(v.message, a.Why) {
			c.words++
			return
		}
	case v.failed:
		c.schedulerErr++
	case a.Answer == "Fits" && v.node == "":
		c.falseFits++
	case a.Answer == "Fits":
		c.offSet++
	default:
		c.falseNo++
	}
	r.tell(c, p, q, a, v)
}

// compareSize counts where both found the same number of nodes.
func (r *rig) compareSize(t *testing.T, c *count, p *corev1.Pod, q question, a answer) {
	t.Helper()
	n, told := r.scheduler.feasible(p.Namespace, p.Name)
	for end := time.Now().Add(200 * time.Millisecond); !told && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		n, told = r.scheduler.feasible(p.Namespace, p.Name)
	}
	if !told {
		return
	}
	c.sizes++
	if n == len(a.Nodes) {
		c.feasible++
		return
	}
	r.tell(c, p, q, a, verdict{message: fmt.Sprintf("%d feasible nodes", n)})
}

// tell prints a case in which the two differ, if only by words.
func (r *rig) tell(c *count, p *corev1.Pod, q question, a answer, v verdict) {
	fmt.Printf("landing: case %d, pod %s\n   ours: %s %v %s\n  its: %s %s\n", c.cases, p.Name, a.Answer, a.Nodes, a.Why, v.node, v.message)
	if *keep == "" {
		return
	}
	data, err := json.Marshal(q)
	if err == nil {
		err = os.WriteFile(filepath.Join(*keep, p.Name+".json"), data, 0o600)
	}
	if err != nil {
		fmt.Println("landing: keep the question:", err)
	}
}
