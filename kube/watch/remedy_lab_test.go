//go:build lab

package watch

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
	"github.com/kdrain-tui/kdrain-tui/kube/write"
)

// labMachinery is a connection that may do everything.
func labMachinery(t *testing.T) kubernetes.Interface {
	t.Helper()
	flags := labFlags(t, "")
	flags.Kubeconfig = filepath.Join(filepath.Dir(flags.Kubeconfig), "pki", "lab.kubeconfig")
	c, err := conn.Connect(t.Context(), flags, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c.Reads()
}

// labDeployment is a Deployment of no pods that can run: what is tested is its record.
func labDeployment(t *testing.T, client kubernetes.Interface, name string) *appsv1.Deployment {
	t.Helper()
	replicas, labels := int32(2), map[string]string{"app": name}
	d, err := client.AppsV1().Deployments("default").Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
				NodeSelector: map[string]string{"no": "node"}, Containers: []corev1.Container{{Name: "main", Image: "registry.local/x"}}}}},
	}, metav1.CreateOptions{FieldManager: "somebody"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = client.AppsV1().Deployments("default").Delete(ctx, name, metav1.DeleteOptions{})
	})
	return d
}

// The patches of the remedies do what their conditions allow and nothing else, and the
// record tells whose the number of replicas is.
func TestLabScaleAndRestart(t *testing.T) {
	client := labMachinery(t)
	d := labDeployment(t, client, "kube-remedies")
	c := labConnect(t, "")
	w := labWatch(t, c)
	shows := func(what string, holds func(*kube.Workload) bool) *kube.Workload {
		s := until(t, w, what, func(s *kube.Snapshot) bool { live := s.Workload(d.UID); return live != nil && holds(live) })
		return s.Workload(d.UID)
	}
	if live := shows("it has two replicas", func(live *kube.Workload) bool { return live.Replicas == 2 }); live.ReplicasOurs || live.DeployedBy != "" ||
		live.Rollout == nil || live.Rollout.Surge != 1 || live.Rollout.Unavailable != 0 {
		t.Errorf("%+v %+v", live, live.Rollout)
	}
	up := request.Scale{Kind: "Deployment", Namespace: "default", Name: d.Name, UID: d.UID, From: 2, To: 3}
	wrong := up
	wrong.From = 1
	if a := write.New(c).Scale(t.Context(), wrong); a.Code != 422 {
		t.Errorf("from another number: %+v", a)
	}
	wrong = up
	wrong.UID = "00000000-0000-0000-0000-000000000000"
	if a := write.New(c).Scale(t.Context(), wrong); a.Code != 422 && a.Code != 409 {
		t.Errorf("of another UID: %+v", a)
	}
	if a := write.New(c).Scale(t.Context(), up); !a.OK() {
		t.Errorf("scale: %+v", a)
	}
	shows("the number is ours", func(live *kube.Workload) bool { return live.Replicas == 3 && live.ReplicasOurs })
	for _, replicas := range []string{`{"spec":{"replicas":4}}`, `{"spec":{"replicas":3}}`} {
		if _, err := client.AppsV1().Deployments("default").Patch(t.Context(), d.Name, types.MergePatchType, []byte(replicas), metav1.PatchOptions{FieldManager: "somebody"}); err != nil {
			t.Fatal(err)
		}
	}
	shows("the same number is somebody else's", func(live *kube.Workload) bool { return live.Replicas == 3 && !live.ReplicasOurs })

	restart := request.Restart{Namespace: "default", Name: d.Name, UID: d.UID, ResourceVersion: "1", At: time.Now()}
	if a := write.New(c).Restart(t.Context(), restart); a.Code != 409 {
		t.Errorf("restart of an old version: %+v", a)
	}
	shows("it is restarted", func(live *kube.Workload) bool {
		restart.ResourceVersion = live.ResourceVersion
		a := write.New(c).Restart(t.Context(), restart)
		if !a.OK() && a.Code != 409 { // its status may just have changed
			t.Fatalf("restart: %+v", a)
		}
		return a.OK()
	})
}

func TestLabTaint(t *testing.T) {
	c := labConnect(t, "")
	w := labWatch(t, c)
	node := schedulableNode(t, w)
	request := request.SetTaints{Node: node.Name, UID: node.UID, ResourceVersion: "1", Taints: node.TaintsWith(), Mark: `{"run":"test"}`}
	if a := write.New(c).Taint(t.Context(), request); a.Code != 409 {
		t.Errorf("an old version: %+v", a)
	}
	request.DryRun = true
	onNewest(t, w, node.Name, func(n *kube.Node) kube.Answer {
		request.ResourceVersion = n.ResourceVersion
		return write.New(c).Taint(t.Context(), request)
	})
	if w.Snapshot().Node(node.Name).OutOfService() {
		t.Error("a dry run tainted the node")
	}
}

