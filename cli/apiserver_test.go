package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/engine"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// apiServer is a scripted API server: as much of one as a drain needs, over
// HTTP, with the real connection, store and engine in front of it. It knows no
// rules; what it answers to evictions and deletions is the test's.
type apiServer struct {
	*httptest.Server
	t         *testing.T
	evictions string            // version of the Eviction kind it offers, "" for none
	denied    []string          // what an access review that is answered with no contains, nil for none
	forbidden map[string]bool   // collections that may not be listed or watched
	serves    map[string]string // collections that there are, and the kind of their lists
	// answer says what comes of an eviction or deletion: 0 lets the pod go.
	answer func(r *http.Request, pod string, attempt int) (code int, headers map[string]string, body string)

	listed func() // called with each list, nil for not

	mu       sync.Mutex
	version  int
	objects  map[string]map[string]metav1.Object // by path of the collection, by namespace/name
	log      []watched
	news     chan struct{} // closed with each change
	requests []string      // "METHOD path", watches and lists left out
	bodies   []string
	attempts map[string]int
}

// watched is a change as a watch tells it.
type watched struct {
	version    int
	collection string
	object     metav1.Object
	event      []byte
}

var collections = map[string]string{
	"/api/v1/nodes": "NodeList", "/api/v1/pods": "PodList", "/api/v1/replicationcontrollers": "ReplicationControllerList",
	"/apis/apps/v1/daemonsets": "DaemonSetList", "/apis/apps/v1/replicasets": "ReplicaSetList",
	"/apis/apps/v1/deployments": "DeploymentList", "/apis/apps/v1/statefulsets": "StatefulSetList",
	"/apis/batch/v1/jobs": "JobList", "/apis/policy/v1/poddisruptionbudgets": "PodDisruptionBudgetList",
}

