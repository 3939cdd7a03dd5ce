package watch

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

const (
	largeNodes = 5_000
	largePods  = 150_000

	// largePart says which part of BenchmarkLargeCluster a process plays: each
	// has its own, so that memory is that of one client and nothing else.
	largePart   = "KDRAIN_LARGE_PART"
	largeServer = "KDRAIN_LARGE_SERVER"
)

// largeResult is what one client measured of itself.
type largeResult struct {
	Seconds         float64
	PeakMB, HeapMB  float64
	Nodes, Pods     int
	HeapBeforeMB    float64
	PeakBeforeMB    float64
	AllocatedMB     float64
	CollectorCycles uint32
}

// BenchmarkLargeCluster brings 5,000 nodes and 150,000 pods into a store, and into a plain list
// of client-go. The peak is of resident memory, on Linux only.
func BenchmarkLargeCluster(b *testing.B) {
	switch part := os.Getenv(largePart); part {
	case "":
	case "serve":
		serveLargeCluster(b)
		return
	default:
		playLargeClient(b, part)
		return
	}
	url := startLargeServer(b)
	for _, c := range []struct {
		part   string
		mostMB float64
	}{{"pages", 300}, {"list", 0}} {
		b.Run(c.part, func(b *testing.B) {
			for b.Loop() {
				r := runLargeClient(b, c.part, url)
				b.ReportMetric(r.Seconds, "s/sync")
				b.ReportMetric(r.PeakMB, "peak-MB")
				b.ReportMetric(r.HeapMB, "heap-MB")
				b.ReportMetric(0, "ns/op")
				b.Logf("%+v", r)
				if r.Nodes != largeNodes || r.Pods != largePods {
					b.Fatalf("%d nodes and %d pods", r.Nodes, r.Pods)
				}
				if c.mostMB > 0 && r.PeakMB > c.mostMB {
					b.Errorf("%.0f MB at the peak, more than %.0f", r.PeakMB, c.mostMB)
				}
			}
		})
	}
}

// largeCommand runs this benchmark once more, as a part of it.
func largeCommand(b *testing.B, part, url string) *exec.Cmd {
	cmd := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^$", "-test.bench=^BenchmarkLargeCluster$", "-test.benchtime=1x")
	cmd.Env = append(os.Environ(), largePart+"="+part, largeServer+"="+url)
	cmd.Stderr = os.Stderr
	return cmd
}

func startLargeServer(b *testing.B) string {
	cmd := largeCommand(b, "serve", "")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		stdin.Close() // the server ends with its input
		_, _ = io.Copy(io.Discard, stdout)
		_ = cmd.Wait()
	})
	return saidBy(b, stdout)
}

func runLargeClient(b *testing.B, part, url string) (r largeResult) {
	output, err := largeCommand(b, part, url).Output()
	if err != nil {
		b.Fatalf("%v\n%s", err, output)
	}
	if err := json.Unmarshal([]byte(saidBy(b, strings.NewReader(string(output)))), &r); err != nil {
		b.Fatal(err)
	}
	return r
}

const sayMark = "large cluster: "

// saidBy reads up to the line by which a part tells its parent something.
func saidBy(b *testing.B, output io.Reader) string {
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if _, said, ok := strings.Cut(lines.Text(), sayMark); ok {
			return said
		}
	}
	b.Fatal("a part of the benchmark says nothing")
	return ""
}

func playLargeClient(b *testing.B, part string) {
	b.Setenv("KUBECONFIG", b.TempDir()+"/none")
	debug.SetGCPercent(60) // as the program itself does
	flags := &conn.Flags{}
	flags.Overrides.ClusterInfo.Server = os.Getenv(largeServer) + "/" + part
	c, err := conn.Connect(b.Context(), flags, "bench")
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	r := largeResult{HeapBeforeMB: float64(heapNow()) / 1e6, PeakBeforeMB: peakMB()}
	started := time.Now()
	var kept any
	if part == "list" {
		nodes, err := c.Reads().CoreV1().Nodes().List(b.Context(), listOptions{})
		if err != nil {
			b.Fatal(err)
		}
		pods, err := c.Reads().CoreV1().Pods("").List(b.Context(), listOptions{})
		if err != nil {
			b.Fatal(err)
		}
		kept, r.Nodes, r.Pods = []any{nodes, pods}, len(nodes.Items), len(pods.Items)
	} else {
		w := Start(b.Context(), c, Options{Needs: Whole(kube.KindNodes, kube.KindPods)})
		defer w.Close()
		ctx, cancel := context.WithTimeout(b.Context(), 5*time.Minute)
		defer cancel()
		if err := kubetest.WaitSynced(ctx, w, kube.KindNodes, kube.KindPods); err != nil {
			b.Fatal(err)
		}
		s := w.Snapshot()
		kept, r.Nodes, r.Pods = w, s.Sync(kube.KindNodes).Count, s.Sync(kube.KindPods).Count
	}
	r.Seconds, r.PeakMB = time.Since(started).Seconds(), peakMB()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	r.AllocatedMB, r.CollectorCycles = float64(m.TotalAlloc)/1e6, m.NumGC
	r.HeapMB = float64(heapNow()) / 1e6
	runtime.KeepAlive(kept)
	encoded, err := json.Marshal(r)
	if err != nil {
		b.Fatal(err)
	}
	fmt.Printf("\n%s%s\n", sayMark, encoded)
}

