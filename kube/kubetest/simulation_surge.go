package kubetest

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Raise gives an app more replicas and shows the annotation of the surge.
func (s *Simulation) Raise(_ context.Context, r request.Raise) kube.Answer {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.Marks[r.Name] != "" {
		return kube.Answer{Code: http.StatusConflict}
	}
	s.Marks[r.Name] = r.Mark
	was := s.Replicas[r.Name]
	s.Replicas[r.Name] = r.To
	s.PutReplicaSet(r.Name, true)
	for range r.To - was {
		s.replace(r.Name, true)
	}
	s.changed()
	return kube.Answer{Code: http.StatusOK}
}

// Lower sets them back, and removes pods as the ReplicaSet controller ranks them
// (getPodsToDelete): those that are not Ready, then those of the lowest cost, then the
// newest.
func (s *Simulation) Lower(_ context.Context, r request.Lower) kube.Answer {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if r.Mark != "" && s.Marks[r.Name] != r.Mark || r.From != r.To && s.Replicas[r.Name] != r.From {
		return kube.Answer{Code: http.StatusUnprocessableEntity}
	}
	if r.Mark != "" {
		s.Marks[r.Name] = r.Then
	}
	if r.From != r.To {
		s.Replicas[r.Name] = r.To
	}
	s.PutReplicaSet(r.Name, r.Owners == "")
	var active []*corev1.Pod
	for _, p := range s.Pods {
		if p.Labels["app"] == r.Name && p.DeletionTimestamp == nil {
			active = append(active, p)
		}
	}
	slices.SortFunc(active, func(a, b *corev1.Pod) int {
		return cmp.Or(rank(a)-rank(b), b.CreationTimestamp.Compare(a.CreationTimestamp.Time),
			cmp.Compare(a.Name, b.Name))
	})
	for _, p := range active[:max(0, len(active)-int(s.Replicas[r.Name]))] {
		s.remove(p)
	}
	s.changed()
	return kube.Answer{Code: http.StatusOK}
}

func rank(p *corev1.Pod) int {
	switch {
	case !IsReady(p):
		return 0
	case p.Annotations[kube.DeletionCostAnnotation] == request.LowestDeletionCost:
		return 1
	}
	return 2
}

// SetCost changes the deletion cost of a pod.
func (s *Simulation) SetCost(_ context.Context, r request.SetCost) kube.Answer {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	p := s.Pods[r.UID]
	switch {
	case p == nil:
		return kube.Answer{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound}
	case r.From != "" && p.Annotations[kube.DeletionCostAnnotation] != r.From:
		return kube.Answer{Code: http.StatusUnprocessableEntity}
	}
	changed := p.DeepCopy()
	changed.Annotations = map[string]string{kube.DeletionCostAnnotation: r.To}
	if r.To == "" {
		changed.Annotations = nil
	}
	s.Pods[p.UID] = changed
	s.Store.Put(convert.Pod(changed))
	s.changed()
	return kube.Answer{Code: http.StatusOK}
}

func (w MortalWriter) Raise(ctx context.Context, r request.Raise) kube.Answer {
	return w.send(func() kube.Answer { return w.Simulation.Raise(ctx, r) })
}

func (w MortalWriter) Lower(ctx context.Context, r request.Lower) kube.Answer {
	return w.send(func() kube.Answer { return w.Simulation.Lower(ctx, r) })
}

func (w MortalWriter) SetCost(ctx context.Context, r request.SetCost) kube.Answer {
	return w.send(func() kube.Answer { return w.Simulation.SetCost(ctx, r) })
}
