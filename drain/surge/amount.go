package surge

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Amount is how many replicas a workload may have more than it wants while its pods
// move: a number or a percentage of its replicas, rounded up. The empty amount is no surge.
type Amount string

// Set reads "100%" or "2"; the empty text is no surge.
func (a *Amount) Set(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	n, err := strconv.ParseInt(number, 10, 32) // as replicas are
	if text != "" && (err != nil || n < 1 || percent && n > 100) {
		return errors.New("must be a number above zero or a percentage like 100%")
	}
	*a = Amount(text)
	return nil
}

func (a *Amount) String() string { return string(*a) }

// Type is that of the flag.
func (a *Amount) Type() string { return "string" }

// of is how many further pods the amount allows for that many replicas.
func (a Amount) of(replicas int32) int32 {
	value := intstr.Parse(string(a))
	n, err := intstr.GetScaledValueFromIntOrPercent(&value, int(replicas), true)
	if err != nil {
		return 0 // Set lets nothing through that cannot be scaled
	}
	return int32(n)
}

// Fallback is what becomes of pods whose replacements were not Ready in time.
type Fallback string

// The fallbacks: evict as usual, or leave the pods where they are.
const (
	FallbackEvict Fallback = "evict"
	FallbackLeave Fallback = "leave"
)

// Set reads a fallback.
func (f *Fallback) Set(text string) error {
	if Fallback(text) != FallbackEvict && Fallback(text) != FallbackLeave {
		return fmt.Errorf("must be %s or %s", FallbackEvict, FallbackLeave)
	}
	*f = Fallback(text)
	return nil
}

func (f *Fallback) String() string { return string(*f) }

// Type is that of the flag.
func (f *Fallback) Type() string { return "string" }

// Most is by how many a workload surges at a time at most: what was asked for, as far as it has pods to move.
func Most(s *kube.Snapshot, f *Facts, a Amount) int32 {
	return min(a.of(Wants(s.Workload(f.UID))), int32(f.Pods))
}

// Room settles by how many a workload surges at a time: no more than find room beside its pods and than its
// quotas let in. Like is one of its pods. It returns the reason where that is none.
func Room(s *kube.Snapshot, f *Facts, like *kube.Pod, a Amount, fits int32) *Reason {
	quota := quotaRoom(s, like)
	switch {
	case fits == 0:
		return &Reason{CodeNoRoom, "no replacement finds room beside its pods"}
	case quota == 0:
		return &Reason{CodeQuota, "the quota of namespace " + f.Namespace + " lets no further pod in"}
	}
	if f.AtOnce = min(Most(s, f, a), fits); quota > 0 {
		f.AtOnce = int32(min(quota, int64(f.AtOnce)))
	}
	return nil
}