func newAPIServer(t *testing.T, objects ...metav1.Object) *apiServer {
	t.Helper()
	s := &apiServer{t: t, evictions: "v1", forbidden: map[string]bool{}, serves: maps.Clone(collections), objects: map[string]map[string]metav1.Object{},
		news: make(chan struct{}), attempts: map[string]int{}}
	for _, o := range objects {
		s.put("ADDED", o)
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

func (s *apiServer) collectionOf(o metav1.Object) string {
	_, kind, _ := strings.Cut(fmt.Sprintf("%T", o), ".")
	for path, list := range s.serves {
		if list == kind+"List" {
			return path
		}
	}
	panic(fmt.Sprintf("no collection for %T", o))
}

// put makes a change and tells the watches.
func (s *apiServer) put(what string, o metav1.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change(what, o)
}

func (s *apiServer) change(what string, o metav1.Object) {
	s.version++
	o.SetResourceVersion(strconv.Itoa(s.version))
	collection, key := s.collectionOf(o), o.GetNamespace()+"/"+o.GetName()
	if s.objects[collection] == nil {
		s.objects[collection] = map[string]metav1.Object{}
	}
	if what == "DELETED" {
		delete(s.objects[collection], key)
	} else {
		s.objects[collection][key] = o
	}
	event, err := json.Marshal(map[string]any{"type": what, "object": o})
	if err != nil {
		s.t.Error(err)
	}
	s.log = append(s.log, watched{s.version, collection, o, event})
	close(s.news)
	s.news = make(chan struct{})
}

func (s *apiServer) serve(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	collection, holds := s.asksFor(r)
	switch {
	case path == "/apis/authentication.k8s.io/v1/selfsubjectreviews":
		reply(w, 201, `{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1","status":{"userInfo":{"username":"ada"}}}`)
	case path == "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews":
		asked, _ := io.ReadAll(r.Body)
		denied := len(s.denied) > 0 && !slices.ContainsFunc(s.denied, func(part string) bool { return !strings.Contains(string(asked), part) })
		reply(w, 201, fmt.Sprintf(`{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","status":{"allowed":%v}}`, !denied))
	case path == "/version":
		reply(w, 200, `{"gitVersion":"v1.36.3"}`)
	case path == "/readyz":
		reply(w, 200, "ok")
	case path == "/api/v1/namespaces/kube-system":
		reply(w, 200, `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"kube-system","uid":"cluster"}}`)
	case path == "/api/v1":
		s.discovery(w)
	case s.serves[collection] != "" && s.forbidden[collection]:
		reply(w, 403, refusal(403, "Forbidden", path+" is forbidden"))
	case s.serves[collection] != "" && r.URL.Query().Get("watch") != "":
		s.watch(w, r, collection, holds)
	case s.serves[collection] != "" && r.Method == http.MethodGet:
		s.list(w, collection, holds)
	default:
		s.act(w, r)
	}
}

// asksFor is the collection that a request is about, and which of its objects: those of a namespace in its path, or
// with a field.
func (s *apiServer) asksFor(r *http.Request) (collection string, holds func(metav1.Object) bool) {
	collection = r.URL.Path
	namespace := ""
	if before, after, ok := strings.Cut(collection, "/namespaces/"); ok && s.serves[collection] == "" {
		if name, kind, ok := strings.Cut(after, "/"); ok && s.serves[before+"/"+kind] != "" {
			collection, namespace = before+"/"+kind, name
		}
	}
	field, value, _ := strings.Cut(r.URL.Query().Get("fieldSelector"), "=")
	return collection, func(o metav1.Object) bool {
		pod, _ := o.(*corev1.Pod)
		switch {
		case namespace != "" && o.GetNamespace() != namespace:
			return false
		case field == "spec.nodeName" && pod != nil:
			return pod.Spec.NodeName == value
		}
		return field != "metadata.name" || o.GetName() == value
	}
}

func (s *apiServer) discovery(w http.ResponseWriter) {
	resources := ""
	if s.evictions != "" {
		resources = `{"name":"pods/eviction","namespaced":true,"kind":"Eviction","group":"policy","version":"` + s.evictions + `","verbs":["create"]}`
	}
	reply(w, 200, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[`+resources+`]}`)
}

func (s *apiServer) list(w http.ResponseWriter, collection string, holds func(metav1.Object) bool) {
	if s.listed != nil {
		s.listed()
	}
	s.mu.Lock()
	items := []any{}
	for _, o := range s.objects[collection] {
		if holds(o) {
			items = append(items, o)
		}
	}
	prefix, _, _ := strings.Cut(filepath.Dir(collection), "/namespaces")
	group := strings.TrimPrefix(strings.TrimPrefix(prefix, "/apis/"), "/api/")
	body, err := json.Marshal(map[string]any{"kind": s.serves[collection], "apiVersion": group,
		"metadata": map[string]any{"resourceVersion": strconv.Itoa(s.version)}, "items": items})
	s.mu.Unlock()
	if err != nil {
		s.t.Error(err)
	}
	reply(w, 200, string(body))
}

func (s *apiServer) watch(w http.ResponseWriter, r *http.Request, collection string, holds func(metav1.Object) bool) {
	if r.URL.Query().Get("sendInitialEvents") != "" {
		reply(w, 422, refusal(422, "Invalid", "lists are not streamed"))
		return
	}
	seen, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(200)
	for {
		s.mu.Lock()
		news := s.news
		for _, change := range s.log {
			if change.version > seen && change.collection == collection && holds(change.object) {
				_, _ = w.Write(append(change.event, '\n'))
			}
		}
		seen = s.version
		s.mu.Unlock()
		w.(http.Flusher).Flush()
		select {
		case <-news:
		case <-r.Context().Done():
			return
		}
	}
}

// act is every request that reads or changes one object.
func (s *apiServer) act(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.bodies = append(s.requests, r.Method+" "+r.URL.Path), append(s.bodies, string(body))
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case len(parts) == 4 && parts[2] == "nodes":
		s.node(w, r, parts[3], body)
	case len(parts) >= 6 && parts[4] == "pods":
		s.pod(w, r, parts[3]+"/"+parts[5])
	case len(parts) == 7 && parts[5] == "daemonsets" && s.objects["/apis/apps/v1/daemonsets"][parts[4]+"/"+parts[6]] != nil:
		s.object(w, s.objects["/apis/apps/v1/daemonsets"][parts[4]+"/"+parts[6]])
	case len(parts) >= 6 && parts[5] == "leases" && s.serves[strings.Join(append([]string{""}, parts[:6]...), "/")] != "":
		s.lease(w, r, body)
	default:
		reply(w, 404, refusal(404, "NotFound", "the server could not find the requested resource"))
	}
}

// lease keeps the one Lease that there is.
func (s *apiServer) lease(w http.ResponseWriter, r *http.Request, body []byte) {
	l := &coordinationv1.Lease{}
	if r.Method == http.MethodDelete {
		for _, o := range s.objects[s.collectionOf(l)] {
			s.change("DELETED", o)
		}
		reply(w, 200, `{"kind":"Status","apiVersion":"v1","status":"Success","code":200}`)
		return
	}
	if err := json.Unmarshal(body, l); err != nil {
		s.t.Error(err)
	}
	l.UID = "uid-lease"
	s.change("MODIFIED", l)
	s.object(w, l)
}

// object answers with an object and its kind.
func (s *apiServer) object(w http.ResponseWriter, o metav1.Object) {
	object := o.(runtime.Object).DeepCopyObject()
	kinds, _, err := scheme.Scheme.ObjectKinds(object)
	if err != nil {
		s.t.Error(err)
		return
	}
	object.GetObjectKind().SetGroupVersionKind(kinds[0])
	body, err := json.Marshal(object)
	if err != nil {
		s.t.Error(err)
	}
	reply(w, 200, string(body))
}

func (s *apiServer) node(w http.ResponseWriter, r *http.Request, name string, body []byte) {
	n, ok := s.objects["/api/v1/nodes"]["/"+name].(*corev1.Node)
	if !ok {
		reply(w, 404, refusal(404, "NotFound", fmt.Sprintf("nodes %q not found", name)))
		return
	}
	if r.Method == http.MethodDelete {
		var options metav1.DeleteOptions
		switch err := json.Unmarshal(body, &options); {
		case err != nil || options.Preconditions == nil:
			s.t.Errorf("a node is deleted without a precondition: %s %v", body, err)
		case *options.Preconditions.UID != n.UID:
			reply(w, 409, refusal(409, "Conflict", "the UID in the precondition does not match"))
			return
		}
		s.change("DELETED", n)
		reply(w, 200, `{"kind":"Status","apiVersion":"v1","status":"Success","code":200}`)
		return
	}
	if r.Method == http.MethodPatch {
		if s.answer != nil {
			s.attempts[name]++
			if code, _, text := s.answer(r, name, s.attempts[name]); code != 0 {
				reply(w, code, text)
				return
			}
		}
		var patch struct {
			Metadata struct {
				Annotations map[string]*string `json:"annotations"`
			} `json:"metadata"`
			Spec struct {
				Unschedulable *bool `json:"unschedulable"`
			} `json:"spec"`
		}
		if err := json.Unmarshal(body, &patch); err != nil {
			s.t.Error(err)
		}
		changed := n.DeepCopy()
		changed.Spec.Unschedulable = patch.Spec.Unschedulable != nil && *patch.Spec.Unschedulable
		for key, value := range patch.Metadata.Annotations {
			if value == nil {
				delete(changed.Annotations, key)
				continue
			}
			if changed.Annotations == nil {
				changed.Annotations = map[string]string{}
			}
			changed.Annotations[key] = *value
		}
		if r.URL.Query().Get("dryRun") == "" {
			s.change("MODIFIED", changed)
		}
		n = changed
	}
	s.object(w, n)
}

func (s *apiServer) pod(w http.ResponseWriter, r *http.Request, key string) {
	_, name, _ := strings.Cut(key, "/")
	p, ok := s.objects["/api/v1/pods"][key].(*corev1.Pod)
	if r.Method != http.MethodGet && s.answer != nil {
		s.attempts[name]++
		if code, headers, body := s.answer(r, name, s.attempts[name]); code != 0 {
			for k, v := range headers {
				w.Header().Set(k, v)
			}
			reply(w, code, body)
			return
		}
	}
	switch {
	case !ok, strings.HasSuffix(r.URL.Path, "/eviction") && s.evictions == "":
		reply(w, 404, refusal(404, "NotFound", fmt.Sprintf("pods %q not found", name)))
	case r.Method == http.MethodGet:
		s.object(w, p)
	case r.URL.Query().Get("dryRun") != "":
		reply(w, 201, `{"kind":"Status","apiVersion":"v1","status":"Success","code":201}`)
	default:
		s.change("DELETED", p)
		reply(w, 201, `{"kind":"Status","apiVersion":"v1","status":"Success","code":201}`)
	}
}

// sent counts the requests with that method whose path ends so.
func (s *apiServer) sent(method, suffix string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, r := range s.requests {
		if strings.HasPrefix(r, method+" ") && strings.HasSuffix(r, suffix) {
			n++
		}
	}
	return n
}

func reply(w http.ResponseWriter, code int, body string) {
	kind := "application/json"
	if !strings.HasPrefix(body, "{") {
		kind = "text/plain"
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(code)
	_, _ = io.WriteString(w, body)
}

func refusal(code int, reason, message string) string {
	body, _ := json.Marshal(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status: metav1.StatusFailure, Code: int32(code), Reason: metav1.StatusReason(reason), Message: message})
	return string(body)
}

// connected is a Program that talks to the server as in real life.
func (s *apiServer) connected(t *testing.T) *bench {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	b := newBench(t, nil)
	b.Now, b.Open, b.Signals = time.Now, app.Connect, make(chan os.Signal)
	b.Launch = func(ctx context.Context, c engine.EngineConfig, plan plan.Plan, facts drain.RunFacts) (app.Run, error) {
		return engine.Start(ctx, c, plan, facts)
	}
	return b
}

// runOn runs a command against the server.
func (s *apiServer) runOn(t *testing.T, args ...string) (*bench, int) {
	t.Helper()
	b := s.connected(t)
	return b, b.run(append(args, "--server="+s.URL)...)
}
