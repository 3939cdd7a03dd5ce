package kubetest

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube/convert"
)

// Flap lets a pod be Ready for a moment and crash again, over and over.
func (s *Simulation) Flap(p *corev1.Pod, app string, every time.Duration) {
	up := true
	var turn func()
	turn = func() {
		up = !up
		changed := s.Pods[p.UID].DeepCopy()
		SetReady(changed, up)
		if !up {
			ended := &corev1.ContainerStateTerminated{ExitCode: 137, Reason: "Error",
				Message: "the password is hunter2", FinishedAt: metav1.Now()}
			changed.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "app",
				State: corev1.ContainerState{Terminated: ended}}}
		}
		s.Pods[p.UID] = changed
		s.Store.Put(convert.Pod(changed))
		s.Control(app)
		s.Later(every, turn)
	}
	s.Later(every, turn)
}
