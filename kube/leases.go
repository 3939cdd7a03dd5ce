package kube

import (
	"context"
	"net/http"
	"net/url"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// DefaultLeaseNamespace is where the Leases over nodes are unless somebody
	// says otherwise.
	DefaultLeaseNamespace = metav1.NamespaceSystem
	// HeartbeatNamespace holds the Leases by which kubelets tell that they live:
	// no place for ours.
	HeartbeatNamespace = "kube-node-lease"
	// LeaseDuration is how long a Lease of ours holds without a renewal.
	LeaseDuration = 30 * time.Second
)

// Lease is the compact record of the Lease of a run over a node. Its texts come
// from whoever may write Leases there, and are cleaned as all others.
type Lease struct {
	Namespace       string
	Name            string
	UID             UID
	ResourceVersion string
	Holder          string // id of the run, "" where nobody holds it
	By              string // whose run it is
	Reason          string // why it drains the node
	Since           string // when it took the Lease, by the server's clock then; RFC 3339 if it is well-formed
	Duration        time.Duration
	Transitions     int32 // how often it changed hands
	// Seen is when we last saw it change, by our own clock: neither its times nor
	// those of another machine are ever compared with ours (as client-go's leader
	// election does, tools/leaderelection). Changes counts how often we did.
	Seen    time.Time
	Changes int
}

// LeaseRecord is the compact record of a Lease.
func LeaseRecord(l *coordinationv1.Lease) *Lease {
	record := &Lease{
		Namespace: l.Namespace, Name: l.Name, UID: l.UID, ResourceVersion: l.ResourceVersion,
		Holder: cleanText(valueOr(l.Spec.HolderIdentity, "")), By: cleanText(l.Annotations[ByAnnotation]),
		Reason: cleanText(l.Annotations[ReasonAnnotation]), Since: cleanText(l.Annotations[MadeAtAnnotation]),
		Duration:    time.Duration(valueOr(l.Spec.LeaseDurationSeconds, 0)) * time.Second,
		Transitions: valueOr(l.Spec.LeaseTransitions, 0),
	}
	// One that would lapse sooner than its holder can renew it is not believed.
	record.Duration = max(record.Duration, LeaseDuration)
	return record
}

// leaseChanged notes when a Lease was seen to change.
func leaseChanged(now func() time.Time) func(old, l *Lease) {
	return func(old, l *Lease) {
		switch {
		case l == nil:
		case old == nil || old.UID != l.UID:
			l.Seen, l.Changes = now(), 0
		case old.ResourceVersion == l.ResourceVersion: // listed again
			l.Seen, l.Changes = old.Seen, old.Changes
		default:
			l.Seen, l.Changes = now(), old.Changes+1
		}
	}
}

// LeaseOf is the Lease over the node of that UID, nil if there is none. Ask
// Sync(KindLeases) before taking none for an answer.
func (s *Snapshot) LeaseOf(node UID) *Lease {
	return find(s, &Lease{Name: LeaseName(node)})
}

// Leases are all Leases over nodes, by name.
func (s *Snapshot) Leases() []*Lease { return rows[*Lease](&s.t, KindLeases).items() }

// LeaseEnds is when the Lease can be taken for abandoned if nothing changes until
// then: its duration after it was last seen to change, and after we began to
// look without a gap. The zero time says that we cannot tell now.
func (s *Snapshot) LeaseEnds(l *Lease) time.Time {
	if !s.Trusted(KindLeases) {
		return time.Time{}
	}
	from := l.Seen
	if since := s.sync[scope{kind: KindLeases}].Since; since.After(from) {
		from = since
	}
	return from.Add(l.Duration)
}

// LeaseAlive tells whether the holder has shown itself since we look: the Lease
// was seen to change, and its time is not over.
func (s *Snapshot) LeaseAlive(l *Lease, now time.Time) bool {
	return l.Changes > 0 && now.Before(l.Seen.Add(l.Duration))
}

