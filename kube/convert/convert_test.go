package convert

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

var nasty = "\x1b]0;owned\a\x1b[2Jboo\nhoo\u202e"

func readyPod(status corev1.ConditionStatus, since time.Time) *corev1.Pod {
	return &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{
		{Type: corev1.PodReady, Status: status, LastTransitionTime: metav1.NewTime(since)},
	}}}
}

// The rule is the stateful set controller's own: stateful_set_utils.go isHealthy.
func TestPodStatusRules(t *testing.T) {
	now := time.Unix(1000, 0)
	deleted := metav1.NewTime(now)
	terminating := readyPod(corev1.ConditionTrue, now)
	terminating.DeletionTimestamp = &deleted
	pending := readyPod(corev1.ConditionTrue, now)
	pending.Status.Phase = corev1.PodPending
	for name, c := range map[string]struct {
		pod            *corev1.Pod
		ready, healthy bool
	}{
		"ready":        {readyPod(corev1.ConditionTrue, now.Add(-11*time.Second)), true, true},
		"not ready":    {readyPod(corev1.ConditionFalse, now), false, false},
		"unknown":      {readyPod(corev1.ConditionUnknown, now), false, false},
		"no condition": {&corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning}}, false, false},
		"terminating":  {terminating, true, false},
		"pending":      {pending, true, false},
	} {
		p := Pod(c.pod)
		got := []bool{p.Ready, p.Healthy()}
		if want := []bool{c.ready, c.healthy}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: ready, healthy: %v, want %v", name, got, want)
		}
	}
	for phase, want := range map[corev1.PodPhase]bool{
		corev1.PodSucceeded: true, corev1.PodFailed: true, corev1.PodRunning: false, corev1.PodPending: false,
	} {
		if Pod(&corev1.Pod{Status: corev1.PodStatus{Phase: phase}}).Finished() != want {
			t.Errorf("finished in phase %s", phase)
		}
	}
}

func TestPodRecordKeepsWhatCounts(t *testing.T) {
	yes, grace, deletionGrace, priority := true, int64(7), int64(0), int32(5)
	group := "gang"
	deleted := metav1.NewTime(time.Unix(50, 0))
	p := Pod(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "a", Name: "p", UID: "u", Labels: map[string]string{"app": "x"}, Finalizers: []string{"f"},
			Annotations:       map[string]string{"other": "x", corev1.MirrorPodAnnotationKey: "hash", "karpenter.sh/do-not-disrupt": nasty},
			DeletionTimestamp: &deleted, DeletionGracePeriodSeconds: &deletionGrace,
			OwnerReferences: []metav1.OwnerReference{{Kind: "Other", Name: "o"}, {APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "rs", UID: "r", Controller: &yes}},
		},
		Spec: corev1.PodSpec{
			NodeName: "n", Priority: &priority, PriorityClassName: "high", TerminationGracePeriodSeconds: &grace, HostNetwork: true,
			SchedulerName: "evil\x1b[0m", RestartPolicy: corev1.RestartPolicyOnFailure, NodeSelector: map[string]string{"disk": "ssd"},
			SchedulingGates: []corev1.PodSchedulingGate{{Name: "g"}}, ResourceClaims: []corev1.PodResourceClaim{{Name: "gpu"}},
			SchedulingGroup: &corev1.PodSchedulingGroup{PodGroupName: &group},
			Containers: []corev1.Container{{
				Name: "c", Ports: []corev1.ContainerPort{{ContainerPort: 80}, {HostPort: 8080, Protocol: "TCP", HostIP: "1.2.3.4"}},
				Lifecycle: &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{}},
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("1Gi"),
					"nvidia.com/gpu": resource.MustParse("2"),
				}},
			}},
			Volumes: []corev1.Volume{
				{Name: "cache", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
				{Name: "shm", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}}},
				{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-0"}}},
				{Name: "scratch", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}},
				{Name: "host", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{}}},
				{Name: "nfs", VolumeSource: corev1.VolumeSource{NFS: &corev1.NFSVolumeSource{}}},
				{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{}}},
				{Name: "token", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{}}},
			},
		},
		Status: corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: nasty},
	})
	want := kube.PodSpec{
		Priority: 5, PriorityClass: "high", GraceSeconds: 7, HostNetwork: true, SchedulerName: "evil\ufffd[0m",
		Requests:     kube.Resources{CPUMilli: 250, MemoryBytes: 1 << 30, Extended: map[corev1.ResourceName]int64{"nvidia.com/gpu": 2}},
		HostPorts:    []kube.HostPort{{IP: "1.2.3.4", Protocol: "TCP", Port: 8080}},
		NodeSelector: map[string]string{"disk": "ssd"}, PreStop: true, ResourceClaims: 1, Gated: true, PodGroup: "gang",
		RestartPolicy: corev1.RestartPolicyOnFailure,
		Volumes: []kube.Volume{
			{Name: "cache", Kind: kube.VolumeEmptyDir, Claim: ""}, {Name: "shm", Kind: kube.VolumeMemory, Claim: ""}, {Name: "data", Kind: kube.VolumeClaim, Claim: "data-0"},
			{Name: "scratch", Kind: kube.VolumeEphemeral, Claim: "p-scratch"}, {Name: "host", Kind: kube.VolumeHostPath, Claim: ""}, {Name: "nfs", Kind: kube.VolumeMounted, Claim: ""},
		},
	}
	if !reflect.DeepEqual(*p.Spec, want) {
		t.Errorf("spec:\n got %+v\nwant %+v", *p.Spec, want)
	}
	if p.Owner.Name != "rs" || p.Owner.APIVersion != "apps/v1" || !p.Mirror() || !p.Terminating() || len(p.Annotations) != 2 ||
		p.Annotations["karpenter.sh/do-not-disrupt"] != "boo hoo" || p.Message != "boo hoo" || p.Labels["app"] != "x" || p.Finalizers[0] != "f" {
		t.Errorf("record: %+v", p)
	}
	if Pod(&corev1.Pod{}).Spec.GraceSeconds != 30 {
		t.Error("no default grace")
	}
}

