package watch

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube/conn/conntest"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// manyContainers is a pod with every kind of container, of which app crashes.
func manyContainers() *corev1.Pod {
	always := corev1.ContainerRestartPolicyAlways
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "x", UID: "uid"}}
	pod.Spec.InitContainers = []corev1.Container{{Name: "migrate"}, {Name: "proxy", RestartPolicy: &always}}
	pod.Spec.Containers = []corev1.Container{{Name: "app", Image: "app:1.2"}, {Name: "metrics"}}
	pod.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug"}}}
	pod.Status.InitContainerStatuses = []corev1.ContainerStatus{
		{Name: "migrate", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed"}}},
		{Name: "proxy", Ready: true, RestartCount: 1, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}},
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{
		{Name: "app", RestartCount: 3, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoop\x1b[31mBackOff"}}},
		{Name: "metrics", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}},
	}
	return pod
}

func TestContainersInTheOrderOfTheirStart(t *testing.T) {
	want := []Container{
		{"migrate", ContainerInit, "", "Completed", 0}, {"proxy", ContainerSidecar, "", "running", 1},
		{"app", ContainerMain, "app:1.2", "CrashLoopBackOff", 3}, {"metrics", ContainerMain, "", "running", 0},
		{"debug", ContainerEphemeral, "", "", 0},
	}
	if got := containersOf(manyContainers()); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

func TestLogThatTellsMost(t *testing.T) {
	for name, c := range map[string]struct {
		change    func(*corev1.Pod)
		want      string
		instances []bool
	}{
		"crashing": {func(*corev1.Pod) {}, "app", []bool{false}},
		"ended, and about to start again": {func(p *corev1.Pod) {
			p.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}}
		}, "app", []bool{false}},
		"running again": {func(p *corev1.Pod) {
			p.Status.ContainerStatuses[0].State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
		}, "app", []bool{true, false}},
		"starting": {func(p *corev1.Pod) { p.Status.ContainerStatuses[0].RestartCount = 0 }, "app", []bool{false}},
		"init container failed": {func(p *corev1.Pod) {
			p.Status.InitContainerStatuses[0].State.Terminated.ExitCode = 1
		}, "migrate", []bool{false}},
		"all are Ready": {func(p *corev1.Pod) { p.Status.ContainerStatuses[0].Ready = true }, "app", []bool{false}},
		"the pod names one": {func(p *corev1.Pod) {
			p.Status.ContainerStatuses[0].Ready = true
			p.Annotations = map[string]string{defaultContainer: "metrics"}
		}, "metrics", []bool{false}},
		"nothing is said": {func(p *corev1.Pod) { p.Status = corev1.PodStatus{} }, "app", []bool{false}},
		"no container":    {func(p *corev1.Pod) { p.Status, p.Spec = corev1.PodStatus{}, corev1.PodSpec{} }, "", nil},
	} {
		pod := manyContainers()
		c.change(pod)
		got := mostTelling(pod)
		if instances := instancesOf(pod, got); got != c.want || !slices.Equal(instances, c.instances) {
			t.Errorf("%s: %q %v, want %q %v", name, got, instances, c.want, c.instances)
		}
	}
}

// The log of the chosen container is read, with that of its previous instance; what cannot
// be read leaves the rest.
func TestLogOfTheChosenContainer(t *testing.T) {
	var asked []string
	server := kubetest.NewServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch query := r.URL.Query(); {
		case !strings.HasSuffix(r.URL.Path, "/log"):
			kubetest.WriteJSON(w, 200, asJSON(t, manyContainers()))
		case query.Get("container") == "metrics":
			_, _ = w.Write([]byte("unable to retrieve container logs for containerd://0123"))
		case query.Get("container") == "debug":
			kubetest.WriteJSON(w, 400, asJSON(t, metav1.Status{Status: metav1.StatusFailure, Code: 400, Message: "not yet"}))
		default:
			asked = append(asked, query.Get("container")+" "+query.Get("previous")+" "+query.Get("tailLines"))
			_, _ = w.Write([]byte("of " + query.Get("container") + "\n"))
		}
	})
	for container, want := range map[string]string{
		"": "app  50", "proxy": "proxy true 50|proxy  50", "migrate": "migrate  50", "debug": "", "metrics": "",
	} {
		asked = nil
		c := conntest.To(t, server)
		d, err := ReadPod(t.Context(), c, "shop", "x", "uid", container)
		if err != nil || len(asked) > 0 {
			t.Fatal(err, asked)
		}
		d = ReadLogs(t.Context(), c, "shop", "x", d)
		if got := strings.Join(asked, "|"); got != want {
			t.Errorf("%q: asked %q, want %q", container, got, want)
		}
		for _, tail := range d.Logs {
			if tail.Container != d.Container || !slices.Equal(tail.Lines, []string{"of " + d.Container}) {
				t.Errorf("%q: %+v", container, tail)
			}
		}
		missing := ""
		for _, m := range d.Missing {
			missing = strings.TrimPrefix(m.Why, "log of ")
		}
		why := map[string]string{"debug": "debug: the server rejected", "metrics": "metrics: its container is removed, and its log with it"}
		if len(d.Containers) != 5 || !strings.HasPrefix(missing, why[container]) || (missing == "") != (why[container] == "") {
			t.Errorf("%q: %+v", container, d)
		}
	}
}
