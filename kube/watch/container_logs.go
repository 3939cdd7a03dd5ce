package watch

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// logLines is how many of the last lines of a log are shown; maxLogBytes bounds
// them, for a line can be of any length.
const (
	logLines    = 50
	maxLogBytes = 64 << 10
)

// ContainerKind tells the containers of a pod apart by when they run.
type ContainerKind string

// The kinds of containers.
const (
	ContainerInit      ContainerKind = "init"      // runs before the others, to its end
	ContainerSidecar   ContainerKind = "sidecar"   // an init container that keeps running
	ContainerMain      ContainerKind = ""          // of spec.containers
	ContainerEphemeral ContainerKind = "ephemeral" // added by kubectl debug
)

// Container is a container of a pod, by which its log is chosen.
type Container struct {
	Name     string
	Kind     ContainerKind
	Image    string
	State    string // "running", or the kubelet's reason why it is not; "" where nothing is said
	Restarts int32
}

// LogTail is the end of a container's log.
type LogTail struct {
	Container string
	Previous  bool // of the container's last life
	Lines     []string
}

// containersOf are the containers of a pod in the order in which they start.
func containersOf(p *corev1.Pod) []Container {
	var all []Container
	add := func(name, image string, kind ContainerKind) {
		c := Container{Name: kube.Clean(name), Image: kube.Clean(image), Kind: kind}
		if s := statusOf(p, name); s != nil {
			c.State, c.Restarts = kube.Clean(stateOf(s)), s.RestartCount
		}
		all = append(all, c)
	}
	for _, c := range p.Spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			add(c.Name, c.Image, ContainerSidecar)
		} else {
			add(c.Name, c.Image, ContainerInit)
		}
	}
	for _, c := range p.Spec.Containers {
		add(c.Name, c.Image, ContainerMain)
	}
	for _, c := range p.Spec.EphemeralContainers {
		add(c.Name, c.Image, ContainerEphemeral)
	}
	return all
}

// statusOf is what the kubelet says of a container, nil where it says nothing.
func statusOf(p *corev1.Pod, name string) *corev1.ContainerStatus {
	for _, list := range [][]corev1.ContainerStatus{
		p.Status.InitContainerStatuses, p.Status.ContainerStatuses, p.Status.EphemeralContainerStatuses,
	} {
		if i := slices.IndexFunc(list, func(s corev1.ContainerStatus) bool { return s.Name == name }); i >= 0 {
			return &list[i]
		}
	}
	return nil
}

func stateOf(s *corev1.ContainerStatus) string {
	switch {
	case s.State.Running != nil:
		return "running"
	case s.State.Waiting != nil:
		return s.State.Waiting.Reason
	case s.State.Terminated != nil:
		return s.State.Terminated.Reason
	}
	return ""
}

// mostTelling is the container whose log tells why a pod is in trouble: the first that is
// neither Ready nor ended well. Where there is none it is the one that kubectl logs shows.
func mostTelling(p *corev1.Pod) string {
	for _, s := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		if ended := s.State.Terminated; !s.Ready && (ended == nil || ended.ExitCode != 0) {
			return s.Name
		}
	}
	if name := p.Annotations[defaultContainer]; name != "" {
		return name
	}
	if len(p.Spec.Containers) == 0 {
		return ""
	}
	return p.Spec.Containers[0].Name
}

// defaultContainer is the annotation by which a pod names the container that kubectl logs
// shows (k8s.io/kubectl pkg/cmd/util/podcmd).
const defaultContainer = "kubectl.kubernetes.io/default-container"

// instancesOf are the instances of a container whose logs are read: the current one, and before it the previous one if
// the container was restarted and runs. If it does not run, the kubelet returns the log of the last termination as the
// current one (k8s.io/kubernetes pkg/kubelet validateContainerLogStatus).
func instancesOf(p *corev1.Pod, container string) (previous []bool) {
	if container == "" {
		return nil
	}
	if s := statusOf(p, container); s != nil && s.RestartCount > 0 && s.State.Running != nil {
		previous = append(previous, true)
	}
	return append(previous, false)
}

// logGone begins what the kubelet answers with 200 instead of the log of a container that is removed
// (k8s.io/kubernetes pkg/kubelet/kuberuntime GetContainerLogs).
const logGone = "unable to retrieve container logs for "

func logTail(ctx context.Context, c *conn.Cluster, namespace, pod string, tail LogTail) (LogTail, error) {
	lines, most := int64(logLines), int64(maxLogBytes)
	stream, err := c.Reads().CoreV1().Pods(namespace).GetLogs(pod, &corev1.PodLogOptions{
		Container: tail.Container, Previous: tail.Previous, TailLines: &lines, LimitBytes: &most,
	}).Stream(ctx)
	if err != nil {
		return tail, err
	}
	defer func() { _ = stream.Close() }()
	text, err := io.ReadAll(io.LimitReader(stream, maxLogBytes))
	if err != nil {
		return tail, err
	}
	if strings.HasPrefix(string(text), logGone) {
		return tail, errors.New("its container is removed, and its log with it")
	}
	if trimmed := strings.TrimRight(string(text), "\n"); trimmed != "" {
		tail.Lines = strings.Split(cleanLines(trimmed), "\n")
	}
	return tail, nil
}