// A DaemonSet's pin to its node is left out, any other affinity stays.
func TestDaemonSetPin(t *testing.T) {
	yes := true
	pin := &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
			{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"n"}},
		}}},
	}}}
	pod := func(kind, node string) *kube.Pod {
		return Pod(&corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{Kind: kind, Name: "o", UID: "o", Controller: &yes}}},
			Spec:       corev1.PodSpec{NodeName: node, Affinity: pin},
		})
	}
	if pod("DaemonSet", "n").Spec.Affinity != nil {
		t.Error("the pin stayed")
	}
	if pod("DaemonSet", "m").Spec.Affinity == nil || pod("ReplicaSet", "n").Spec.Affinity == nil {
		t.Error("an affinity that is no pin went")
	}
}

func TestNodeRecord(t *testing.T) {
	cordoned, later := metav1.NewTime(time.Unix(100, 0)), metav1.NewTime(time.Unix(200, 0))
	fields := func(raw string) *metav1.FieldsV1 { return metav1.NewFieldsV1(raw) }
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: "n", UID: "u", ResourceVersion: "9", Labels: map[string]string{corev1.LabelTopologyZone: "z1"},
			Annotations: map[string]string{kube.CordonAnnotation: `{"run":"r"}`, "weave.works/kured-node-lock": "x", "other": "y"},
			ManagedFields: []metav1.ManagedFieldsEntry{
				{Manager: "kubelet", Time: &later, FieldsV1: fields(`{"f:metadata":{"f:labels":{"f:unschedulable":{}}}}`)},
				{Manager: "kubectl-cordon", Time: &cordoned, FieldsV1: fields(`{"f:spec":{"f:unschedulable":{}}}`)},
			},
		},
		Spec: corev1.NodeSpec{Unschedulable: true, Taints: []corev1.Taint{{Key: corev1.TaintNodeUnschedulable, Effect: "NoSchedule"}}},
		Status: corev1.NodeStatus{
			Conditions: []corev1.NodeCondition{
				{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionFalse},
				{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, Reason: "NodeStatusUnknown", Message: nasty, LastTransitionTime: later},
			},
			Allocatable:  corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourcePods: resource.MustParse("110")},
			VolumesInUse: []corev1.UniqueVolumeName{"v1"}, VolumesAttached: []corev1.AttachedVolume{{Name: "v2"}},
			NodeInfo: corev1.NodeSystemInfo{KubeletVersion: "v1.36.3\x1b[0m", BootID: "boot"},
		},
	}
	n := Node(node)
	if n.Ready != kube.NodeUnknown || n.ReadyMessage != "boo hoo" || n.Zone() != "z1" || n.Allocatable.CPUMilli != 4000 || n.Allocatable.Pods != 110 ||
		n.KubeletVersion != "v1.36.3" || n.VolumesInUse[0] != "v1" || n.VolumesAttached[0] != "v2" || len(n.Annotations) != 2 || n.ResourceVersion != "9" {
		t.Errorf("record: %+v", n)
	}
	if c := n.Cordon; c.Manager != "kubectl-cordon" || !c.Since.Equal(cordoned.Time) || c.Mark != `{"run":"r"}` {
		t.Errorf("cordon: %+v", c)
	}
	// The manager wrote again later; the taint knows better.
	node.ManagedFields[1].Time, node.Spec.Taints[0].TimeAdded = &later, &cordoned
	if c := Node(node).Cordon; !c.Since.Equal(cordoned.Time) {
		t.Errorf("cordon with a taint: %+v", c)
	}
	// Who applies the field beside us has cordoned it, too, whoever wrote last.
	for _, ours := range []*metav1.Time{&cordoned, &later} {
		node.ManagedFields[1] = metav1.ManagedFieldsEntry{Manager: kube.FieldManager, Time: ours, FieldsV1: fields(`{"f:spec":{"f:unschedulable":{}}}`)}
		for _, other := range []metav1.ManagedFieldsEntry{
			{Manager: "gitops", Operation: metav1.ManagedFieldsOperationApply, Time: &cordoned, FieldsV1: fields(`{"f:spec":{"f:unschedulable":{}}}`)},
			{Manager: "gitops", Operation: metav1.ManagedFieldsOperationApply, Time: &later, FieldsV1: fields(`{"f:spec":{"f:unschedulable":{}}}`)},
		} {
			both := node.DeepCopy()
			both.ManagedFields = append(both.ManagedFields, other)
			reversed := both.DeepCopy()
			slices.Reverse(reversed.ManagedFields)
			if a, b := Node(both).Cordon, Node(reversed).Cordon; a.Manager != "gitops" || b.Manager != "gitops" {
				t.Errorf("cordoned by %s and %s", a.Manager, b.Manager)
			}
		}
		if c := Node(node).Cordon; c.Manager != kube.FieldManager {
			t.Errorf("cordoned by %s", c.Manager)
		}
	}
	node.Spec.Unschedulable = false
	if Node(node).Cordon != nil {
		t.Error("a schedulable node is cordoned")
	}
}

