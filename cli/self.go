package cli

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// OwnPod names the pod that the program runs in.
type OwnPod struct{ Namespace, Name string }

// ServiceAccountFolder is where a pod finds out about itself.
const ServiceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount"

// FindOwnPod finds the pod that we run in: by POD_NAME and POD_NAMESPACE, which
// the downward API sets if a manifest asks for it, else by the host name, which is
// the pod's unless it uses the host's network, and the namespace of the service
// account in that folder. Outside of a cluster it is empty.
func FindOwnPod(getenv func(string) string, hostname func() (string, error), folder string) OwnPod {
	if getenv("KUBERNETES_SERVICE_HOST") == "" {
		return OwnPod{}
	}
	own := OwnPod{Namespace: getenv("POD_NAMESPACE"), Name: getenv("POD_NAME")}
	if own.Namespace == "" {
		text, _ := os.ReadFile(folder + "/namespace")
		own.Namespace = strings.TrimSpace(string(text))
	}
	if own.Name == "" {
		own.Name, _ = hostname()
	}
	if own.Namespace == "" || own.Name == "" {
		return OwnPod{}
	}
	return own
}

// self is where we stand in the cluster; the address of its API server is asked
// for where a plan is made for somebody to read.
func (p *Program) self(ctx context.Context, c *Cluster, read bool) drain.Self {
	self := drain.Self{Namespace: p.Pod.Namespace, Pod: p.Pod.Name, Server: c.Server}
	if read && c.Addresses != nil {
		self.Addresses = c.Addresses(ctx)
	}
	return self
}

// newPlan plans for the dashboard: at once from what is known, while the scales of
// owners that nobody watches come in; they change the plan when they are there.
func (p *Program) newPlan(ctx context.Context, c *Cluster, source drain.Source) planFunc {
	self := sync.OnceValue(func() drain.Self { return p.self(ctx, c, true) })
	var reading atomic.Bool
	var readers kube.Group // never waited for: they end with the context
	return func(s *kube.Snapshot, nodes []string, o drain.Options, now time.Time) (drain.Plan, error) {
		plan, err := drain.NewPlan(s, nodes, o, now)
		if err != nil {
			return plan, err
		}
		if c.Scales != nil && reading.CompareAndSwap(false, true) {
			nodes := slices.Clone(nodes)
			readers.Go("scales of owners", func() {
				defer reading.Store(false)
				c.Scales(ctx, source, nodes)
			})
		}
		return drain.WithSelf(plan, s, self()), nil
	}
}

type planFunc = func(s *kube.Snapshot, nodes []string, o drain.Options, now time.Time) (drain.Plan, error)
