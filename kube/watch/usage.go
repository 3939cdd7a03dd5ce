package watch

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metricsv1 "k8s.io/metrics/pkg/apis/metrics/v1"
	metricsv1beta1 "k8s.io/metrics/pkg/apis/metrics/v1beta1"
	metricsclient "k8s.io/metrics/pkg/client/clientset/versioned"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
)

// longestUsagePause bounds the pause after an answer that was slow in coming:
// figures that are older than that are not use, but history.
const longestUsagePause = 2 * time.Minute

// usagePoller reads what nodes use.
type usagePoller struct {
	c       *conn.Cluster
	version string // served, "" until asked
}

// run asks the metrics API again and again; that there is none is normal.
func (p *usagePoller) run(ctx context.Context, store *kube.Store, every time.Duration) {
	clients, err := metricsclient.NewForConfigAndClient(p.c.ReadConfig())
	if err != nil {
		store.SetPhase(kube.Scope{Kind: kube.KindUsage}, kube.Denied, kube.CleanText(err.Error()))
		return
	}
	known := false
	for p.c.WaitLive(ctx) == nil {
		started := time.Now()
		nodes, err := p.read(ctx, clients)
		pause := max(every, min(20*time.Since(started), longestUsagePause)) // a large answer is asked for less often
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			known = true
			store.SetUsage(nodes)
			store.SetPhase(kube.Scope{Kind: kube.KindUsage}, kube.Synced, "")
		case known:
			store.SetPhase(kube.Scope{Kind: kube.KindUsage}, kube.Stale, kube.CleanText(err.Error()))
		default:
			store.SetPhase(kube.Scope{Kind: kube.KindUsage}, kube.Denied, kube.CleanText(err.Error()))
			pause = deniedRetry
		}
		if ended(ctx, pause) {
			return
		}
	}
}

// read reads all nodes in the newest version that is served.
func (p *usagePoller) read(ctx context.Context, clients metricsclient.Interface) (map[string]kube.Usage, error) {
	ctx, cancel := p.c.Within(ctx, 20*time.Second)
	defer cancel()
	version, err := p.served(ctx)
	if err != nil {
		return nil, err
	}
	if version == "v1" {
		return usageV1(ctx, clients)
	}
	return usageV1beta1(ctx, clients)
}

func (p *usagePoller) served(ctx context.Context) (string, error) {
	if p.version != "" {
		return p.version, nil
	}
	var group metav1.APIGroup
	err := p.c.Reads().Discovery().RESTClient().Get().AbsPath("/apis/metrics.k8s.io").MaxRetries(0).Do(ctx).Into(&group)
	if apierrors.IsNotFound(err) {
		return "", fmt.Errorf("the server does not serve metrics.k8s.io")
	}
	if err != nil {
		return "", fmt.Errorf("asking for metrics.k8s.io: %w", conn.PlainCause(err))
	}
	var served []string
	for _, v := range group.Versions {
		served = append(served, v.Version)
	}
	for _, v := range []string{"v1", "v1beta1"} {
		if slices.Contains(served, v) {
			p.version = v
			return v, nil
		}
	}
	return "", fmt.Errorf("metrics.k8s.io is served as %v only", served)
}

func usageV1(ctx context.Context, clients metricsclient.Interface) (map[string]kube.Usage, error) {
	list, err := clients.MetricsV1().NodeMetricses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing the usage of nodes: %w", conn.PlainCause(err))
	}
	return usageByNode(list.Items), nil
}

// usageV1beta1 reads the older version, whose fields are the same.
func usageV1beta1(ctx context.Context, clients metricsclient.Interface) (map[string]kube.Usage, error) {
	list, err := clients.MetricsV1beta1().NodeMetricses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing the usage of nodes: %w", conn.PlainCause(err))
	}
	newer := make([]metricsv1.NodeMetrics, 0, len(list.Items))
	for _, n := range list.Items {
		newer = append(newer, metricsv1.NodeMetrics{ObjectMeta: n.ObjectMeta, Timestamp: n.Timestamp, Usage: n.Usage})
	}
	return usageByNode(newer), nil
}

func usageByNode(list []metricsv1.NodeMetrics) map[string]kube.Usage {
	nodes := make(map[string]kube.Usage, len(list))
	for i := range list {
		nodes[list[i].Name] = convert.NodeUsage(&list[i])
	}
	return nodes
}

// ReadPodUsage reads what pods use, by namespace and name: those of one namespace, or all where it is "".
func ReadPodUsage(ctx context.Context, c *conn.Cluster, namespace string) (map[string]kube.Usage, error) {
	clients, err := metricsclient.NewForConfigAndClient(c.ReadConfig())
	if err != nil {
		return nil, fmt.Errorf("reading the usage of pods: %w", err)
	}
	version, err := (&usagePoller{c: c}).served(ctx)
	if err != nil {
		return nil, err
	}
	var items []metricsv1.PodMetrics
	if version == "v1" {
		var list *metricsv1.PodMetricsList
		if list, err = clients.MetricsV1().PodMetricses(namespace).List(ctx, metav1.ListOptions{}); err == nil {
			items = list.Items
		}
	} else {
		var list *metricsv1beta1.PodMetricsList
		if list, err = clients.MetricsV1beta1().PodMetricses(namespace).List(ctx, metav1.ListOptions{}); err == nil {
			items = newerPods(list.Items)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("listing the usage of pods: %w", conn.PlainCause(err))
	}
	pods := make(map[string]kube.Usage, len(items))
	for i := range items {
		pods[kube.Visible(items[i].Namespace)+"/"+kube.Visible(items[i].Name)] = convert.PodUsage(&items[i])
	}
	return pods, nil
}

// newerPods are the same in the newer version.
func newerPods(older []metricsv1beta1.PodMetrics) []metricsv1.PodMetrics {
	newer := make([]metricsv1.PodMetrics, 0, len(older))
	for _, p := range older {
		n := metricsv1.PodMetrics{ObjectMeta: p.ObjectMeta, Timestamp: p.Timestamp}
		for _, c := range p.Containers {
			n.Containers = append(n.Containers, metricsv1.ContainerMetrics{Name: c.Name, Usage: c.Usage})
		}
		newer = append(newer, n)
	}
	return newer
}
