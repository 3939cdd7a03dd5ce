package watch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
)

// Owners of pods that the store does not watch, such as an OpenKruise CloneSet,
// say through their scale subresource how many pods they want. Watching every kind
// that could own a pod would cost far more than it tells, so the few owners of a
// plan are read when it is made. The status of the owners of budgets is read the same way (owner_status.go).

const (
	scaleLife   = 30 * time.Second // for which the figures of an owner are believed
	scaleMost   = 64               // owners that are read before the next are begun
	scaleAtOnce = 8
)

// Owners reads the scales of the owners of pods and the status of the owners of budgets, and remembers what it has
// asked for.
type Owners struct {
	client rest.Interface // answers in JSON, which is all that custom resources speak
	bound  func(context.Context, time.Duration) (context.Context, context.CancelFunc)
	now    func() time.Time

	served sync.Mutex
	kinds  map[string]map[string]servedKind // by API version and kind

	mu    sync.Mutex
	read  map[kube.UID]time.Time // scales
	asked map[kube.UID]time.Time // statuses

	longhorn  sync.Mutex
	longhorns map[string]longhornRead // by namespace
}

// servedKind is a kind as the API server serves it.
type servedKind struct {
	resource string
	scaled   bool // it has a scale
}

// NewOwners is a reader of the owners of a cluster.
func NewOwners(c *conn.Cluster) *Owners {
	return &Owners{client: c.Reads().Discovery().RESTClient(), bound: c.Within, now: time.Now,
		kinds: map[string]map[string]servedKind{}, read: map[kube.UID]time.Time{}, asked: map[kube.UID]time.Time{},
		longhorns: map[string]longhornRead{}}
}

// ownerToRead is an owner to be read.
type ownerToRead struct {
	namespace string
	*kube.Owner
}

const noPath = "no object can have its name or version"

// hasPath reports whether the reference leads to an object: whoever writes one may put anything into it.
func (o ownerToRead) hasPath() bool {
	return !slices.ContainsFunc(append(strings.Split(o.APIVersion, "/"), o.Name), func(part string) bool {
		return part == "" || len(content.IsPathSegmentName(part)) > 0
	})
}

// ReadScales brings the scales of those owners of the nodes' pods into the store that it
// knows nothing of. Of one whose scale cannot be read it says why (Workload.Hidden);
// one without a scale has no Resource. It asks for each owner at most once in half a
// minute, and returns when all have answered or a part of them has not in time.
func (r *Owners) ReadScales(ctx context.Context, store *kube.Store, nodes []string) {
	for {
		owners := r.due(store.Snapshot(), nodes)
		if len(owners) == 0 || !r.some(ctx, store, owners) {
			return
		}
	}
}

// some reads the scales of owners; false means that not all have answered in time.
func (r *Owners) some(ctx context.Context, store *kube.Store, owners []ownerToRead) bool {
	ctx, cancel := r.bound(ctx, readTimeout)
	defer cancel()
	atOnce("scale of an owner", owners, func(o ownerToRead) {
		w, told := r.one(ctx, o)
		old := store.Snapshot().Workload(w.UID)
		if !told && old != nil { // a guard goes by the last figures
			w.Replicas, w.Selector = old.Replicas, old.Selector
		}
		if !sameScale(old, w) {
			store.Put(w)
		}
	})
	return ctx.Err() == nil
}

// atOnce reads several owners at a time, and returns when all are read.
func atOnce[T any](what string, owners []T, read func(T)) {
	var group kube.Group
	slots := make(chan struct{}, scaleAtOnce)
	for _, o := range owners {
		slots <- struct{}{}
		group.Go(what, func() {
			defer func() { <-slots }()
			read(o)
		})
	}
	group.Wait()
}

func sameScale(old, w *kube.Workload) bool {
	return old != nil && old.Replicas == w.Replicas && old.Hidden == w.Hidden && old.Resource == w.Resource &&
		fmt.Sprint(old.Selector) == fmt.Sprint(w.Selector)
}

