package plan

import (
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/labels"
)

// plainOptions are Options without their JSON methods.
type plainOptions Options

// optionsJSON adds to the plain fields the durations, in seconds as everywhere
// in our JSON.
type optionsJSON struct {
	plainOptions
	TimeoutSeconds           float64 `json:"timeoutSeconds,omitempty"`
	SkipWaitForDeleteSeconds float64 `json:"skipWaitForDeleteTimeoutSeconds,omitempty"`
	ExcludeFromLBSeconds     float64 `json:"excludeFromLBSeconds,omitempty"`
	ForceAfterSeconds        float64 `json:"forceAfterSeconds,omitempty"`
	DetachTimeoutSeconds     float64 `json:"detachTimeoutSeconds,omitempty"`
	ReattachTimeoutSeconds   float64 `json:"reattachTimeoutSeconds,omitempty"`
}

// MarshalJSON writes durations as ...Seconds and the pod selector as its text.
func (o Options) MarshalJSON() ([]byte, error) {
	return json.Marshal(optionsJSON{
		plainOptions: plainOptions(o), TimeoutSeconds: o.Timeout.Seconds(),
		SkipWaitForDeleteSeconds: o.SkipWaitForDelete.Seconds(),
		ExcludeFromLBSeconds:     o.ExcludeFromLB.Seconds(), ForceAfterSeconds: o.ForceAfter.Seconds(),
		DetachTimeoutSeconds: o.DetachTimeout.Seconds(), ReattachTimeoutSeconds: o.ReattachTimeout.Seconds(),
	})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (o *Options) UnmarshalJSON(text []byte) error {
	var read optionsJSON
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*o = Options(read.plainOptions)
	o.Timeout, o.SkipWaitForDelete = FromSeconds(read.TimeoutSeconds), FromSeconds(read.SkipWaitForDeleteSeconds)
	o.ExcludeFromLB, o.ForceAfter = FromSeconds(read.ExcludeFromLBSeconds), FromSeconds(read.ForceAfterSeconds)
	o.DetachTimeout, o.ReattachTimeout = FromSeconds(read.DetachTimeoutSeconds), FromSeconds(read.ReattachTimeoutSeconds)
	selector, err := labels.Parse(o.PodSelector)
	if err != nil {
		return fmt.Errorf("pod selector %q: %w", o.PodSelector, err)
	}
	o.Selector = selector // the empty text selects everything
	return nil
}

func FromSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
