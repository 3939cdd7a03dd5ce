package kube

import (
	"context"
	"net/http"
)

// Request is one request of a run, or a live read that a write in doubt needs. It
// knows how to send itself.
type Request interface {
	Send(ctx context.Context, w Writer) Answer
	// Lasting tells whether what it does stays in the cluster until somebody takes it
	// back: it must be written down before it is sent.
	Lasting() bool
}

// PodLook asks which pod has a name now: the answer's UID tells.
type PodLook struct {
	Namespace, Name string
	UID             UID // of the pod that is meant
}

func (r EvictRequest) Send(ctx context.Context, w Writer) Answer   { return w.Evict(ctx, r) }
func (r DeleteRequest) Send(ctx context.Context, w Writer) Answer  { return w.Delete(ctx, r) }
func (r CordonRequest) Send(ctx context.Context, w Writer) Answer  { return w.Cordon(ctx, r) }
func (r BudgetRequest) Send(ctx context.Context, w Writer) Answer  { return w.CreateBudget(ctx, r) }
func (r BudgetRef) Send(ctx context.Context, w Writer) Answer      { return w.DeleteBudget(ctx, r) }
func (r BudgetLook) Send(ctx context.Context, w Writer) Answer     { return w.LiveBudget(ctx, r) }
func (r ScaleRequest) Send(ctx context.Context, w Writer) Answer   { return w.Scale(ctx, r) }
func (r RestartRequest) Send(ctx context.Context, w Writer) Answer { return w.Restart(ctx, r) }
func (r TaintRequest) Send(ctx context.Context, w Writer) Answer   { return w.Taint(ctx, r) }

func (r PodLook) Send(ctx context.Context, w Writer) Answer {
	_, answer := w.LivePod(ctx, r.Namespace, r.Name)
	return answer
}

// Send makes the Lease where none is meant that exists, else it writes that one.
func (r LeaseWrite) Send(ctx context.Context, w Writer) Answer {
	return sendLease(w, func(leases LeaseWriter) Answer {
		if r.UID == "" && r.ResourceVersion == "" {
			return leases.CreateLease(ctx, r)
		}
		return leases.UpdateLease(ctx, r)
	})
}

// Send gives the Lease back.
func (r LeaseRef) Send(ctx context.Context, w Writer) Answer {
	return sendLease(w, func(leases LeaseWriter) Answer { return leases.DeleteLease(ctx, r) })
}

// sendLease sends where there is somebody who can.
func sendLease(w Writer, send func(LeaseWriter) Answer) Answer {
	leases, ok := w.(LeaseWriter)
	if !ok {
		return Answer{Code: http.StatusMethodNotAllowed, Message: "this connection writes no Leases"}
	}
	return send(leases)
}

func (EvictRequest) Lasting() bool   { return false }
func (DeleteRequest) Lasting() bool  { return false }
func (CordonRequest) Lasting() bool  { return true }
func (BudgetRequest) Lasting() bool  { return true }
func (BudgetRef) Lasting() bool      { return false }
func (BudgetLook) Lasting() bool     { return false }
func (ScaleRequest) Lasting() bool   { return true }
func (RestartRequest) Lasting() bool { return false }
func (TaintRequest) Lasting() bool   { return true }
func (PodLook) Lasting() bool        { return false }
func (LeaseWrite) Lasting() bool     { return false } // it lapses by itself
func (LeaseRef) Lasting() bool       { return false }
