package surge

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// deployed is Deployment shop/web of two pods, complete, and one pod of it.
func deployed(edit func(*appsv1.Deployment), more ...kubetest.PodOption) []runtime.Object {
	d, rs := kubetest.Deployment("shop/web", 2)
	d.Status.Replicas, d.Status.UpdatedReplicas, d.Status.ObservedGeneration = 2, 2, d.Generation
	if edit != nil {
		edit(d)
	}
	options := append([]kubetest.PodOption{kubetest.ByDeployment("web"), kubetest.On("w1")}, more...)
	return []runtime.Object{d, rs, kubetest.Pod("shop/web-1", options...)}
}

func owning(manager string, how metav1.ManagedFieldsOperationType) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) {
		d.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: manager, Operation: how, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`)}}
	}
}

func TestWhyNot(t *testing.T) {
	owner := func(kind string) []runtime.Object {
		return []runtime.Object{kubetest.Pod("shop/web-1", kubetest.OwnedBy("apps/v1", kind, "web"), kubetest.On("w1"))}
	}
	scaler := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: kubetest.Meta("HorizontalPodAutoscaler", "shop/web")}
	scaler.Spec.ScaleTargetRef = autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}
	controller := true
	for name, c := range map[string]struct {
		objects []runtime.Object
		managed bool
		code    Code
		says    string
	}{
		"it can":                {deployed(nil), false, "", ""},
		"no controller":         {[]runtime.Object{kubetest.Pod("shop/web-1")}, false, CodeKind, "no controller"},
		"a StatefulSet":         {owner("StatefulSet"), false, CodeKind, "further member"},
		"a Job":                 {owner("Job"), false, CodeKind, "to their end"},
		"another kind":          {owner("CloneSet"), false, CodeKind, "CloneSet web is not known"},
		"an owner that is gone": {owner("ReplicaSet"), false, CodeUnseen, "ReplicaSet web cannot be seen"},
		"a rollout": {deployed(func(d *appsv1.Deployment) { d.Status.UpdatedReplicas = 1 }), false,
			CodeRollout, "rollout of Deployment web is in progress"},
		"a spec not seen yet":               {deployed(func(d *appsv1.Deployment) { d.Generation++ }), false, CodeRollout, "has not seen its last change yet"},
		"a paused rollout that is complete": {deployed(func(d *appsv1.Deployment) { d.Spec.Paused = true }), false, "", ""},
		"an autoscaler":                     {append(deployed(nil), scaler), false, CodeAutoscaler, "autoscaler web owns"},
		"Argo CD": {deployed(owning("argocd-controller", metav1.ManagedFieldsOperationUpdate)), false,
			CodeManaged, "belong to argocd-controller"},
		"whoever applies it":            {deployed(owning("pipeline", metav1.ManagedFieldsOperationApply)), false, CodeManaged, "pipeline"},
		"whoever applies it, all right": {deployed(owning("pipeline", metav1.ManagedFieldsOperationApply)), true, "", ""},
		"a person's kubectl":            {deployed(owning("kubectl", metav1.ManagedFieldsOperationApply)), false, "", ""},
		"a person's scale":              {deployed(owning("somebody", metav1.ManagedFieldsOperationUpdate)), false, "", ""},
		"an operator": {deployed(func(d *appsv1.Deployment) {
			d.OwnerReferences = []metav1.OwnerReference{{APIVersion: "x/v1", Kind: "Shop", Name: "s", UID: "s", Controller: &controller}}
		}), false, CodeManaged, "Shop s owns Deployment web"},
		"another run": {deployed(func(d *appsv1.Deployment) {
			d.Annotations = map[string]string{kube.SurgeAnnotation: mark{Run: "r2", Was: 1, To: 2}.String()}
		}), false, CodeOtherRun, "run r2 has raised Deployment web from 1 to 2"},
		"an old copy of another run's annotation": {deployed(func(d *appsv1.Deployment) {
			d.Annotations = map[string]string{kube.SurgeAnnotation: mark{Run: "r9", Was: 90, To: 91}.String()}
		}), false, "", ""},
		"an annotation that is none": {deployed(func(d *appsv1.Deployment) { d.Annotations = map[string]string{kube.SurgeAnnotation: "x"} }), false, "", ""},
		"wants none": {deployed(func(d *appsv1.Deployment) {
			none := int32(0)
			d.Spec.Replicas, d.Status.Replicas, d.Status.UpdatedReplicas = &none, 0, 0
		}), false, CodeScaledDown, "wants no pods"},
	} {
		s := kubetest.SnapshotOf(kubetest.Now, c.objects...)
		w, why := Of(s, s.PodNamed("shop", "web-1"))
		if why == nil {
			why = whyNot(s, w, "r1", c.managed)
		}
		if why == nil {
			why = &Reason{}
		}
		if why.Code != c.code || !strings.Contains(why.Text, c.says) {
			t.Errorf("%s: %s %q; want %s %q", name, why.Code, why.Text, c.code, c.says)
		}
	}
}

// Of its own annotation a run says nothing: it is about to take that back.
func TestWhyNotOfTheRunItself(t *testing.T) {
	s := kubetest.SnapshotOf(kubetest.Now, deployed(func(d *appsv1.Deployment) {
		d.Annotations = map[string]string{kube.SurgeAnnotation: mark{Run: "r1"}.String()}
	})...)
	w, _ := Of(s, s.PodNamed("shop", "web-1"))
	if why := whyNot(s, w, "r1", false); why != nil {
		t.Errorf("%+v", why)
	}
}

func TestVolumeReason(t *testing.T) {
	claim := func(mode corev1.PersistentVolumeAccessMode) []runtime.Object {
		c := kubetest.BoundClaim("data", "pv-data")
		c.Namespace, c.Spec.AccessModes = "shop", []corev1.PersistentVolumeAccessMode{mode}
		return append(deployed(nil, kubetest.Claiming("data")), c, kubetest.CsiVolume("pv-data", "disk"))
	}
	for name, c := range map[string]struct {
		objects []runtime.Object
		code    Code
	}{
		"no volume":           {deployed(nil), ""},
		"local data":          {deployed(nil, kubetest.WithEmptyDir), ""},
		"for many":            {claim(corev1.ReadWriteMany), ""},
		"for one node":        {claim(corev1.ReadWriteOnce), CodeVolume},
		"for one pod":         {claim(corev1.ReadWriteOncePod), CodeVolume},
		"a claim not seen":    {deployed(nil, kubetest.Claiming("data")), CodeUnseen},
		"for many to read of": {claim(corev1.ReadOnlyMany), ""},
	} {
		s := kubetest.SnapshotOf(kubetest.Now, c.objects...)
		why := volumeReason(s, s.PodNamed("shop", "web-1"))
		if why == nil {
			why = &Reason{}
		}
		if why.Code != c.code {
			t.Errorf("%s: %+v, want %q", name, why, c.code)
		}
	}
}

func TestQuotaRoom(t *testing.T) {
	quota := func(resourceName corev1.ResourceName, hard, used string) *corev1.ResourceQuota {
		q := &corev1.ResourceQuota{ObjectMeta: kubetest.Meta("ResourceQuota", "shop/"+string(resourceName))}
		q.Status.Hard = corev1.ResourceList{resourceName: resource.MustParse(hard)}
		q.Status.Used = corev1.ResourceList{resourceName: resource.MustParse(used)}
		return q
	}
	for name, c := range map[string]struct {
		quotas []runtime.Object
		room   int64
	}{
		"none":               {nil, -1},
		"pods":               {[]runtime.Object{quota("pods", "10", "7")}, 3},
		"CPU":                {[]runtime.Object{quota("requests.cpu", "2", "1")}, 4},
		"the tighter one":    {[]runtime.Object{quota("requests.cpu", "2", "1"), quota("pods", "10", "8")}, 2},
		"exceeded":           {[]runtime.Object{quota("pods", "10", "11")}, 0},
		"of what it has not": {[]runtime.Object{quota("requests.memory", "1Gi", "1Gi")}, -1},
	} {
		s := kubetest.SnapshotOf(kubetest.Now, append(deployed(nil, kubetest.Asking("250m")), c.quotas...)...)
		if room := quotaRoom(s, s.PodNamed("shop", "web-1")); room != c.room {
			t.Errorf("%s: room for %d, want %d", name, room, c.room)
		}
	}
}

func TestAmount(t *testing.T) {
	for text, want := range map[string]int32{"1": 1, "7": 7, "100%": 20, "1%": 1, "26%": 6} {
		var a Amount
		if err := a.Set(text); err != nil || a.of(20) != want {
			t.Errorf("%s of 20 is %d (%v), want %d", text, a.of(20), err, want)
		}
	}
	for _, text := range []string{"0", "-1", "0%", "101%", "many", "%", "1.5", "2147483648"} {
		if a := Amount(""); a.Set(text) == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
