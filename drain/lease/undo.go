package lease

import (
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Undo releases the Lease of a run over a node, which would keep the next run waiting for as
// long as it lasts; left says why it is left alone.
func Undo(node kube.UID, run string, s *kube.Snapshot) (req *request.DeleteLease, left string) {
	live := s.LeaseOf(node)
	switch {
	case !s.Trusted(kube.KindLeases):
		return nil, "Leases cannot be read; it expires by itself"
	case live == nil:
		return nil, "it is already gone"
	case !Ours(live.Holder, run):
		return nil, "another run has it"
	}
	req = &request.DeleteLease{Namespace: live.Namespace, Name: live.Name, UID: live.UID,
		ResourceVersion: live.ResourceVersion}
	return req, ""
}
