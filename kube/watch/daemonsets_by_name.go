package watch

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
)

const (
	// daemonSetLook is the shortest time between two looks for pods whose DaemonSet is
	// not known.
	daemonSetLook = time.Second
	// daemonSetAgain is how long after a read that found nothing a DaemonSet is asked for
	// again.
	daemonSetAgain = 10 * time.Second
)

// daemonSetReader reads the DaemonSets of pods by name, where they may not be listed.
type daemonSetReader struct {
	c     *conn.Cluster
	store *kube.Store

	mu    sync.Mutex
	nodes []string             // whose pods matter
	asked map[string]time.Time // by namespace/name
}

// daemonSetName is a DaemonSet that a pod says it belongs to.
type daemonSetName struct{ namespace, name string }

// ReadDaemonSets reads those DaemonSets by name that the pods of the nodes say
// they belong to, where they may not be listed, and puts them into the watcher's
// store. What may not be read either stays unknown. From then on the
// watcher reads those of new pods as well.
func ReadDaemonSets(ctx context.Context, c *conn.Cluster, w *Watcher, nodes []string) error {
	ctx, cancel := c.Within(ctx, readTimeout)
	defer cancel()
	return w.daemonSets.read(ctx, w.daemonSets.follow(nodes))
}

// follow adds nodes to those whose pods matter, and returns the DaemonSets of theirs.
func (r *daemonSetReader) follow(nodes []string) []daemonSetName {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nodes = append(r.nodes, nodes...)
	slices.Sort(r.nodes)
	r.nodes = slices.Compact(r.nodes)
	s := r.store.Snapshot()
	return r.namedLocked(s, nodes, func(d daemonSetName) bool { return hidden(s, d) })
}

// keepUp reads the DaemonSets that are made later, until the context ends: their pods may
// come to a node while it is drained.
func (r *daemonSetReader) keepUp(ctx context.Context) {
	changed := r.store.Changed(ctx)
	for {
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
		if unknown := r.unknown(); len(unknown) > 0 {
			bounded, cancel := r.c.Within(ctx, readTimeout)
			_ = r.read(bounded, unknown) // what cannot be read stays unknown, and is asked for again
			cancel()
		}
		if ended(ctx, daemonSetLook) {
			return
		}
	}
}

// unknown are the DaemonSets to be asked for now.
func (r *daemonSetReader) unknown() []daemonSetName {
	s := r.store.Snapshot()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.namedLocked(s, r.nodes, func(d daemonSetName) bool {
		return hidden(s, d) && s.WorkloadNamed("DaemonSet", d.namespace, d.name) == nil &&
			time.Since(r.asked[d.namespace+"/"+d.name]) >= daemonSetAgain
	})
}

// hidden tells whether the DaemonSets of its namespace may not be listed.
func hidden(s *kube.Snapshot, d daemonSetName) bool {
	return s.In(d.namespace).Sync(kube.KindDaemonSets).Phase == kube.Denied
}

// namedLocked are the DaemonSets that pods of the nodes name, each once, of which it holds.
func (r *daemonSetReader) namedLocked(s *kube.Snapshot, nodes []string,
	holds func(daemonSetName) bool) []daemonSetName {
	var found []daemonSetName
	for _, node := range nodes {
		for _, p := range s.PodsOn(node) {
			if p.Owner == nil || p.Owner.Kind != "DaemonSet" || p.Owner.APIVersion != "apps/v1" {
				continue
			}
			d := daemonSetName{p.Namespace, p.Owner.Name}
			if !slices.Contains(found, d) && holds(d) {
				found = append(found, d)
				r.asked[d.namespace+"/"+d.name] = time.Now()
			}
		}
	}
	return found
}

// read brings DaemonSets into the store.
func (r *daemonSetReader) read(ctx context.Context, names []daemonSetName) error {
	for _, d := range names {
		live, err := r.c.Reads().AppsV1().DaemonSets(d.namespace).Get(ctx, d.name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err), apierrors.IsForbidden(err):
			continue
		case err != nil:
			return fmt.Errorf("reading DaemonSet %s/%s: %w", d.namespace, d.name, conn.PlainCause(err))
		}
		record, err := convert.Record(live)
		if err != nil {
			return err
		}
		r.store.Put(record)
	}
	return nil
}
