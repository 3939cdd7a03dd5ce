package convert

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

func TestWorkloadRecords(t *testing.T) {
	three, two, yes := int32(3), int32(2), true
	meta := metav1.ObjectMeta{
		Namespace: "a", Name: "w", UID: "u",
		OwnerReferences: []metav1.OwnerReference{{Kind: "Parent", Name: "p", UID: "p", Controller: &yes}},
	}
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}
	failure := "quota\x1b[2J"
	for _, c := range []struct {
		object  any
		kind    string
		failure string
	}{
		{&appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Replicas: &three, Selector: selector, MinReadySeconds: 5},
			Status: appsv1.ReplicaSetStatus{ReadyReplicas: 2, AvailableReplicas: 1, Conditions: []appsv1.ReplicaSetCondition{
				{Type: appsv1.ReplicaSetReplicaFailure, Status: corev1.ConditionTrue, Message: failure}}}}, "ReplicaSet", "quota"},
		{&appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Replicas: &three, Selector: selector, MinReadySeconds: 5},
			Status: appsv1.DeploymentStatus{ReadyReplicas: 2, AvailableReplicas: 1, Conditions: []appsv1.DeploymentCondition{
				{Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Message: failure}}}}, "Deployment", "quota"},
		{&appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Replicas: &three, Selector: selector, MinReadySeconds: 5},
			Status: appsv1.StatefulSetStatus{ReadyReplicas: 2, AvailableReplicas: 1}}, "StatefulSet", ""},
		{&appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{Selector: selector, MinReadySeconds: 5},
			Status: appsv1.DaemonSetStatus{DesiredNumberScheduled: 3, NumberReady: 2, NumberAvailable: 1}}, "DaemonSet", ""},
		{&corev1.ReplicationController{ObjectMeta: meta, Spec: corev1.ReplicationControllerSpec{Replicas: &three, Selector: map[string]string{"app": "x"}, MinReadySeconds: 5},
			Status: corev1.ReplicationControllerStatus{ReadyReplicas: 2, AvailableReplicas: 1}}, "ReplicationController", ""},
	} {
		record, err := Record(c.object)
		if err != nil {
			t.Fatal(err)
		}
		w := record.(*kube.Workload)
		if w.Kind != c.kind || w.Replicas != 3 || w.ReadyReplicas != 2 || w.Available != 1 || w.MinReadySeconds != 5 ||
			w.Failure != c.failure || w.Owner.Name != "p" || !w.Selector.Matches(labels.Set{"app": "x"}) {
			t.Errorf("%s: %+v", c.kind, w)
		}
		if w.Meta().Kind == "" {
			t.Errorf("%s has no kind in the store", c.kind)
		}
	}
	job := job(&batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{Parallelism: &three}, Status: batchv1.JobStatus{Ready: &two}})
	if job.Replicas != 3 || job.ReadyReplicas != 2 || job.Finished || job.Selector.Matches(labels.Set{}) {
		t.Errorf("job: %+v", job)
	}
}

// The rule is getFinishedStatus of the cron job controller.
func TestJobFinished(t *testing.T) {
	for name, c := range map[string]struct {
		conditions []batchv1.JobCondition
		as         string
	}{
		"running":   {nil, ""},
		"suspended": {[]batchv1.JobCondition{{Type: batchv1.JobSuspended, Status: corev1.ConditionTrue}}, ""},
		"not yet":   {[]batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionFalse}}, ""},
		"complete":  {[]batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}, "Complete"},
		"failed":    {[]batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Message: "too late"}}, "Failed"},
	} {
		w := job(&batchv1.Job{Status: batchv1.JobStatus{Conditions: c.conditions}})
		if w.Finished != (c.as != "") || w.FinishedAs != c.as {
			t.Errorf("%s: %+v", name, w)
		}
	}
}
