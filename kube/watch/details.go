package watch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/yaml"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// PodDetails is what a person looks at to understand one pod. It is read live,
// for one pod at a time, and never kept.
type PodDetails struct {
	Conditions []Condition
	Events     []PodEvent // oldest first
	// YAML is the object without managed fields and without the values of its
	// environment, which may be secrets.
	YAML string
	// Containers are those whose log can be asked for, in the order in which they start.
	Containers []Container
	// Container is the one that Logs are of.
	Container string
	Logs      []LogTail
	Missing   []Missing
	// instances are those of Container whose logs are kept; true for the previous one.
	instances []bool
}

// Missing is what of a pod could not be read.
type Missing struct {
	Part DetailPart
	Why  string
}

// DetailPart is a part of the details that is read by itself.
type DetailPart string

// The parts.
const (
	PartEvents DetailPart = "events"
	PartYAML   DetailPart = "YAML"
	PartLog    DetailPart = "log"
)

// Condition is one condition of a pod.
type Condition struct {
	Type, Status, Reason, Message string
	Since                         time.Time
}

// PodEvent is an event about a pod.
type PodEvent struct {
	At                          time.Time
	Type, Reason, Message, From string
	Count                       int32
}

// ReadPod reads what the API server knows about one pod, and chooses the container whose log is of interest: the named
// one, "" for the one that tells most. Only the pod itself is indispensable: for what we may not read, Missing says so.
// It fails with an error where the name belongs to another pod by now.
func ReadPod(ctx context.Context, c *conn.Cluster, namespace, name string, uid kube.UID,
	container string) (PodDetails, error) {
	pod, err := c.Reads().CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return PodDetails{}, fmt.Errorf("read pod %s/%s: %w", namespace, name, err)
	}
	if pod.UID != uid {
		return PodDetails{}, fmt.Errorf("pod %s/%s is gone: another pod has its name", namespace, name)
	}
	d := PodDetails{Conditions: conditions(pod), Containers: containersOf(pod)}
	if d.YAML, err = redactedYAML(pod); err != nil {
		d.miss(PartYAML, "YAML", err)
	}
	if d.Events, err = podEvents(ctx, c, namespace, uid); err != nil {
		d.miss(PartEvents, "events", err)
	}
	d.Container = kube.Clean(cmp.Or(container, mostTelling(pod)))
	d.instances = instancesOf(pod, d.Container)
	return d, nil
}

// ReadLogs adds to the details of a pod the last lines of its container's log. They come from the kubelet, which may
// not answer: Missing says what could not be read.
func ReadLogs(ctx context.Context, c *conn.Cluster, namespace, name string, d PodDetails) PodDetails {
	d.Missing = slices.Clone(d.Missing)
	for _, previous := range d.instances {
		tail, err := logTail(ctx, c, namespace, name, LogTail{Container: d.Container, Previous: previous})
		if err != nil {
			d.miss(PartLog, "log of "+d.Container, err)
			continue
		}
		d.Logs = append(d.Logs, tail)
	}
	return d
}

func (d *PodDetails) miss(part DetailPart, what string, err error) {
	d.Missing = append(d.Missing, Missing{part, kube.Clean(what + ": " + err.Error())})
}

func conditions(p *corev1.Pod) []Condition {
	var list []Condition
	for _, c := range p.Status.Conditions {
		list = append(list, Condition{Type: kube.Clean(string(c.Type)), Status: kube.Clean(string(c.Status)),
			Reason: kube.Clean(c.Reason), Message: kube.Clean(c.Message), Since: c.LastTransitionTime.Time})
	}
	return list
}

// hiddenValue stands where a value of the environment was.
const hiddenValue = "(hidden)"

// redactedYAML is the object as YAML without what may be secret: the values of
// environment variables, and the annotation in which kubectl apply repeats them.
func redactedYAML(p *corev1.Pod) (string, error) {
	shown := p.DeepCopy()
	shown.APIVersion, shown.Kind = "v1", "Pod"
	shown.ManagedFields = nil
	delete(shown.Annotations, corev1.LastAppliedConfigAnnotation)
	hide := func(env []corev1.EnvVar) {
		for i := range env {
			if env[i].Value != "" {
				env[i].Value = hiddenValue
			}
		}
	}
	for i := range shown.Spec.InitContainers {
		hide(shown.Spec.InitContainers[i].Env)
	}
	for i := range shown.Spec.Containers {
		hide(shown.Spec.Containers[i].Env)
	}
	for i := range shown.Spec.EphemeralContainers {
		hide(shown.Spec.EphemeralContainers[i].Env)
	}
	text, err := yaml.Marshal(shown)
	if err != nil {
		return "", err
	}
	return cleanLines(string(text)), nil
}

// cleanLines cleans each line by itself, so that the text keeps its shape.
func cleanLines(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		lines[i] = line[:indent] + kube.Clean(line[indent:])
	}
	return strings.Join(lines, "\n")
}

func podEvents(ctx context.Context, c *conn.Cluster, namespace string, uid kube.UID) ([]PodEvent, error) {
	list, err := c.Reads().CoreV1().Events(namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("involvedObject.uid", string(uid)).String(), Limit: 200,
	})
	if err != nil {
		return nil, err
	}
	events := make([]PodEvent, 0, len(list.Items))
	for _, e := range list.Items {
		at := e.LastTimestamp.Time
		if at.IsZero() {
			at = e.EventTime.Time
		}
		if at.IsZero() {
			at = e.CreationTimestamp.Time
		}
		events = append(events, PodEvent{At: at, Type: kube.Clean(e.Type), Reason: kube.Clean(e.Reason),
			Message: kube.Clean(e.Message),
			From:    kube.Clean(cmp.Or(e.ReportingController, e.Source.Component)), Count: max(e.Count, 1)})
	}
	slices.SortStableFunc(events, func(a, b PodEvent) int { return a.At.Compare(b.At) })
	return events, nil
}
