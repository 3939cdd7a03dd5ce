package kube

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metricsv1 "k8s.io/metrics/pkg/apis/metrics/v1"
	metricsclient "k8s.io/metrics/pkg/client/clientset/versioned"
)

// longestUsagePause bounds the pause after an answer that was slow in coming:
// figures that are older than that are not use, but history.
const longestUsagePause = 2 * time.Minute

// pollUsage asks the metrics API again and again; that there is none is normal.
func (c *Cluster) pollUsage(ctx context.Context, store *Store, every time.Duration) {
	clients, err := metricsclient.NewForConfigAndClient(c.readBase, c.readHTTP)
	if err != nil {
		store.setPhase(scope{kind: KindUsage}, Denied, cleanText(err.Error()))
		return
	}
	known := false
	for c.health.wait(ctx) == nil {
		started := time.Now()
		nodes, err := c.readUsage(ctx, clients)
		pause := max(every, min(20*time.Since(started), longestUsagePause)) // a large answer is asked for less often
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			known = true
			store.SetUsage(nodes)
			store.setPhase(scope{kind: KindUsage}, Synced, "")
		case known:
			store.setPhase(scope{kind: KindUsage}, Stale, cleanText(err.Error()))
		default:
			store.setPhase(scope{kind: KindUsage}, Denied, cleanText(err.Error()))
			pause = deniedRetry
		}
		if sleep(ctx, pause, nil) == contextEnded {
			return
		}
	}
}

// readUsage reads all nodes in the newest version that is served.
func (c *Cluster) readUsage(ctx context.Context, clients metricsclient.Interface) (map[string]Usage, error) {
	ctx, cancel := c.within(ctx, 20*time.Second)
	defer cancel()
	version, err := c.usageVersion(ctx)
	if err != nil {
		return nil, err
	}
	if version == "v1" {
		return usageV1(ctx, clients)
	}
	return usageV1beta1(ctx, clients)
}

func (c *Cluster) usageVersion(ctx context.Context) (string, error) {
	c.usageMu.Lock()
	defer c.usageMu.Unlock()
	if c.usage != "" {
		return c.usage, nil
	}
	var group metav1.APIGroup
	err := c.reads.Discovery().RESTClient().Get().AbsPath("/apis/metrics.k8s.io").MaxRetries(0).Do(ctx).Into(&group)
	if apierrors.IsNotFound(err) {
		return "", fmt.Errorf("the server does not serve metrics.k8s.io")
	}
	if err != nil {
		return "", fmt.Errorf("asking for metrics.k8s.io: %w", plainCause(err))
	}
	var served []string
	for _, v := range group.Versions {
		served = append(served, v.Version)
	}
	for _, v := range []string{"v1", "v1beta1"} {
		if slices.Contains(served, v) {
			c.usage = v
			return v, nil
		}
	}
	return "", fmt.Errorf("metrics.k8s.io is served as %v only", served)
}

func usageV1(ctx context.Context, clients metricsclient.Interface) (map[string]Usage, error) {
	list, err := clients.MetricsV1().NodeMetricses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing the usage of nodes: %w", plainCause(err))
	}
	return usageByNode(list.Items), nil
}

// usageV1beta1 reads the older version, whose fields are the same.
func usageV1beta1(ctx context.Context, clients metricsclient.Interface) (map[string]Usage, error) {
	list, err := clients.MetricsV1beta1().NodeMetricses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing the usage of nodes: %w", plainCause(err))
	}
	newer := make([]metricsv1.NodeMetrics, 0, len(list.Items))
	for _, n := range list.Items {
		newer = append(newer, metricsv1.NodeMetrics{ObjectMeta: n.ObjectMeta, Timestamp: n.Timestamp, Usage: n.Usage})
	}
	return usageByNode(newer), nil
}

func usageByNode(list []metricsv1.NodeMetrics) map[string]Usage {
	nodes := make(map[string]Usage, len(list))
	for i := range list {
		nodes[list[i].Name] = nodeUsage(&list[i])
	}
	return nodes
}

func nodeUsage(m *metricsv1.NodeMetrics) Usage {
	r := amounts(m.Usage)
	return Usage{CPUMilli: r.CPUMilli, MemoryBytes: r.MemoryBytes, At: m.Timestamp.Time}
}