// peakMB is the most memory that the process had so far, 0 where it is not known.
func peakMB() float64 {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmHWM:" {
			kilobytes, _ := strconv.ParseFloat(fields[1], 64)
			return kilobytes * 1024 / 1e6
		}
	}
	return 0
}

// serveLargeCluster is the API server, until its input ends. The first element of a path is the part.
func serveLargeCluster(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		switch path {
		case "apis/authentication.k8s.io/v1/selfsubjectreviews":
			kubetest.WriteJSON(w, 201, `{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1","status":{"userInfo":{"username":"ada"}}}`)
		case "version":
			kubetest.WriteJSON(w, 200, `{"gitVersion":"v1.37.0"}`)
		case "readyz":
		case "api/v1/nodes":
			serveLarge(w, r, largeNodes, &corev1.NodeList{}, func(i int) kruntime.Object { return fullNode(i) })
		case "api/v1/pods":
			serveLarge(w, r, largePods, &corev1.PodList{}, func(i int) kruntime.Object { return fullPod(i) })
		default:
			kubetest.WriteJSON(w, 404, kubetest.Status(404, "NotFound", "no such thing", ""))
		}
	}))
	fmt.Printf("\n%s%s\n", sayMark, server.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
	server.CloseClientConnections()
	server.Close()
}

func serveLarge(w http.ResponseWriter, r *http.Request, n int, list kruntime.Object, object func(int) kruntime.Object) {
	query := r.URL.Query()
	info, _ := kruntime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), kruntime.ContentTypeProtobuf)
	encoder := scheme.Codecs.EncoderForVersion(info.Serializer, corev1.SchemeGroupVersion)
	switch {
	case query.Get("watch") != "":
		w.Header().Set("Content-Type", kruntime.ContentTypeProtobuf+";stream=watch")
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	default:
		from, _ := strconv.Atoi(query.Get("continue"))
		limit, _ := strconv.Atoi(query.Get("limit"))
		to := n
		meta := metav1.ListMeta{ResourceVersion: "1000000"}
		if limit > 0 && from+limit < n {
			to = from + limit
			meta.Continue = strconv.Itoa(to)
		}
		switch list := list.(type) {
		case *corev1.NodeList:
			list.ListMeta = meta
			for i := from; i < to; i++ {
				list.Items = append(list.Items, *object(i).(*corev1.Node))
			}
		case *corev1.PodList:
			list.ListMeta = meta
			for i := from; i < to; i++ {
				list.Items = append(list.Items, *object(i).(*corev1.Pod))
			}
		}
		w.Header().Set("Content-Type", kruntime.ContentTypeProtobuf)
		_ = encoder.Encode(list, w)
	}
}

// fullNode is a node as a kubelet of a cloud writes it.
func fullNode(i int) *corev1.Node {
	name := fmt.Sprintf("node-%d", i)
	amounts := corev1.ResourceList{"cpu": resource.MustParse("32"), "memory": resource.MustParse("128Gi"), "pods": resource.MustParse("110")}
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, UID: types.UID(fmt.Sprintf("%08x-2222-4222-8333-%012x", i, i)), ResourceVersion: strconv.Itoa(1000 + i), CreationTimestamp: metav1.Unix(1700000000, 0),
			Labels: map[string]string{
				"kubernetes.io/hostname": name, "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", "node.kubernetes.io/instance-type": "m6i.8xlarge",
				"topology.kubernetes.io/zone": fmt.Sprintf("eu-%d", i%3), "topology.kubernetes.io/region": "eu",
			},
			ManagedFields: fullManagers("kubelet", "kube-controller-manager"),
		},
		Status: corev1.NodeStatus{
			Capacity: amounts, Allocatable: amounts,
			NodeInfo: corev1.NodeSystemInfo{KubeletVersion: "v1.37.0", OSImage: "Ubuntu 24.04", ContainerRuntimeVersion: "containerd://2.1.0", KernelVersion: "6.8.0"},
		},
	}
	for _, t := range []corev1.NodeConditionType{"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"} {
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: t, Status: "True", Reason: "Kubelet" + string(t), Message: "kubelet says so", LastHeartbeatTime: metav1.Unix(1700000000, 0)})
	}
	for j := range 50 {
		n.Status.Images = append(n.Status.Images, corev1.ContainerImage{
			Names: []string{fmt.Sprintf("registry.example.com/team/service-%d@sha256:%064x", j, j), fmt.Sprintf("registry.example.com/team/service-%d:v1.%d", j, i%7)}, SizeBytes: 200 << 20,
		})
	}
	return n
}

