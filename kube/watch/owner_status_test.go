package watch

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn/conntest"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// answers are what the API server of the test says, by path.
var answers = map[string]string{
	"/apis/postgresql.cnpg.io/v1": `{"kind":"APIResourceList","apiVersion":"v1","resources":[
		{"name":"clusters","kind":"Cluster","namespaced":true},{"name":"clusters/status","kind":"Cluster","namespaced":true}]}`,
	"/apis/postgresql.cnpg.io/v1/namespaces/shop/clusters/db": `{"kind":"Cluster","metadata":{"name":"db","uid":"of-db"},
		"spec":{"instances":3,"enablePDB":true,"storage":{"size":"1Gi"}},"status":{"phase":"Switchover in progress\u001b[31m","readyInstances":3,
		"topology":{"successfullyExtracted":true,"instances":{"db-1":{}}},"conditions":[
		{"type":"Ready","status":"False","message":"not all are ready"}, "odd"]}}`,
	"/apis/postgresql.cnpg.io/v1/namespaces/shop/clusters/renewed":         `{"kind":"Cluster","metadata":{"uid":"another"}}`,
	"/apis/postgresql.cnpg.io/v1/namespaces/shop/clusters/portal":          `<html>log in</html>`,
	"/apis/longhorn.io/v1beta2/namespaces/shop/settings/node-drain-policy": `{"kind":"Setting","value":"block-if-contains-last-replica"}`,
	"/apis/longhorn.io/v1beta2/namespaces/shop/nodes": `{"kind":"NodeList","items":[
		{"metadata":{"name":"n2","uid":"of-n2"},"spec":{"allowScheduling":true,"evictionRequested":false}}]}`,
	"/apis/longhorn.io/v1beta2/namespaces/shop/replicas": `{"kind":"ReplicaList","items":[
		{"spec":{"volumeName":"two","nodeID":"n1","healthyAt":"t"}},{"spec":{"volumeName":"two","nodeID":"n2","healthyAt":"t"}},
		{"spec":{"volumeName":"last","nodeID":"n1","healthyAt":"t"}},{"spec":{"volumeName":"last","nodeID":"n2","healthyAt":"t","failedAt":"t"}},
		{"spec":{"volumeName":"local","nodeID":"n1","healthyAt":"t"}},{"spec":{"volumeName":"local","nodeID":"n1","healthyAt":"t"}},
		{"spec":{"volumeName":"new","nodeID":"n1"}},{"spec":{"volumeName":"elsewhere","nodeID":"n2","healthyAt":"t"}}]}`,
}

