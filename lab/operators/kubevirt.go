package operators

import (
	"context"
	"fmt"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kdrain-tui/kdrain-tui/lab/webhook"
)

var machines = schema.GroupVersionResource{Group: "kubevirt.io", Version: "v1", Resource: "virtualmachineinstances"}

const domainAnnotation = "kubevirt.io/domain"

// virtAPI is the webhook of KubeVirt: it marks the machine for evacuation and answers 429, until the machine runs on
// another node (pod-eviction-admitter.go).
func (o *operators) virtAPI() webhook.Hook {
	return webhook.Hook{Name: "virt-launcher-eviction-interceptor.kubevirt.io", Namespace: "vms",
		Judge: o.judgeLauncher}
}

func (o *operators) judgeLauncher(ctx context.Context, r *admissionv1.AdmissionRequest) *metav1.Status {
	deny := func(format string, args ...any) *metav1.Status {
		return &metav1.Status{Code: http.StatusTooManyRequests, Message: fmt.Sprintf(format, args...)}
	}
	pod, err := o.typed.CoreV1().Pods(r.Namespace).Get(ctx, r.Name, metav1.GetOptions{})
	if err != nil || pod.Annotations[domainAnnotation] == "" {
		return nil
	}
	object, err := o.dynamic.Resource(machines).Namespace(r.Namespace).Get(ctx, pod.Annotations[domainAnnotation],
		metav1.GetOptions{})
	if err != nil {
		return deny("kubevirt failed getting the vmi: %v", err)
	}
	vmi := custom{object, machines}
	dry := r.DryRun != nil && *r.DryRun
	switch {
	case vmi.text("status", "nodeName") != pod.Spec.NodeName:
		return nil
	case !migratable(vmi):
		return deny("VMI %s is configured with an eviction strategy but is not live-migratable", vmi.GetName())
	case vmi.text("status", "evacuationNodeName") == "" && !dry:
		if err := o.setStatus(ctx, vmi, map[string]any{"evacuationNodeName": pod.Spec.NodeName}); err != nil {
			return deny("kubevirt failed marking the vmi for eviction: %v", err)
		}
	}
	return deny("Eviction triggered evacuation of VMI \"%s/%s\"", r.Namespace, vmi.GetName())
}

func migratable(vmi custom) bool {
	conditions, _, _ := unstructured.NestedSlice(vmi.Object, "status", "conditions")
	for _, c := range conditions {
		if c, ok := c.(map[string]any); ok && c["type"] == "LiveMigratable" {
			return c["status"] == "True"
		}
	}
	return false
}

// kubeVirt migrates the machines that are to be evacuated: a second pod starts, then the first one completes. While
// both run, the budget wants both.
func (o *operators) kubeVirt(ctx context.Context) error {
	return o.each(ctx, machines, func(ctx context.Context, vmi custom) error {
		if from := vmi.text("status", "evacuationNodeName"); from != "" {
			return o.migrate(ctx, vmi, from)
		}
		return nil
	})
}

func (o *operators) migrate(ctx context.Context, vmi custom, from string) error {
	var source, target *corev1.Pod
	for _, pod := range o.podsOf(vmi) {
		if pod.Spec.NodeName == from {
			source = pod
		} else {
			target = pod
		}
	}
	state := map[string]any{"sourceNode": from, "completed": false, "failed": false}
	switch {
	case source == nil:
		return nil // deleted past its budget: the machine is lost
	case target == nil:
		if err := o.setMinAvailable(ctx, vmi, 2); err != nil {
			return err
		}
		if err := o.create(ctx, source, "virt-launcher-"+vmi.GetName()+"-target", nil); err != nil {
			return err
		}
		return o.setStatus(ctx, vmi, map[string]any{"migrationState": state})
	case !ready(target) || !o.over("migration of "+vmi.GetName()):
		return nil
	}
	// The machine is on its new node before the pod on the old one completes: the webhook allows an eviction then.
	state["targetNode"], state["targetPod"], state["completed"] = target.Spec.NodeName, target.Name, true
	moved := map[string]any{"migrationState": state, "nodeName": target.Spec.NodeName}
	if err := o.setStatus(ctx, vmi, moved); err != nil {
		return err
	}
	if err := o.patchPod(ctx, source, `{"status":{"phase":"Succeeded","conditions":[`+
		`{"type":"Ready","status":"False","reason":"PodCompleted"}]}}`, "status"); err != nil {
		return err
	}
	if err := o.setMinAvailable(ctx, vmi, 1); err != nil {
		return err
	}
	return o.setStatus(ctx, vmi, map[string]any{"evacuationNodeName": nil})
}