// due are the next owners to ask for, each once.
func (r *Owners) due(s *kube.Snapshot, nodes []string) []ownerToRead {
	r.mu.Lock()
	defer r.mu.Unlock()
	var owners []ownerToRead
	for _, node := range nodes {
		for _, p := range s.PodsOn(node) {
			if p.Finished() || p.Owner == nil {
				continue
			}
			owner := p.Owner
			w := s.Workload(owner.UID)
			if w != nil && w.Kind == "ReplicaSet" && w.Owner != nil { // of an Argo Rollout, say
				owner = w.Owner
				w = s.Workload(owner.UID)
			}
			known := w != nil && w.APIVersion == ""
			if known || watchedOwner(owner) || r.now().Sub(r.read[owner.UID]) < scaleLife || len(owners) == scaleMost {
				continue
			}
			r.read[owner.UID] = r.now()
			owners = append(owners, ownerToRead{p.Namespace, owner})
		}
	}
	return owners
}

// watchedOwner tells of kinds that the store watches or that never have a scale.
func watchedOwner(o *kube.Owner) bool {
	switch o.Group() {
	case "apps", "batch", "v1": // v1: ReplicationController, and Node for mirror pods
		return true
	}
	return false
}

// one reads the scale of an owner; told is false where the server did not say what it is.
func (r *Owners) one(ctx context.Context, o ownerToRead) (w *kube.Workload, told bool) {
	w = &kube.Workload{Kind: convert.Share(o.Kind), Namespace: convert.Share(o.namespace),
		Name: convert.Share(o.Name), UID: o.UID, APIVersion: convert.Share(o.APIVersion)}
	if !o.hasPath() {
		w.Hidden = noPath
		return w, true
	}
	kind, err := r.kind(ctx, o.Owner)
	if err != nil {
		w.Hidden = "its kind is not known: " + plainWords(err)
		return w, false
	}
	if !kind.scaled {
		return w, true
	}
	resource := kind.resource
	w.Resource = convert.Share(resource + "." + o.Group())
	scale := &autoscalingv1.Scale{}
	err = r.client.Get().AbsPath("/apis", o.APIVersion, "namespaces", o.namespace, resource, o.Name,
		"scale").MaxRetries(0).Do(ctx).Into(scale)
	switch {
	case apierrors.IsNotFound(err):
		w.Hidden = "it is not there"
	case apierrors.IsForbidden(err):
		w.Hidden = "no right to get " + resource + "/scale." + o.Group()
		return w, false
	case err != nil:
		w.Hidden = plainWords(err)
		return w, false
	case scale.UID != "" && scale.UID != o.UID:
		w.Hidden = "another of its name is there"
	default:
		w.Replicas, w.Selector = scale.Spec.Replicas, scaleSelector(scale)
	}
	return w, true
}

// scaleSelector is the selector of the pods that a scale counts, nil where it names none: an
// empty one would select every pod of the namespace.
func scaleSelector(scale *autoscalingv1.Scale) labels.Selector {
	by, err := labels.Parse(scale.Status.Selector)
	if err != nil || by.Empty() {
		return nil
	}
	return by
}

func plainWords(err error) string { return kube.CleanText(fmt.Sprint(conn.PlainCause(err))) }

// kind is how the server serves the kind of an owner, zero if it does not. What it serves is asked for once per API
// version, unless it does not say.
func (r *Owners) kind(ctx context.Context, o *kube.Owner) (servedKind, error) {
	r.served.Lock()
	defer r.served.Unlock() // held while it is read: who comes meanwhile has the same answer
	if known, ok := r.kinds[o.APIVersion]; ok {
		return known[o.Kind], nil
	}
	list := &metav1.APIResourceList{}
	err := r.client.Get().AbsPath("/apis", o.APIVersion).MaxRetries(0).Do(ctx).Into(list)
	if err != nil && !apierrors.IsNotFound(err) {
		return servedKind{}, err
	}
	kinds, scaled := map[string]servedKind{}, map[string]bool{}
	for _, resource := range list.APIResources {
		if name, sub, _ := strings.Cut(resource.Name, "/"); sub == "scale" {
			scaled[name] = true
		}
	}
	for _, resource := range list.APIResources {
		if !strings.Contains(resource.Name, "/") {
			kinds[resource.Kind] = servedKind{resource.Name, scaled[resource.Name]}
		}
	}
	r.kinds[o.APIVersion] = kinds
	return kinds[o.Kind], nil
}