// After a surge the number is its owners' again: a GitOps tool is seen, and an apply of another number has no conflict.
func TestLabSurgeGivesTheNumberBack(t *testing.T) {
	client := labMachinery(t)
	c := labConnect(t, "")
	w := labWatch(t, c)
	apply := func(name, manager string, replicas int) (*appsv1.Deployment, error) {
		text := fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":%q},"spec":{"replicas":%d}}`, name, replicas)
		return client.AppsV1().Deployments("default").Patch(t.Context(), name, types.ApplyPatchType, []byte(text), metav1.PatchOptions{FieldManager: manager})
	}
	for name, manager := range map[string]string{"surge-gitops": "argocd-controller", "surge-apply": "kubectl", "surge-update": ""} {
		d := labDeployment(t, client, name)
		if manager != "" {
			if _, err := apply(name, manager, 2); err != nil {
				t.Fatal(err)
			}
		}
		shows := func(what string, holds func(*kube.Workload) bool) *kube.Workload {
			s := until(t, w, name+": "+what, func(s *kube.Snapshot) bool { live := s.Workload(d.UID); return live != nil && holds(live) })
			return s.Workload(d.UID)
		}
		before := shows("whose the number is", func(live *kube.Workload) bool {
			return live.ReplicasOwners != "" && !live.Unobserved && (manager == "" || strings.Contains(live.ReplicasOwners, manager))
		})
		for { // until no status was written in between
			up := request.Raise{Kind: "Deployment", Namespace: "default", Name: name, UID: d.UID, ResourceVersion: shows("", func(*kube.Workload) bool { return true }).ResourceVersion, To: 3, Mark: "a mark"}
			a := write.New(c).Raise(t.Context(), up)
			if a.OK() {
				break
			}
			if a.Code != 409 {
				t.Fatalf("raise: %+v", a)
			}
		}
		if live := shows("it is raised", func(live *kube.Workload) bool { return live.Replicas == 3 }); !live.ReplicasOurs || live.ReplicasBy != "" {
			t.Errorf("%s: raised: %+v", name, live)
		}
		down := request.Lower{Kind: "Deployment", Namespace: "default", Name: name, UID: d.UID, From: 3, To: 2, Mark: "a mark"}
		if a := write.New(c).Lower(t.Context(), down); !a.OK() {
			t.Fatalf("lower: %+v", a)
		}
		back := request.Lower{Kind: "Deployment", Namespace: "default", Name: name, UID: d.UID, From: 2, To: 2, Owners: before.ReplicasOwners}
		giveBack := func() {
			for { // until no status was written in between
				a := write.New(c).Lower(t.Context(), back)
				if a.OK() {
					return
				}
				if a.Code != 409 {
					t.Fatalf("give back: %+v", a)
				}
			}
		}
		again := request.Raise{Kind: "Deployment", Namespace: "default", Name: name, UID: d.UID, To: 2, Mark: "another run's mark"}
		if a := write.New(c).Raise(t.Context(), again); !a.OK() {
			t.Fatalf("the mark of another run: %+v", a)
		}
		shows("it has the mark of another run", func(live *kube.Workload) bool { return live.SurgeMark == again.Mark && live.ReplicasOurs })
		if a := write.New(c).Lower(t.Context(), back); !a.OK() {
			t.Fatalf("give back: %+v", a)
		}
		if live := shows("", func(*kube.Workload) bool { return true }); !live.ReplicasOurs {
			t.Errorf("%s: the number of another run was given away", name)
		}
		unmark := request.Lower{Kind: "Deployment", Namespace: "default", Name: name, UID: d.UID, From: 2, To: 2, Mark: again.Mark}
		if a := write.New(c).Lower(t.Context(), unmark); !a.OK() {
			t.Fatalf("unmark: %+v", a)
		}
		giveBack()
		after := shows("the number is theirs", func(live *kube.Workload) bool { return live.Replicas == 2 && live.ReplicasOwners != "" })
		if after.ReplicasOurs || after.ReplicasOwners != before.ReplicasOwners || after.ReplicasBy != before.ReplicasBy || after.SurgeMark != "" {
			t.Errorf("%s: %+v, before it was %+v", name, after, before)
		}
		if _, err := apply(name, cmp.Or(manager, "argocd-controller"), 5); err != nil && strings.Contains(err.Error(), kube.FieldManager) {
			t.Errorf("%s: apply of another number: %v", name, err)
		}
	}
}
