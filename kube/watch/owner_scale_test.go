package watch

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn/conntest"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// Owners that are not watched are read through their scale: the kind is looked up
// once, each owner once in a while, and what may not be read says so.
func TestScalesOfOtherOwners(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	replicas := "1"
	f := kubetest.NewServer(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/apis/apps.kruise.io") && !strings.HasPrefix(r.URL.Path, "/apis/argoproj.io") {
			kubetest.WriteJSON(w, 404, kubetest.Status(404, "NotFound", "no such thing", ""))
			return
		}
		mu.Lock()
		asked = append(asked, r.URL.Path)
		now := replicas
		mu.Unlock()
		scale := func(uid string) {
			kubetest.WriteJSON(w, 200, `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"uid":"`+uid+`"},"spec":{"replicas":`+now+`},`+
				`"status":{"selector":"app=`+uid+`"}}`)
		}
		switch strings.TrimPrefix(r.URL.Path, "/apis/") {
		case "apps.kruise.io/v1alpha1":
			kubetest.WriteJSON(w, 200, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps.kruise.io/v1alpha1","resources":[
				{"name":"clonesets","kind":"CloneSet","namespaced":true},{"name":"clonesets/scale","kind":"Scale","namespaced":true},
				{"name":"sidecarsets","kind":"SidecarSet","namespaced":true}]}`)
		case "argoproj.io/v1alpha1":
			kubetest.WriteJSON(w, 200, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"argoproj.io/v1alpha1","resources":[
				{"name":"rollouts","kind":"Rollout","namespaced":true},{"name":"rollouts/scale","kind":"Scale","namespaced":true}]}`)
		case "apps.kruise.io/v1alpha1/namespaces/shop/clonesets/game/scale":
			scale("cs-1")
		case "apps.kruise.io/v1alpha1/namespaces/shop/clonesets/another/scale":
			scale("of-a-newer-one")
		case "apps.kruise.io/v1alpha1/namespaces/shop/clonesets/secret/scale":
			kubetest.WriteJSON(w, 403, kubetest.Status(403, "Forbidden", "no", ""))
		case "argoproj.io/v1alpha1/namespaces/shop/rollouts/web/scale":
			scale("ro-1")
		default:
			kubetest.WriteJSON(w, 404, kubetest.Status(404, "NotFound", "no such thing", ""))
		}
	})
	c := conntest.To(t, f)
	store := kube.NewStore(time.Now)
	owned := func(name, version, kind, owner string, uid kube.UID) {
		store.Put(&kube.Pod{Namespace: "shop", Name: name, UID: kube.UID("pod-" + name), Node: "n1", Spec: &kube.PodSpec{},
			Owner: &kube.Owner{APIVersion: version, Kind: kind, Name: owner, UID: uid}})
	}
	owned("game-0", "apps.kruise.io/v1alpha1", "CloneSet", "game", "cs-1")
	owned("game-1", "apps.kruise.io/v1alpha1", "CloneSet", "game", "cs-1")
	owned("another-0", "apps.kruise.io/v1alpha1", "CloneSet", "another", "cs-2")
	owned("secret-0", "apps.kruise.io/v1alpha1", "CloneSet", "secret", "cs-3")
	owned("astray-0", "apps.kruise.io/v1alpha1", "CloneSet", "../../../../../api/v1/secrets", "cs-4")
	owned("astray-1", "apps.kruise.io/v1alpha1/../..", "CloneSet", "game", "cs-5")
	owned("side-0", "apps.kruise.io/v1alpha1", "SidecarSet", "side", "ss-1")
	owned("plain-0", "apps/v1", "StatefulSet", "plain", "sts-1")
	owned("web-0", "apps/v1", "ReplicaSet", "web-7f9c", "rs-1")
	store.Put(&kube.Workload{Kind: "ReplicaSet", Namespace: "shop", Name: "web-7f9c", UID: "rs-1",
		Owner: &kube.Owner{APIVersion: "argoproj.io/v1alpha1", Kind: "Rollout", Name: "web", UID: "ro-1"}})
	scales := NewOwners(c)
	clock := time.Unix(0, 0).Add(time.Hour)
	scales.now = func() time.Time { return clock }
	read := func() []string {
		mu.Lock()
		asked = nil
		mu.Unlock()
		scales.ReadScales(t.Context(), store, []string{"n1"})
		mu.Lock()
		defer mu.Unlock()
		slices.Sort(asked)
		return asked
	}
	first := read()
	s := store.Snapshot()
	if w := s.Workload("cs-1"); w == nil || w.Replicas != 1 || w.Resource != "clonesets.apps.kruise.io" || w.Hidden != "" ||
		w.Selector == nil || w.Selector.String() != "app=cs-1" {
		t.Errorf("CloneSet game: %+v", w)
	}
	if w := s.Workload("ro-1"); w == nil || w.Replicas != 1 || w.Resource != "rollouts.argoproj.io" {
		t.Errorf("Rollout web, through its ReplicaSet: %+v", w)
	}
	if w := s.Workload("cs-3"); w == nil || w.Hidden != "no right to get clonesets/scale.apps.kruise.io" {
		t.Errorf("CloneSet secret: %+v", w)
	}
	if w := s.Workload("cs-2"); w == nil || w.Hidden != "another of its name is there" {
		t.Errorf("CloneSet another: %+v", w)
	}
	if w := s.Workload("ss-1"); w == nil || w.Resource != "" || w.Hidden != "" {
		t.Errorf("SidecarSet side, which has no scale: %+v", w)
	}
	if w := s.Workload("sts-1"); w != nil {
		t.Errorf("StatefulSet plain is watched: %+v", w)
	}
	if n := len(first); n < 6 {
		t.Errorf("asked for %q", first)
	}
	if again := read(); len(again) != 0 {
		t.Errorf("asked again at once: %q", again)
	}
	before := store.Snapshot().Gen()
	clock = clock.Add(scaleLife)
	later := read()
	if slices.ContainsFunc(later, func(path string) bool { return strings.Count(path, "/") == 3 }) || len(later) != 4 {
		t.Errorf("after a while it asked for %q, want the four scales and no kind", later)
	}
	if store.Snapshot().Gen() != before {
		t.Error("scales that are as they were have changed the store")
	}
	mu.Lock()
	replicas = "3"
	mu.Unlock()
	clock = clock.Add(scaleLife)
	if read(); store.Snapshot().Workload("cs-1").Replicas != 3 {
		t.Errorf("a new scale: %+v", store.Snapshot().Workload("cs-1"))
	}
}

