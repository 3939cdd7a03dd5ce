package request

import (
	"context"
	"net/http"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Request is one request of a run, or a live read that a write in doubt needs. It
// knows how to send itself.
type Request interface {
	Send(ctx context.Context, w Writer) kube.Answer
	// Lasting tells whether what it does stays in the cluster until somebody takes it
	// back: it must be written down before it is sent.
	Lasting() bool
}

// GetPod asks which pod has a name now: the answer's UID tells.
type GetPod struct {
	Namespace, Name string
	UID             kube.UID // of the pod that is meant
}

func (r Evict) Send(ctx context.Context, w Writer) kube.Answer        { return w.Evict(ctx, r) }
func (r Delete) Send(ctx context.Context, w Writer) kube.Answer       { return w.Delete(ctx, r) }
func (r Cordon) Send(ctx context.Context, w Writer) kube.Answer       { return w.Cordon(ctx, r) }
func (r CreateBudget) Send(ctx context.Context, w Writer) kube.Answer { return w.CreateBudget(ctx, r) }
func (r BudgetRef) Send(ctx context.Context, w Writer) kube.Answer    { return w.DeleteBudget(ctx, r) }
func (r GetBudget) Send(ctx context.Context, w Writer) kube.Answer    { return w.LiveBudget(ctx, r) }
func (r Scale) Send(ctx context.Context, w Writer) kube.Answer        { return w.Scale(ctx, r) }
func (r Restart) Send(ctx context.Context, w Writer) kube.Answer      { return w.Restart(ctx, r) }
func (r Raise) Send(ctx context.Context, w Writer) kube.Answer        { return w.Raise(ctx, r) }
func (r Lower) Send(ctx context.Context, w Writer) kube.Answer        { return w.Lower(ctx, r) }
func (r SetCost) Send(ctx context.Context, w Writer) kube.Answer      { return w.SetCost(ctx, r) }
func (r SetTaints) Send(ctx context.Context, w Writer) kube.Answer    { return w.Taint(ctx, r) }
func (r SetFields) Send(ctx context.Context, w Writer) kube.Answer    { return w.SetFields(ctx, r) }

func (r GetPod) Send(ctx context.Context, w Writer) kube.Answer {
	_, answer := w.LivePod(ctx, r.Namespace, r.Name)
	return answer
}

// Send makes the Lease where none is meant that exists, else it writes that one.
func (r WriteLease) Send(ctx context.Context, w Writer) kube.Answer {
	return sendLease(w, func(leases LeaseWriter) kube.Answer {
		if r.UID == "" && r.ResourceVersion == "" {
			return leases.CreateLease(ctx, r)
		}
		return leases.UpdateLease(ctx, r)
	})
}

// Send gives the Lease back.
func (r DeleteLease) Send(ctx context.Context, w Writer) kube.Answer {
	return sendLease(w, func(leases LeaseWriter) kube.Answer { return leases.DeleteLease(ctx, r) })
}

// Send deletes the Node object, where there is somebody who can.
func (r DeleteNode) Send(ctx context.Context, w Writer) kube.Answer {
	nodes, ok := w.(NodeDeleter)
	if !ok {
		return kube.Answer{Code: http.StatusMethodNotAllowed, Message: "this connection deletes no nodes"}
	}
	return nodes.DeleteNode(ctx, r)
}

// sendLease sends where there is somebody who can.
func sendLease(w Writer, send func(LeaseWriter) kube.Answer) kube.Answer {
	leases, ok := w.(LeaseWriter)
	if !ok {
		return kube.Answer{Code: http.StatusMethodNotAllowed, Message: "this connection writes no Leases"}
	}
	return send(leases)
}

func (Evict) Lasting() bool        { return false }
func (Delete) Lasting() bool       { return false }
func (Cordon) Lasting() bool       { return true }
func (CreateBudget) Lasting() bool { return true }
func (BudgetRef) Lasting() bool    { return false }
func (GetBudget) Lasting() bool    { return false }
func (Scale) Lasting() bool        { return true }
func (Restart) Lasting() bool      { return false }
func (Raise) Lasting() bool        { return true }
func (Lower) Lasting() bool        { return false }
func (SetCost) Lasting() bool      { return true }
func (SetTaints) Lasting() bool    { return true }
func (SetFields) Lasting() bool    { return true }
func (GetPod) Lasting() bool       { return false }
func (WriteLease) Lasting() bool   { return false } // it lapses by itself
func (DeleteLease) Lasting() bool  { return false }
func (DeleteNode) Lasting() bool   { return true } // nothing takes it back

// PodOf is the UID of the pod that the request is about, "" if it is about none.
func PodOf(r Request) kube.UID {
	switch r := r.(type) {
	case Evict:
		return r.UID
	case Delete:
		return r.UID
	case GetPod:
		return r.UID
	}
	return ""
}
