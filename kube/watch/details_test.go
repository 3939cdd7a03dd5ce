package watch

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestRedactedYAMLShowsNoEnvironment(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "x", ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m"}},
		Annotations: map[string]string{corev1.LastAppliedConfigAnnotation: `{"env":"hunter2"}`, "note": "a\x1b[31mred"}}}
	env := []corev1.EnvVar{{Name: "PASSWORD", Value: "hunter2"}, {Name: "FROM", ValueFrom: &corev1.EnvVarSource{}}}
	pod.Spec.InitContainers = []corev1.Container{{Name: "i", Env: env}}
	pod.Spec.Containers = []corev1.Container{{Name: "c", Env: env}}
	pod.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "e", Env: env}}}
	text, err := redactedYAML(pod)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "hunter2") || strings.Contains(text, "\x1b") || strings.Contains(text, "managedFields") {
		t.Errorf("leaks:\n%s", text)
	}
	if strings.Count(text, "PASSWORD") != 3 || !strings.Contains(text, "\n  containers:\n") {
		t.Errorf("lost its shape:\n%s", text)
	}
	if pod.Spec.Containers[0].Env[0].Value != "hunter2" {
		t.Error("the object itself was changed")
	}
}
