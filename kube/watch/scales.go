package watch

import (
	"context"
	"fmt"
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
// plan are read when it is made.

const (
	scaleLife   = 30 * time.Second // for which the figures of an owner are believed
	scaleMost   = 64               // owners that are read before the next are begun
	scaleAtOnce = 8
)

// Scales reads the scales of owners, and remembers what it has asked for.
type Scales struct {
	client rest.Interface // answers in JSON, which is all that custom resources speak
	bound  func(context.Context, time.Duration) (context.Context, context.CancelFunc)
	now    func() time.Time

	mu    sync.Mutex
	kinds map[string]map[string]string // resources with a scale, by API version and kind
	read  map[kube.UID]time.Time
}

// NewScales is a reader of the scales of a cluster.
func NewScales(c *conn.Cluster) *Scales {
	return &Scales{client: c.Reads().Discovery().RESTClient(), bound: c.Within, now: time.Now,
		kinds: map[string]map[string]string{}, read: map[kube.UID]time.Time{}}
}

// scaleOwner is an owner to be read.
type scaleOwner struct {
	namespace string
	*kube.Owner
}

// Read brings the scales of those owners of the nodes' pods into the store that it
// knows nothing of. Of one whose scale cannot be read it says why (Workload.Hidden);
// one without a scale has no Resource. It asks for each owner at most once in half a
// minute, and returns when all have answered or a part of them has not in time.
func (r *Scales) Read(ctx context.Context, store *kube.Store, nodes []string) {
	for {
		owners := r.due(store.Snapshot(), nodes)
		if len(owners) == 0 || !r.some(ctx, store, owners) {
			return
		}
	}
}

// some reads the scales of owners; false means that not all have answered in time.
func (r *Scales) some(ctx context.Context, store *kube.Store, owners []scaleOwner) bool {
	ctx, cancel := r.bound(ctx, readTimeout)
	defer cancel()
	var group kube.Group
	slots := make(chan struct{}, scaleAtOnce)
	for _, o := range owners {
		slots <- struct{}{}
		group.Go("scale of "+o.Kind, func() {
			defer func() { <-slots }()
			w, told := r.one(ctx, o)
			old := store.Snapshot().Workload(w.UID)
			if !told && old != nil { // a guard goes by the last figures
				w.Replicas, w.Selector = old.Replicas, old.Selector
			}
			if !sameScale(old, w) {
				store.Put(w)
			}
		})
	}
	group.Wait()
	return ctx.Err() == nil
}

func sameScale(old, w *kube.Workload) bool {
	return old != nil && old.Replicas == w.Replicas && old.Hidden == w.Hidden && old.Resource == w.Resource &&
		fmt.Sprint(old.Selector) == fmt.Sprint(w.Selector)
}

// due are the next owners to ask for, each once.
func (r *Scales) due(s *kube.Snapshot, nodes []string) []scaleOwner {
	r.mu.Lock()
	defer r.mu.Unlock()
	var owners []scaleOwner
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
			owners = append(owners, scaleOwner{p.Namespace, owner})
		}
	}
	return owners
}

// watchedOwner tells of kinds that the store watches or that never have a scale.
func watchedOwner(o *kube.Owner) bool {
	switch group, _, _ := strings.Cut(o.APIVersion, "/"); group {
	case "apps", "batch", "v1": // v1: ReplicationController, and Node for mirror pods
		return true
	}
	return false
}

// one reads the scale of an owner; told is false where the server did not say what it is.
func (r *Scales) one(ctx context.Context, o scaleOwner) (w *kube.Workload, told bool) {
	w = &kube.Workload{Kind: convert.Share(o.Kind), Namespace: convert.Share(o.namespace),
		Name: convert.Share(o.Name), UID: o.UID, APIVersion: convert.Share(o.APIVersion)}
	// Whoever writes a reference may put anything into it: it must not lead elsewhere.
	for _, part := range append(strings.Split(o.APIVersion, "/"), o.Name) {
		if part == "" || len(content.IsPathSegmentName(part)) > 0 {
			w.Hidden = "no object can have its name or version"
			return w, true
		}
	}
	resource, err := r.resource(ctx, o.Owner)
	if err != nil {
		w.Hidden = "its kind is not known: " + plainWords(err)
		return w, false
	}
	if resource == "" {
		return w, true
	}
	group, _, _ := strings.Cut(o.APIVersion, "/")
	w.Resource = convert.Share(resource + "." + group)
	scale := &autoscalingv1.Scale{}
	err = r.client.Get().AbsPath("/apis", o.APIVersion, "namespaces", o.namespace, resource, o.Name,
		"scale").MaxRetries(0).Do(ctx).Into(scale)
	switch {
	case apierrors.IsNotFound(err):
		w.Hidden = "it is not there"
	case apierrors.IsForbidden(err):
		w.Hidden = "no right to get " + resource + "/scale." + group
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

// resource is the resource of a kind that has a scale, "" if it has none. What a
// server serves is asked for once per API version, unless it does not say.
func (r *Scales) resource(ctx context.Context, o *kube.Owner) (string, error) {
	r.mu.Lock()
	known, ok := r.kinds[o.APIVersion]
	r.mu.Unlock()
	if ok {
		return known[o.Kind], nil
	}
	list := &metav1.APIResourceList{}
	err := r.client.Get().AbsPath("/apis", o.APIVersion).MaxRetries(0).Do(ctx).Into(list)
	if err != nil && !apierrors.IsNotFound(err) {
		return "", err
	}
	kinds, scaled := map[string]string{}, map[string]bool{}
	for _, resource := range list.APIResources {
		if name, sub, _ := strings.Cut(resource.Name, "/"); sub == "scale" {
			scaled[name] = true
		}
	}
	for _, resource := range list.APIResources {
		if scaled[resource.Name] {
			kinds[resource.Kind] = resource.Name
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kinds[o.APIVersion] = kinds
	return kinds[o.Kind], nil
}
