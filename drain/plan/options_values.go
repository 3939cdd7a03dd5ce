package plan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The values of flags that judge their text themselves (pflag.Value).

// count is a whole number that is not below the least.
type count struct {
	to    *int
	least int
}

func (c count) Set(text string) error {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		return errors.New("must be a whole number")
	case n < c.least:
		return fmt.Errorf("must be %d or more", c.least)
	}
	*c.to = n
	return nil
}

func (c count) String() string { return strconv.Itoa(*c.to) }
func (c count) Type() string   { return "int" }

// length is a length of time.
type length struct{ to *time.Duration }

func (l length) Set(text string) error {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return errors.New("must be a length of time such as 90s, 15m or 0s")
	case d < 0:
		return errors.New("must not be negative")
	}
	*l.to = d
	return nil
}

func (l length) String() string { return l.to.String() }
func (l length) Type() string   { return "duration" }

// seconds is a length of time in whole seconds, as kubectl has some; a negative one
// is zero.
type seconds struct{ to *time.Duration }

func (s seconds) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil {
		return errors.New("must be a whole number of seconds")
	}
	*s.to = time.Duration(max(n, 0)) * time.Second
	return nil
}

func (s seconds) String() string { return strconv.Itoa(int(s.to.Seconds())) }
func (s seconds) Type() string   { return "int" }

// selectorText is the text of --pod-selector and its parsed form.
type selectorText struct{ o *Options }

// Set refuses as kubectl does (pkg/cmd/drain/drain.go Complete).
func (p selectorText) Set(text string) error {
	selector, err := labels.Parse(text)
	if err != nil {
		return fmt.Errorf("--pod-selector=<pod_selector> must be a valid label selector: %w", err)
	}
	p.o.PodSelector, p.o.Selector = text, selector
	return nil
}

func (p selectorText) String() string { return p.o.PodSelector }
func (p selectorText) Type() string   { return "string" }

// daemonSetText is the text of --evict-daemonsets and its parsed form. Nothing is chosen by an empty one, which
// a script may give by mistake.
type daemonSetText struct{ o *Options }

func (d daemonSetText) Set(text string) error {
	text = strings.TrimSpace(text)
	selector, err := labels.Parse(text)
	if err != nil {
		return fmt.Errorf("must be a valid label selector: %w", err)
	}
	d.o.EvictDaemonSets, d.o.daemonSets = text, nil
	if !selector.Empty() {
		d.o.daemonSets = selector
	}
	return nil
}

func (d daemonSetText) String() string { return d.o.EvictDaemonSets }
func (d daemonSetText) Type() string   { return "string" }

// leaseNamespace is the name of a namespace, or nothing.
type leaseNamespace struct{ to *string }

func (l leaseNamespace) Set(text string) error {
	if text == kube.HeartbeatNamespace {
		return errors.New("that namespace holds the heartbeats of kubelets; leave the flag out for " +
			kube.DefaultLeaseNamespace)
	}
	if text != "" && len(validation.IsDNS1123Label(text)) > 0 {
		return errors.New("not a valid namespace name")
	}
	*l.to = text
	return nil
}

func (l leaseNamespace) String() string { return *l.to }
func (l leaseNamespace) Type() string   { return "string" }

// list are several values, with commas or spaces between them. A flag that is given
// twice has the values of both; Replace sets all at once.
type list[T ~string] struct {
	to    *[]T
	known []T                // nil for any
	judge func(string) error // of one value, nil for any
	given bool
}

func (l *list[T]) parse(texts []string) ([]T, error) {
	var values []T
	for _, text := range texts {
		for _, value := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
			if l.known != nil && !slices.Contains(l.known, T(value)) {
				return nil, fmt.Errorf("unknown value %q: must be of %v", value, l.known)
			}
			if l.judge != nil {
				if err := l.judge(value); err != nil {
					return nil, err
				}
			}
			values = append(values, T(value))
		}
	}
	return values, nil
}

func (l *list[T]) Set(text string) error {
	if l.given {
		return l.Append(text)
	}
	err := l.Replace([]string{text})
	l.given = err == nil
	return err
}

func (l *list[T]) Replace(texts []string) error {
	values, err := l.parse(texts)
	if err == nil {
		*l.to = values
	}
	return err
}

func (l *list[T]) Append(text string) error {
	values, err := l.parse([]string{text})
	if err == nil {
		*l.to = slices.Concat(*l.to, values)
	}
	return err
}

func (l *list[T]) GetSlice() []string {
	texts := make([]string, len(*l.to))
	for i, value := range *l.to {
		texts[i] = string(value)
	}
	return texts
}

func (l *list[T]) String() string { return strings.Join(l.GetSlice(), ",") }
func (l *list[T]) Type() string   { return "stringSlice" }

// podName judges a value of --exclude-pod.
func podName(name string) error {
	namespace, pod, _ := strings.Cut(name, "/")
	if len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(pod)) > 0 {
		return fmt.Errorf("%q: must be NAMESPACE/NAME of a pod", name)
	}
	return nil
}

// Excludes reports whether the operator excluded the pod. It is known by its name: one of a StatefulSet
// that comes back under it is excluded too.
func (o *Options) Excludes(namespace, name string) bool {
	return slices.Contains(o.ExcludePods, namespace+"/"+name)
}

// TogglePod are the options with the pod excluded, or with it again where it was.
func (o Options) TogglePod(namespace, name string) Options {
	pod := namespace + "/" + name
	if o.Excludes(namespace, name) {
		o.ExcludePods = slices.DeleteFunc(slices.Clone(o.ExcludePods), func(other string) bool { return other == pod })
	} else {
		o.ExcludePods = append(slices.Clip(o.ExcludePods), pod)
	}
	return o
}
