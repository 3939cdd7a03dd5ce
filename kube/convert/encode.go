package convert

import (
	"encoding/binary"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Canonical encodings, only ever used to find equal values: each part is
// written with its length, so that no two values share an encoding.

func appendText(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func appendInt(b []byte, v int64) []byte { return binary.AppendVarint(b, v) }

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

func appendMap(b []byte, m map[string]string) []byte {
	b = binary.AppendUvarint(b, uint64(len(m)))
	var room [16]string
	keys := room[:0]
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		b = appendText(appendText(b, k), m[k])
	}
	return b
}

func appendAmounts(b []byte, r kube.Resources) []byte {
	b = appendInt(appendInt(appendInt(appendInt(b, r.CPUMilli), r.MemoryBytes), r.EphemeralBytes), r.Pods)
	b = binary.AppendUvarint(b, uint64(len(r.Extended)))
	names := make([]string, 0, len(r.Extended))
	for name := range r.Extended {
		names = append(names, string(name))
	}
	slices.Sort(names)
	for _, name := range names {
		b = appendInt(appendText(b, name), r.Extended[corev1.ResourceName(name)])
	}
	return b
}

// marshaler is what the generated API types offer.
type marshaler interface{ Marshal() ([]byte, error) }

// appendMessage writes an API type in its protobuf form, which the generated
// code makes with sorted map keys. One that cannot be encoded is written as its
// address, unlike any other, which costs memory and nothing else.
func appendMessage(b []byte, m marshaler) []byte {
	encoded, err := m.Marshal()
	if err != nil {
		encoded = fmt.Appendf(nil, "%p", m)
	}
	return appendText(b, string(encoded))
}

func encodeSpec(b []byte, s *kube.PodSpec) []byte {
	b = appendBool(appendText(appendInt(b, int64(s.Priority)), s.PriorityClass), s.NeverPreempts)
	b = appendAmounts(appendInt(b, s.GraceSeconds), s.Requests)
	b = binary.AppendUvarint(b, uint64(len(s.HostPorts)))
	for _, p := range s.HostPorts {
		b = appendInt(appendText(appendText(b, p.IP), string(p.Protocol)), int64(p.Port))
	}
	b = appendMap(appendBool(b, s.HostNetwork), s.NodeSelector)
	b = appendBool(b, s.Affinity != nil)
	if s.Affinity != nil {
		b = appendMessage(b, s.Affinity)
	}
	b = appendTolerations(b, s.Tolerations)
	b = binary.AppendUvarint(b, uint64(len(s.Spread)))
	for i := range s.Spread {
		b = appendMessage(b, &s.Spread[i])
	}
	b = binary.AppendUvarint(b, uint64(len(s.Volumes)))
	for _, v := range s.Volumes {
		b = appendText(appendText(appendText(b, v.Name), string(v.Kind)), v.Claim)
	}
	b = appendBool(appendText(b, s.SchedulerName), s.PreStop)
	b = appendBool(appendInt(b, int64(s.ResourceClaims)), s.Gated)
	return appendBool(appendText(appendText(b, s.PodGroup), string(s.RestartPolicy)), s.Storage)
}

func appendTolerations(b []byte, tolerations []corev1.Toleration) []byte {
	b = binary.AppendUvarint(b, uint64(len(tolerations)))
	for _, t := range tolerations {
		b = appendText(appendText(b, t.Key), string(t.Operator))
		b = appendText(appendText(b, t.Value), string(t.Effect))
		b = appendBool(b, t.TolerationSeconds != nil)
		if t.TolerationSeconds != nil {
			b = appendInt(b, *t.TolerationSeconds)
		}
	}
	return b
}
