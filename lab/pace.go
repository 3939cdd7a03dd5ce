package main

import (
	"bytes"
	_ "embed"
	"fmt"

	"sigs.k8s.io/yaml"
)

//go:embed system/stages.yaml
var stagesYAML []byte

// kubeletLabel marks a node whose kubelet is simulated. Taking it away is how a
// kubelet dies: its lease is not renewed then, and pods neither start nor end.
const kubeletLabel = "lab.kdrain-tui.dev/kubelet"

// paces names, by stage, the delay of a pace where it is not that of
// system/stages.yaml. Delays are in the notation of kwok's Stage.
var paces = map[string]map[string]map[string]any{
	"fast": {},
	"real": {
		"pod-ready":         {"durationMilliseconds": 1000, "jitterDurationMilliseconds": 5000},
		"pod-crash":         {"durationMilliseconds": 1000, "jitterDurationMilliseconds": 5000},
		"pod-image-missing": {"durationMilliseconds": 1000, "jitterDurationMilliseconds": 3000},
		"pod-finish":        {"durationMilliseconds": 5000, "jitterDurationMilliseconds": 10000},
		// A tenth to a half of the grace period that the deletion came with.
		"pod-stop": {
			"durationMilliseconds":       1000,
			"durationFrom":               map[string]any{"expressionFrom": graceShare("0.1")},
			"jitterDurationMilliseconds": 5000,
			"jitterDurationFrom":         map[string]any{"expressionFrom": graceShare("0.5")},
		},
	},
}

// kwokConfiguration lets many pods go through their stages at a time: with kwok's
// own four, a hundred pods that end at once take many times their delay. The
// other figures are kwok's, which it does not start without once one is given.
const kwokConfiguration = `---
apiVersion: config.kwok.x-k8s.io/v1alpha1
kind: KwokConfiguration
options:
  podPlayStageParallelism: 64
  nodePlayStageParallelism: 4
  nodeLeaseParallelism: 4
  podsOnNodeSyncParallelism: 4
`

func graceShare(share string) string {
	return `(((.metadata.deletionGracePeriodSeconds // 30) * ` + share + ` * 1000 | floor | tostring) + "ms")`
}

// stages returns the configuration of kwok for a pace.
func stages(pace string) ([]byte, error) {
	changes, known := paces[pace]
	if !known {
		return nil, usageError{fmt.Sprintf("unknown pace %q: fast or real", pace)}
	}
	config := bytes.NewBufferString(kwokConfiguration)
	for _, document := range bytes.Split(stagesYAML, []byte("\n---\n")) {
		var stage struct {
			APIVersion string         `json:"apiVersion"`
			Kind       string         `json:"kind"`
			Metadata   map[string]any `json:"metadata"`
			Spec       map[string]any `json:"spec"`
		}
		if err := yaml.UnmarshalStrict(document, &stage); err != nil {
			return nil, fmt.Errorf("read a stage of system/stages.yaml: %w", err)
		}
		if delay, changed := changes[stage.Metadata["name"].(string)]; changed {
			stage.Spec["delay"] = delay
		}
		data, err := yaml.Marshal(stage)
		if err != nil {
			return nil, fmt.Errorf("write a stage: %w", err)
		}
		config.WriteString("---\n")
		config.Write(data)
	}
	return config.Bytes(), nil
}
