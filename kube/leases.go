package kube

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// DefaultLeaseNamespace is where the Leases of nodes are unless somebody
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
	Holder          string // id of the run, "" where no run holds it
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

// LeaseOf is the Lease of the node of that UID, nil if there is none. Ask
// Sync(KindLeases) before taking none for an answer.
func (s *Snapshot) LeaseOf(node UID) *Lease {
	return find(s, &Lease{Name: LeaseName(node)})
}

// Leases are all Leases of nodes, by name.
func (s *Snapshot) Leases() []*Lease { return rows[*Lease](&s.t, KindLeases).items() }

// LeaseEnds is when the Lease can be taken for abandoned if nothing changes until
// then: its duration after it was last seen to change, and after we began to
// look without a gap. The zero time says that we cannot tell now.
func (s *Snapshot) LeaseEnds(l *Lease) time.Time {
	if !s.Trusted(KindLeases) {
		return time.Time{}
	}
	from := l.Seen
	if since := s.sync[Scope{Kind: KindLeases}].Since; since.After(from) {
		from = since
	}
	return from.Add(l.Duration)
}

// Alive tells whether the holder has shown itself since we look: the Lease was seen
// to change, and its time is not over.
func (l *Lease) Alive(now time.Time) bool {
	return l.Changes > 0 && now.Before(l.Seen.Add(l.Duration))
}