// fullManagers are managed fields of the usual length.
func fullManagers(names ...string) (entries []metav1.ManagedFieldsEntry) {
	fields := `{"f:metadata":{"f:generateName":{},"f:labels":{".":{},"f:app":{},"f:pod-template-hash":{},"f:team":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"0f7c3a52-1111-4222-8333-000000000000\"}":{}}},` +
		`"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{".":{},"f:env":{".":{},"k:{\"name\":\"LOG_LEVEL\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{},"f:imagePullPolicy":{},"f:livenessProbe":{".":{},"f:failureThreshold":{},"f:httpGet":{".":{},"f:path":{},"f:port":{},"f:scheme":{}}},"f:name":{},"f:ports":{},"f:resources":{".":{},"f:limits":{},"f:requests":{}}}},"f:dnsPolicy":{},"f:enableServiceLinks":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}`
	at := metav1.Unix(1700000000, 0)
	for _, name := range names {
		entries = append(entries, metav1.ManagedFieldsEntry{
			Manager: name, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", FieldsType: "FieldsV1", Time: &at, FieldsV1: metav1.NewFieldsV1(fields),
		})
	}
	return entries
}

// fullPod is largePod with everything that an API server sends along.
func fullPod(i int) *corev1.Pod {
	p := kubetest.LargePod(i)
	at := metav1.Unix(1700000000+int64(i), 0)
	p.GenerateName, p.ResourceVersion, p.CreationTimestamp = p.Name[:len(p.Name)-5], strconv.Itoa(10000+i), at
	p.Annotations["checksum/config"] = fmt.Sprintf("%064x", i/10)
	p.Annotations["cni.projectcalico.org/podIP"] = fmt.Sprintf("10.%d.%d.%d/32", i>>16, i>>8&255, i&255)
	p.ManagedFields = fullManagers("kube-controller-manager", "kubelet")
	grace, yes := int64(30), true
	p.Spec.TerminationGracePeriodSeconds, p.Spec.EnableServiceLinks, p.Spec.DNSPolicy, p.Spec.ServiceAccountName = &grace, &yes, corev1.DNSClusterFirst, "app"
	app := &p.Spec.Containers[0]
	app.Image = fmt.Sprintf("registry.example.com/team/service-%d:v1.2.3", i/10)
	app.Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: "TCP"}}
	app.Resources.Limits = app.Resources.Requests
	probe := &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(8080), Scheme: "HTTP"}}, PeriodSeconds: 10}
	app.LivenessProbe, app.ReadinessProbe = probe, probe
	app.VolumeMounts = []corev1.VolumeMount{{Name: "config", MountPath: "/etc/app"}, {Name: "kube-api-access-x", MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"}}
	for j := range 15 {
		app.Env = append(app.Env, corev1.EnvVar{Name: fmt.Sprintf("SETTING_%d", j), Value: fmt.Sprintf("https://service-%d.example.com/path", j)})
	}
	p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "config"}}}})
	p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoExecute"})
	for _, t := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady, "PodReadyToStartContainers"} {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: t, Status: corev1.ConditionTrue, LastTransitionTime: at})
	}
	p.Status.PodIP, p.Status.HostIP, p.Status.StartTime, p.Status.QOSClass = fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), "192.168.0.1", &at, corev1.PodQOSGuaranteed
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "app", Ready: true, Started: &yes, Image: app.Image, ImageID: fmt.Sprintf("registry.example.com/team/service@sha256:%064x", i/10),
		ContainerID: fmt.Sprintf("containerd://%064x", i), State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}},
	}}
	return p
}

func heapNow() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
