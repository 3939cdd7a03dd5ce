package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// statusLife is the time before the status of an owner is read again.
const statusLife = 10 * time.Second

// ReadStatuses brings the status of the custom resources that own the budgets of the nodes' pods into the store, and of
// Longhorn's instance managers, whose budgets have no owner. Of one that cannot be read it says why
// (OwnerStatus.Hidden). It asks for each at most once in ten seconds.
func (r *Owners) ReadStatuses(ctx context.Context, store *kube.Store, nodes []string) {
	ctx, cancel := r.bound(ctx, readTimeout)
	defer cancel()
	snapshot := store.Snapshot()
	known := maps.Clone(snapshot.OwnerStatus)
	if known == nil {
		known = map[kube.UID]kube.OwnerStatus{}
	}
	there := ownersThere(snapshot)
	maps.DeleteFunc(known, func(uid kube.UID, _ kube.OwnerStatus) bool { return !there[uid] })
	var mu sync.Mutex
	atOnce("status of an owner", r.dueStatuses(snapshot, nodes), func(o statusToRead) {
		status := r.status(ctx, o)
		mu.Lock()
		defer mu.Unlock()
		known[o.UID] = status
	})
	if !maps.EqualFunc(known, snapshot.OwnerStatus, kube.OwnerStatus.Equal) {
		store.SetOwnerStatus(known)
	}
}

// ownersThere are the owners of budgets and of pods.
func ownersThere(s *kube.Snapshot) map[kube.UID]bool {
	there := map[kube.UID]bool{}
	for _, b := range s.Budgets() {
		if b.Owner != nil {
			there[b.Owner.UID] = true
		}
	}
	for _, p := range s.Pods() {
		if p.Owner != nil {
			there[p.Owner.UID] = true
		}
	}
	return there
}

// statusToRead is an owner whose status is read. on is the node of its pod, which only Longhorn needs.
type statusToRead struct {
	ownerToRead
	on string
}

// dueStatuses are the owners to ask for, each once.
func (r *Owners) dueStatuses(s *kube.Snapshot, nodes []string) []statusToRead {
	r.mu.Lock()
	defer r.mu.Unlock()
	var owners []statusToRead
	add := func(p *kube.Pod, o *kube.Owner) {
		if r.now().Sub(r.asked[o.UID]) >= statusLife && len(owners) < scaleMost {
			r.asked[o.UID] = r.now()
			owners = append(owners, statusToRead{ownerToRead{p.Namespace, o}, p.Node})
		}
	}
	for _, node := range nodes {
		for _, p := range s.PodsOn(node) {
			for _, b := range s.BudgetsOf(p) {
				switch {
				case b.OwnerGroup() != "":
					add(p, b.Owner)
				case p.Owner != nil && p.Owner.Group() == longhorn && p.Owner.Kind == "InstanceManager":
					add(p, p.Owner)
				}
			}
		}
	}
	return owners
}

const longhorn = "longhorn.io"

// status reads the status of one owner.
func (r *Owners) status(ctx context.Context, o statusToRead) kube.OwnerStatus {
	if !o.hasPath() {
		return kube.OwnerStatus{Hidden: noPath}
	}
	if o.Group() == longhorn {
		return r.lastReplicas(ctx, o)
	}
	kind, err := r.kind(ctx, o.Owner)
	if err != nil {
		return kube.OwnerStatus{Hidden: "its kind is not known: " + plainWords(err)}
	}
	if kind.resource == "" {
		return kube.OwnerStatus{Hidden: "its kind is not served"}
	}
	var object struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        metav1.ObjectMeta `json:"metadata"`
		Spec            map[string]any    `json:"spec"`
		Status          map[string]any    `json:"status"`
	}
	err = r.get(ctx, &object, "get", kind.resource+"."+o.Group(), "/apis", o.APIVersion, "namespaces", o.namespace,
		kind.resource, o.Name)
	switch {
	case err != nil:
		return kube.OwnerStatus{Hidden: err.Error()}
	case object.Kind != o.Kind || object.Metadata.UID == "":
		return kube.OwnerStatus{Hidden: "the answer is not a " + o.Kind}
	case object.Metadata.UID != o.UID:
		return kube.OwnerStatus{Hidden: "another of its name is there"}
	}
	fields := map[string]string{}
	addScalars(fields, "", object.Status)
	addScalars(fields, "spec.", object.Spec)
	return kube.OwnerStatus{Fields: fields}
}

// get reads the JSON at a path. Its errors say in words what failed.
func (r *Owners) get(ctx context.Context, into any, verb, resource string, path ...string) error {
	text, err := r.client.Get().AbsPath(path...).MaxRetries(0).Do(ctx).Raw()
	switch {
	case apierrors.IsForbidden(err):
		return errors.New("no right to " + verb + " " + resource)
	case apierrors.IsNotFound(err):
		return errors.New("it is not there")
	case err != nil:
		return errors.New(plainWords(err))
	}
	if err := json.Unmarshal(text, into); err != nil {
		return errors.New("the answer cannot be read: " + plainWords(err))
	}
	return nil
}