// The status of the custom resources that own the budgets of a node's pods is read, each once in a while; what cannot
// be read says why, and what is not the object is not believed.
func TestOwnerStatus(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	f := kubetest.NewServer(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.URL.Path)
		mu.Unlock()
		switch body := answers[r.URL.Path]; {
		case body != "":
			kubetest.WriteJSON(w, 200, body)
		case strings.HasSuffix(r.URL.Path, "/secret"):
			kubetest.WriteJSON(w, 403, kubetest.Status(403, "Forbidden", "no", ""))
		default:
			kubetest.WriteJSON(w, 404, kubetest.Status(404, "NotFound", "no such thing", ""))
		}
	})
	store := kube.NewStore(time.Now)
	put := func(name, node string, pod, budget *kube.Owner) {
		store.Put(&kube.Pod{Namespace: "shop", Name: name, UID: kube.UID("pod-" + name), Node: node, Spec: &kube.PodSpec{},
			Owner: pod, Labels: labels.Set{"app": name}})
		selector, err := metav1.LabelSelectorAsSelector(&metav1.LabelSelector{MatchLabels: map[string]string{"app": name}})
		if err != nil {
			t.Fatal(err)
		}
		store.Put(&kube.Budget{Namespace: "shop", Name: name, UID: kube.UID("budget-" + name), Owner: budget, Selector: selector})
	}
	for _, name := range []string{"db", "renewed", "portal", "secret", "gone"} {
		put(name, "n1", nil, &kube.Owner{APIVersion: "postgresql.cnpg.io/v1", Kind: "Cluster", Name: name, UID: kube.UID("of-" + name)})
	}
	put("astray", "n1", nil, &kube.Owner{APIVersion: "postgresql.cnpg.io/v1", Kind: "Cluster", Name: "../secrets", UID: "of-astray"})
	put("cache", "n1", nil, &kube.Owner{APIVersion: "example.org/v1", Kind: "Cache", Name: "c", UID: "of-cache"})
	put("built-in", "n1", nil, &kube.Owner{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: "of-web"})
	put("away", "n9", nil, &kube.Owner{APIVersion: "postgresql.cnpg.io/v1", Kind: "Cluster", Name: "away", UID: "of-away"})
	manager := func(uid kube.UID) *kube.Owner {
		return &kube.Owner{APIVersion: "longhorn.io/v1beta2", Kind: "InstanceManager", Name: string(uid), UID: uid}
	}
	put("manager-1", "n1", manager("im-1"), nil)
	put("manager-2", "n2", manager("im-2"), nil)

	owners := NewOwners(conntest.To(t, f))
	clock := time.Unix(0, 0).Add(time.Hour)
	owners.now = func() time.Time { return clock }
	read := func() int {
		mu.Lock()
		asked = nil
		mu.Unlock()
		owners.ReadStatuses(t.Context(), store, []string{"n1", "n2"})
		mu.Lock()
		defer mu.Unlock()
		return len(asked)
	}
	if n := read(); n != 10 { // two of discovery, five objects, three of Longhorn
		t.Errorf("%d requests: %q", n, asked)
	}
	known := store.Snapshot().OwnerStatus
	for uid, why := range map[kube.UID]string{"of-renewed": "another of its name is there", "of-portal": "reading the answer",
		"of-secret": "no right to get clusters.postgresql.cnpg.io", "of-gone": "it is not there", "of-astray": noPath,
		"of-cache": "its kind is not served"} {
		if got := known[uid]; !strings.HasPrefix(got.Hidden, why) || got.Fields != nil {
			t.Errorf("%s: %+v, want %q", uid, got, why)
		}
	}
	if got := known["of-db"].Fields; !maps.Equal(got, map[string]string{"phase": "Switchover in progress", "readyInstances": "3",
		"topology.successfullyExtracted": "true", "spec.instances": "3", "spec.enablePDB": "true", "conditions.Ready": "False", "conditions.Ready.message": "not all are ready"}) {
		t.Errorf("the status of db: %q", got)
	}
	if one, two := known["im-1"].Fields, known["im-2"].Fields; one["lastReplicaOf"] != "last, local" ||
		one["nodeDrainPolicy"] != "block-if-contains-last-replica" || two["lastReplicaOf"] != "elsewhere" ||
		one["node.uid"] != "" || two["node.uid"] != "of-n2" || two["spec.allowScheduling"] != "true" {
		t.Errorf("Longhorn: %q and %q", one, two)
	}
	if keys := slices.Sorted(maps.Keys(known)); len(keys) != 9 {
		t.Errorf("known are %q", keys)
	}
	before := store.Snapshot().Gen()
	if n := read(); n != 0 {
		t.Errorf("%d requests at once again", n)
	}
	if clock = clock.Add(statusLife); read() != 8 { // what is served is known
		t.Errorf("after a while it asked for %q", asked)
	}
	if store.Snapshot().Gen() != before {
		t.Error("statuses that are as they were have changed the store")
	}
	store.Remove(store.Snapshot().BudgetsOf(store.Snapshot().Pod("pod-db"))[0])
	read()
	if _, there := store.Snapshot().OwnerStatus["of-db"]; there || len(store.Snapshot().OwnerStatus) != 8 {
		t.Errorf("known are %q", slices.Sorted(maps.Keys(store.Snapshot().OwnerStatus)))
	}
}
