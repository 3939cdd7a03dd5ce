package kubetest

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube/convert"
)

func (s *Simulation) ShowAgents() {
	s.Store.Put(convert.DaemonSet(&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "agent", UID: "ds"}}))
}
