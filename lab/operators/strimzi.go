package operators

import (
	"context"
	"fmt"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kdrain-tui/kdrain-tui/lab/webhook"
)

var kafkas = schema.GroupVersionResource{Group: "kafka.strimzi.io", Version: "v1beta2", Resource: "kafkas"}

const rollAnnotation = "strimzi.io/manual-rolling-update"

// drainCleaner is the webhook of strimzi/drain-cleaner: it marks the pod for a restart and denies its eviction, with
// code 500 (ValidatingWebhook.java), after which kubectl gives the pod up.
func (o *operators) drainCleaner() webhook.Hook {
	return webhook.Hook{Name: "strimzi-drain-cleaner.strimzi.io", Namespace: "kafka", Judge: o.judgeBroker}
}

func (o *operators) judgeBroker(ctx context.Context, r *admissionv1.AdmissionRequest) *metav1.Status {
	pod, err := o.typed.CoreV1().Pods(r.Namespace).Get(ctx, r.Name, metav1.GetOptions{})
	if err != nil || pod.Labels["strimzi.io/kind"] != "Kafka" {
		return nil
	}
	denied := &metav1.Status{Code: http.StatusInternalServerError,
		Message: "The pod will be rolled by the Strimzi Cluster Operator"}
	if dry := r.DryRun != nil && *r.DryRun; dry || pod.Annotations[rollAnnotation] != "" {
		return denied
	}
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:"true"}}}`, rollAnnotation)
	if err := o.patchPod(ctx, pod, patch); err != nil {
		denied.Message = err.Error()
	}
	return denied
}

// strimzi deletes the pods that have its annotation, whatever their budget allows, and creates the missing ones.
func (o *operators) strimzi(ctx context.Context) error {
	return o.each(ctx, kafkas, func(ctx context.Context, c custom) error {
		for name, pod := range o.podsOf(c) {
			if pod.Annotations[rollAnnotation] == "" || !o.over("restart of "+name+" "+string(pod.UID)) {
				continue
			}
			if err := o.typed.CoreV1().Pods(pod.Namespace).Delete(ctx, name,
				metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(pod.UID))}); err != nil {
				return fmt.Errorf("restart pod %s: %w", name, err)
			}
			fmt.Fprintf(o.log, "lab: pod %s: deleted for a restart\n", name)
		}
		replicas, _, _ := unstructured.NestedInt64(c.Object, "spec", "kafka", "replicas")
		for i := range replicas {
			if err := o.restore(ctx, c, fmt.Sprintf("%s-kafka-%d", c.GetName(), i), nil); err != nil {
				return err
			}
		}
		return nil
	})
}