// LeaseWrite is the whole content of a Lease over a node, as a run writes it.
type LeaseWrite struct {
	Namespace string
	Node      string // the node's name
	NodeUID   UID
	Run       string
	By        string
	Reason    string
	Since     time.Time // when the run took it, by the server's clock
	Renewed   time.Time // now, by the server's clock: for people, nobody judges by it
	// Transitions is how often it changed hands.
	Transitions int32
	// UID and ResourceVersion are those of the Lease that is meant: the write fails
	// with 409 if it has changed since. Both are empty for one that is made.
	UID             UID
	ResourceVersion string
}

// LeaseRef is exactly one state of one Lease.
type LeaseRef struct {
	Namespace, Name string
	UID             UID
	ResourceVersion string
}

// LeaseWriter is what takes, keeps and gives back Leases over nodes. Each call
// is one request.
type LeaseWriter interface {
	// CreateLease makes the Lease; 409 tells that there is one.
	CreateLease(ctx context.Context, w LeaseWrite) Answer
	// UpdateLease renews the Lease, or takes it over from another holder.
	UpdateLease(ctx context.Context, w LeaseWrite) Answer
	DeleteLease(ctx context.Context, r LeaseRef) Answer
}

var _ LeaseWriter = (*Cluster)(nil)

// CreateLease makes the Lease over a node. The Node owns it: with the node it goes.
func (c *Cluster) CreateLease(ctx context.Context, w LeaseWrite) Answer {
	return c.send(ctx, http.MethodPost, leasePath(w.Namespace), leaseQuery(), contentJSON, w.object(), nil)
}

// UpdateLease writes a Lease of ours anew, whole.
func (c *Cluster) UpdateLease(ctx context.Context, w LeaseWrite) Answer {
	return c.send(ctx, http.MethodPut, leasePath(w.Namespace)+"/"+url.PathEscape(LeaseName(w.NodeUID)), leaseQuery(), contentJSON, w.object(), nil)
}

// DeleteLease gives a Lease back, if it still is as we know it.
func (c *Cluster) DeleteLease(ctx context.Context, r LeaseRef) Answer {
	options := deleteOptions(r.UID, nil, false)
	options.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"}
	if r.ResourceVersion != "" {
		if options.Preconditions == nil {
			options.Preconditions = &metav1.Preconditions{}
		}
		options.Preconditions.ResourceVersion = &r.ResourceVersion
	}
	return c.send(ctx, http.MethodDelete, leasePath(r.Namespace)+"/"+url.PathEscape(r.Name), url.Values{}, contentJSON, options, nil)
}

func leasePath(namespace string) string {
	return "/apis/coordination.k8s.io/v1/namespaces/" + url.PathEscape(namespace) + "/leases"
}

func leaseQuery() url.Values { return url.Values{"fieldManager": {FieldManager}} }

// object is the Lease as the API has it.
func (w LeaseWrite) object() *coordinationv1.Lease {
	seconds := int32(LeaseDuration / time.Second)
	taken, renewed := metav1.NewMicroTime(w.Since), metav1.NewMicroTime(w.Renewed)
	annotations := map[string]string{ByAnnotation: w.By, MadeAtAnnotation: w.Since.UTC().Format(time.RFC3339)}
	if w.Reason != "" {
		annotations[ReasonAnnotation] = w.Reason
	}
	return &coordinationv1.Lease{
		TypeMeta: metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: w.Namespace, Name: LeaseName(w.NodeUID), UID: w.UID, ResourceVersion: w.ResourceVersion,
			Labels:      map[string]string{ManagedByLabel: ManagedByValue, RunLabel: w.Run},
			Annotations: annotations,
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "v1", Kind: "Node", Name: w.Node, UID: w.NodeUID,
			}},
		},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &w.Run, LeaseDurationSeconds: &seconds, LeaseTransitions: &w.Transitions,
			AcquireTime: &taken, RenewTime: &renewed,
		},
	}
}
