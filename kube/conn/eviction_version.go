package conn

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// EvictionVersion is the version of the Eviction kind that a server takes.
type EvictionVersion string

// What a server can be asked for. Without evictions a drain can only delete.
const (
	EvictionV1      EvictionVersion = "policy/v1"
	EvictionV1beta1 EvictionVersion = "policy/v1beta1"
	NoEviction      EvictionVersion = ""
)

// EvictionSupport asks the server, once, which evictions it takes, as kubectl's
// CheckEvictionSupport does: a 404 for an eviction would otherwise look like a
// pod that is gone.
func (c *Cluster) EvictionSupport(ctx context.Context) (EvictionVersion, error) {
	c.evictionMu.Lock()
	defer c.evictionMu.Unlock()
	if c.asked {
		return c.eviction, nil
	}
	bounded, cancel := c.Within(ctx, 20*time.Second)
	defer cancel()
	var resources metav1.APIResourceList
	if err := c.reads.Discovery().RESTClient().Get().AbsPath("/api/v1").Do(bounded).Into(&resources); err != nil {
		return NoEviction, fmt.Errorf("asking the server whether it takes evictions: %w", PlainCause(err))
	}
	for _, r := range resources.APIResources {
		if r.Name != "pods/eviction" || r.Kind != "Eviction" {
			continue
		}
		c.eviction = EvictionV1
		if r.Group == "policy" && r.Version == "v1beta1" {
			c.eviction = EvictionV1beta1
		}
	}
	c.asked = true
	return c.eviction, nil
}

// EvictionVersion is what to write into an eviction: what the server said, or
// what every server since 1.22 takes.
func (c *Cluster) EvictionVersion() EvictionVersion {
	c.evictionMu.Lock()
	defer c.evictionMu.Unlock()
	if c.eviction == NoEviction {
		return EvictionV1
	}
	return c.eviction
}
