package job

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// YAML is the Job as a manifest: what is for the server alone to say is left out.
func YAML(j *batchv1.Job) (string, error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(j)
	if err != nil {
		return "", fmt.Errorf("write the Job as YAML: %w", err)
	}
	delete(fields, "status")
	for _, metadata := range []any{fields["metadata"],
		fields["spec"].(map[string]any)["template"].(map[string]any)["metadata"]} {
		delete(metadata.(map[string]any), "creationTimestamp")
	}
	text, err := yaml.Marshal(fields)
	return string(text), err
}
