package surge

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// Amount is how many replicas a workload may have more than it wants while its pods
// move: a number or a percentage of its replicas, rounded up. The empty amount is no surge.
type Amount string

// Set reads "100%" or "2"; the empty text is no surge.
func (a *Amount) Set(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	n, err := strconv.Atoi(number)
	if text != "" && (err != nil || n < 1 || percent && n > 100) {
		return errors.New("must be a number above zero or a percentage like 100%")
	}
	*a = Amount(text)
	return nil
}

func (a *Amount) String() string { return string(*a) }

// Type is that of the flag.
func (a *Amount) Type() string { return "string" }

// Of is how many further pods the amount allows for that many replicas.
func (a Amount) Of(replicas int32) int32 {
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
