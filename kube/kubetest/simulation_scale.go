package kubetest

import (
	"context"
	"net/http"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// remedyLog is what the remedies asked for.
type remedyLog struct {
	Scaled    []request.Scale
	restarted []request.Restart
	tainted   []request.SetTaints
}

// PutReplicaSet shows the ReplicaSet of an app, whose number the run has set or not.
func (s *Simulation) PutReplicaSet(app string, ours bool) {
	replicas := s.Replicas[app]
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: app,
		UID: types.UID("rs-" + app)}}
	rs.Spec.Replicas, rs.Spec.Selector = &replicas, &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
	if mark := s.Marks[app]; mark != "" {
		rs.Annotations = map[string]string{kube.SurgeAnnotation: mark}
	}
	if ours {
		rs.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: kube.FieldManager,
			FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`)}}
	}
	s.Store.Put(convert.ReplicaSet(rs))
}

// countReady shows in the status of each ReplicaSet how many of its pods are Ready, as its controller does.
func (s *Simulation) countReady() {
	ready := map[string]int32{}
	for _, p := range s.Pods {
		if p.DeletionTimestamp == nil && IsReady(p) {
			ready[p.Labels["app"]]++
		}
	}
	for _, w := range kube.Workloads(s.Store.Snapshot(), kube.KindReplicaSets) {
		if n := ready[w.Name]; n != w.ReadyReplicas {
			shown := *w
			shown.ReadyReplicas = n
			s.Store.Put(&shown)
		}
	}
}

// Scale changes the replicas of an app as the API server does: only from the
// number that the request names.
func (s *Simulation) Scale(_ context.Context, r request.Scale) kube.Answer {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.Replicas[r.Name] != r.From {
		return kube.Answer{Code: http.StatusUnprocessableEntity,
			Message: "the server rejected our request due to an error in our request"}
	}
	s.Scaled = append(s.Scaled, r)
	s.ScaleTo(r.Name, r.To, true)
	s.changed()
	return kube.Answer{Code: http.StatusOK}
}

// ScaleTo gives an app that many replicas, set by the run or by somebody else.
func (s *Simulation) ScaleTo(app string, replicas int32, ours bool) {
	was := s.Replicas[app]
	s.Replicas[app] = replicas
	s.PutReplicaSet(app, ours)
	if replicas > was {
		s.replace(app, true)
	}
	s.Control(app)
}

func (s *Simulation) Restart(_ context.Context, r request.Restart) kube.Answer {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.restarted = append(s.restarted, r)
	return kube.Answer{Code: http.StatusOK}
}

// Taint sets the taints of a node; pods that end on one that is out of service
// are gone at once, as the garbage collector sees to it.
func (s *Simulation) Taint(_ context.Context, r request.SetTaints) kube.Answer {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.Nodes[r.Node].ResourceVersion != r.ResourceVersion {
		return kube.Answer{Code: http.StatusConflict}
	}
	s.tainted = append(s.tainted, r)
	s.SetNode(r.Node, func(n *corev1.Node) {
		n.Spec.Taints = slices.Clone(r.Taints)
		n.Annotations[kube.OutOfServiceAnnotation] = r.Mark
	})
	s.changed()
	return kube.Answer{Code: http.StatusOK}
}

// SetFields accepts every change; nothing in the simulation depends on it.
func (s *Simulation) SetFields(context.Context, request.SetFields) kube.Answer {
	return kube.Answer{Code: http.StatusOK}
}

func (w MortalWriter) SetFields(ctx context.Context, r request.SetFields) kube.Answer {
	return w.send(func() kube.Answer { return w.Simulation.SetFields(ctx, r) })
}

func (w MortalWriter) Scale(ctx context.Context, r request.Scale) kube.Answer {
	return w.send(func() kube.Answer { return w.Simulation.Scale(ctx, r) })
}

func (w MortalWriter) Restart(ctx context.Context, r request.Restart) kube.Answer {
	return w.send(func() kube.Answer { return w.Simulation.Restart(ctx, r) })
}

func (w MortalWriter) Taint(ctx context.Context, r request.SetTaints) kube.Answer {
	return w.send(func() kube.Answer { return w.Simulation.Taint(ctx, r) })
}

func (s *Simulation) AddReplicaSet(app string, replicas int32) {
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: app,
		UID: types.UID("rs-" + app)}}
	rs.Spec.Replicas, rs.Spec.Selector = &replicas, &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
	s.Replicas[app] = replicas
	s.Store.Put(convert.ReplicaSet(rs))
}

func (s *Simulation) Has(app string) int32 {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Replicas[app]
}

func (s *Simulation) SomebodyScales(app string, to int32) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.ScaleTo(app, to, false)
}

func (s *Simulation) ShowAgents() {
	s.Store.Put(convert.DaemonSet(&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "agent",
		UID: "ds"}}))
}
