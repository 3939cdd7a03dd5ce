package kubetest

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/kube/convert"
)

func (s *Simulation) AddReplicaSet(app string, replicas int32) {
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: app, UID: types.UID("rs-" + app)}}
	rs.Spec.Replicas, rs.Spec.Selector = &replicas, &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
	s.Replicas[app] = replicas
	s.Store.Put(convert.ReplicaSet(rs))
}