// However many owners there are, each is asked for; but a server that does not answer
// is not asked for all of them.
func TestScalesOfManyOwners(t *testing.T) {
	const owners = 3*scaleMost + 1
	var asked atomic.Int32
	var silent atomic.Bool
	f := kubetest.NewServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/apis/apps.kruise.io/v1alpha1":
			kubetest.WriteJSON(w, 200, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps.kruise.io/v1alpha1","resources":[
				{"name":"clonesets","kind":"CloneSet","namespaced":true},{"name":"clonesets/scale","kind":"Scale","namespaced":true}]}`)
		case strings.HasSuffix(r.URL.Path, "/scale"):
			asked.Add(1)
			if silent.Load() {
				<-r.Context().Done()
				return
			}
			kubetest.WriteJSON(w, 200, `{"kind":"Scale","apiVersion":"autoscaling/v1","spec":{"replicas":2}}`)
		default:
			kubetest.WriteJSON(w, 404, kubetest.Status(404, "NotFound", "no such thing", ""))
		}
	})
	store := kube.NewStore(time.Now)
	for n := range owners {
		name := fmt.Sprint("game-", n)
		store.Put(&kube.Pod{Namespace: "shop", Name: name, UID: kube.UID("pod-" + name), Node: "n1", Spec: &kube.PodSpec{},
			Owner: &kube.Owner{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: name, UID: kube.UID("of-" + name)}})
	}
	scales := NewOwners(conntest.To(t, f))
	scales.ReadScales(t.Context(), store, []string{"n1"})
	known := 0
	for n := range owners {
		if w := store.Snapshot().Workload(kube.UID(fmt.Sprint("of-game-", n))); w != nil && w.Replicas == 2 {
			known++
		}
	}
	if known != owners || asked.Load() != owners {
		t.Errorf("%d of %d are known, %d were asked for", known, owners, asked.Load())
	}
	silent.Store(true)
	asked.Store(0)
	later := time.Now().Add(scaleLife)
	scales.now = func() time.Time { return later }
	bound := scales.bound
	scales.bound = func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
		return bound(ctx, 50*time.Millisecond)
	}
	scales.ReadScales(t.Context(), store, []string{"n1"})
	if n := asked.Load(); n > scaleMost {
		t.Errorf("%d requests to a server that answers none", n)
	}
	if w := store.Snapshot().Workload("of-game-0"); w.Hidden == "" {
		t.Errorf("a scale that was not read in time: %+v", w)
	}
}