func TestBudgetRecord(t *testing.T) {
	always, most := policyv1.AlwaysAllow, intstr.FromString("30%")
	budget := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b", UID: "u", Generation: 2},
		Spec:       policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &most, UnhealthyPodEvictionPolicy: &always},
		Status: policyv1.PodDisruptionBudgetStatus{
			ObservedGeneration: 1, DisruptionsAllowed: 1, CurrentHealthy: 3, DesiredHealthy: 2, ExpectedPods: 4,
			DisruptedPods: map[string]metav1.Time{"p": metav1.NewTime(time.Unix(5, 0))},
			Conditions:    []metav1.Condition{{Type: "DisruptionAllowed", Status: "False", Reason: "SyncFailed", Message: nasty}},
		},
	}
	b := Budget(budget)
	if b.Observed() || b.UnhealthyPolicy != always || b.ConditionReason != "SyncFailed" || b.ConditionMessage != "boo hoo" ||
		!b.DisruptedPods["p"].Equal(time.Unix(5, 0)) || b.ExpectedPods != 4 || b.MaxUnavailable.StrVal != "30%" {
		t.Errorf("record: %+v", b)
	}
	for name, c := range map[string]struct {
		selector *metav1.LabelSelector
		matches  bool
	}{
		"nil": {nil, false}, "empty": {&metav1.LabelSelector{}, true},
		"labels":  {&metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}, true},
		"invalid": {&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Near"}}}, false},
	} {
		budget.Spec.Selector = c.selector
		if Budget(budget).Selector.Matches(labels.Set{"app": "x"}) != c.matches {
			t.Errorf("%s selector: want match %v", name, c.matches)
		}
	}
}

func TestRecordRefusesStrangers(t *testing.T) {
	if _, err := Record(&corev1.Secret{}); err == nil || !strings.Contains(err.Error(), "Secret") {
		t.Errorf("got %v", err)
	}
}