// addScalars adds the scalars of a status by their path, down to the second level, and of each condition its status and
// its message.
func addScalars(fields map[string]string, prefix string, of map[string]any) {
	for key, value := range of {
		name := kube.CleanText(prefix + key)
		switch value := value.(type) {
		case string:
			fields[name] = kube.CleanText(value)
		case bool, float64:
			fields[name] = fmt.Sprint(value)
		case map[string]any:
			if prefix == "" {
				addScalars(fields, key+".", value)
			}
		case []any:
			if prefix == "" && key == "conditions" {
				addConditions(fields, value)
			}
		}
	}
}

func addConditions(fields map[string]string, conditions []any) {
	for _, c := range conditions {
		condition, _ := c.(map[string]any)
		kind, _ := condition["type"].(string)
		status, _ := condition["status"].(string)
		message, _ := condition["message"].(string)
		if kind != "" {
			name := kube.CleanText("conditions." + kind)
			fields[name], fields[name+".message"] = kube.CleanText(status), kube.CleanText(message)
		}
	}
}

// longhornReplica is what is read of a replica of a volume.
type longhornReplica struct {
	Spec struct {
		VolumeName string `json:"volumeName"`
		NodeID     string `json:"nodeID"`
		HealthyAt  string `json:"healthyAt"`
		FailedAt   string `json:"failedAt"`
	} `json:"spec"`
}

// longhornNode is what is read of a node of Longhorn.
type longhornNode struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     map[string]any    `json:"spec"`
}

// longhornRead is what was read of Longhorn in its namespace.
type longhornRead struct {
	at       time.Time
	policy   string
	replicas []longhornReplica
	nodes    []longhornNode
	err      error
}

// lastReplicas are the volumes that have their last healthy replica on the node of an instance manager, and the setting
// that says whether these block a drain.
func (r *Owners) lastReplicas(ctx context.Context, o statusToRead) kube.OwnerStatus {
	r.longhorn.Lock()
	defer r.longhorn.Unlock() // held while they are read: the instance managers of other nodes have the same answer
	read, ok := r.longhorns[o.namespace]
	if !ok || r.now().Sub(read.at) >= statusLife {
		read = r.readLonghorn(ctx, o)
		r.longhorns[o.namespace] = read
	}
	if read.err != nil {
		return kube.OwnerStatus{Hidden: read.err.Error()}
	}
	fields := map[string]string{"nodeDrainPolicy": kube.CleanText(read.policy),
		"lastReplicaOf": kube.CleanText(strings.Join(lastOn(o.on, read.replicas), ", "))}
	for _, n := range read.nodes {
		if n.Metadata.Name == o.on {
			fields["node.uid"] = kube.CleanText(string(n.Metadata.UID))
			addScalars(fields, "spec.", n.Spec)
		}
	}
	return kube.OwnerStatus{Fields: fields}
}

func (r *Owners) readLonghorn(ctx context.Context, o statusToRead) longhornRead {
	in := []string{"/apis", o.APIVersion, "namespaces", o.namespace}
	var replicas struct {
		Items []longhornReplica `json:"items"`
	}
	var nodes struct {
		Items []longhornNode `json:"items"`
	}
	var policy struct {
		Value string `json:"value"`
	}
	err := r.get(ctx, &policy, "get", "settings."+longhorn, append(in, "settings", "node-drain-policy")...)
	if err == nil {
		err = r.get(ctx, &replicas, "list", "replicas."+longhorn, append(in, "replicas")...)
	}
	// Only the remedy needs the nodes.
	_ = r.get(ctx, &nodes, "list", "nodes."+longhorn, append(in, "nodes")...)
	return longhornRead{r.now(), policy.Value, replicas.Items, nodes.Items, err}
}

// lastOn are the volumes whose replica on the node is in use and has no healthy other one on another node
// (longhorn-manager instance_manager_controller.go canDeleteInstanceManagerPDB).
func lastOn(node string, replicas []longhornReplica) []string {
	var last []string
	for _, here := range replicas {
		of := here.Spec.VolumeName
		unused := here.Spec.HealthyAt == "" && here.Spec.FailedAt == ""
		if here.Spec.NodeID != node || unused || slices.Contains(last, of) {
			continue
		}
		if !slices.ContainsFunc(replicas, func(other longhornReplica) bool {
			return other.Spec.VolumeName == of && other.Spec.NodeID != node && other.Spec.NodeID != "" &&
				other.Spec.HealthyAt != "" && other.Spec.FailedAt == ""
		}) {
			last = append(last, of)
		}
	}
	slices.Sort(last)
	return last
}
