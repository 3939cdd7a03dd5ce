package engine

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// operator is one of several who drain the same simulated cluster: what they see
// and send can be cut off, and what they sent is counted.
type operator struct {
	*kubetest.Simulation
	cut      *kube.Snapshot // what was seen when the connection broke, nil while it holds
	noLeases bool           // the right to write Leases is missing
	refuse   []kube.Answer  // what the next writes of Leases are answered, and nothing is done
	leases   []string       // "create run", "update run", "delete", as asked for
	renewals []time.Time
	mine     []request.Evict
	cordoned int
	takes    time.Duration // an answer to an eviction or to a write of a Lease
}

// slowly answers when the time of an answer is over, unless the request is cut off before.
// It waits for no timer where an answer takes no time: in a bubble of synctest, a timer that
// is over when it is asked for breaks the race detector (go.dev/issue/78156).
func (o *operator) slowly(ctx context.Context, answer func() kube.Answer) kube.Answer {
	if o.takes == 0 {
		return answer()
	}
	select {
	case <-ctx.Done():
		return kube.Answer{Failure: ctx.Err().Error()}
	case <-time.After(o.takes):
		return answer()
	}
}

func (o *operator) Snapshot() *kube.Snapshot {
	o.Mu.Lock()
	defer o.Mu.Unlock()
	if o.cut != nil {
		return o.cut
	}
	return o.Simulation.Snapshot()
}

// disconnect breaks the connection, or mends it.
func (o *operator) disconnect(broken bool) {
	o.Mu.Lock()
	defer o.Mu.Unlock()
	o.cut = nil
	if broken {
		live := o.Simulation.Snapshot().Health()
		o.Store.SetHealth(kube.Health{DownSince: time.Now(), Reason: "no route to host"})
		o.cut = o.Store.Snapshot()
		o.Store.SetHealth(live)
	}
	o.Store.SetUsage(nil) // everybody looks
}

func (o *operator) down() bool { o.Mu.Lock(); defer o.Mu.Unlock(); return o.cut != nil }

var noAnswer = kube.Answer{Failure: "no route to host", Unsent: true}

func (o *operator) Evict(ctx context.Context, r request.Evict) kube.Answer {
	if o.down() {
		return noAnswer
	}
	o.Mu.Lock()
	o.mine = append(o.mine, r)
	o.Mu.Unlock()
	return o.slowly(ctx, func() kube.Answer { return o.Simulation.Evict(ctx, r) })
}

func (o *operator) Cordon(ctx context.Context, r request.Cordon) kube.Answer {
	if o.down() {
		return noAnswer
	}
	o.Mu.Lock()
	o.cordoned++
	o.Mu.Unlock()
	return o.Simulation.Cordon(ctx, r)
}

func (o *operator) CreateLease(ctx context.Context, w request.WriteLease) kube.Answer {
	return o.writeLease(ctx, "create "+w.Run, func() kube.Answer {
		if o.held(w.NodeUID) != nil {
			return kube.Answer{Code: http.StatusConflict, Reason: metav1.StatusReasonAlreadyExists}
		}
		return o.putLease(w, types.UID("lease-"+o.NextVersion()))
	})
}

func (o *operator) UpdateLease(ctx context.Context, w request.WriteLease) kube.Answer {
	return o.writeLease(ctx, "update "+w.Run, func() kube.Answer {
		o.renewals = append(o.renewals, time.Now())
		switch live := o.held(w.NodeUID); {
		case live == nil:
			return kube.Answer{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound}
		case live.ResourceVersion != w.ResourceVersion || live.UID != w.UID:
			return kube.Answer{Code: http.StatusConflict}
		}
		return o.putLease(w, w.UID)
	})
}

func (o *operator) DeleteLease(ctx context.Context, r request.DeleteLease) kube.Answer {
	return o.writeLease(ctx, "delete", func() kube.Answer {
		for _, l := range o.Store.Snapshot().Leases() {
			if l.Name == r.Name && l.UID == r.UID && l.ResourceVersion == r.ResourceVersion {
				o.Store.Remove(l)
				return kube.Answer{Code: http.StatusOK}
			}
		}
		return kube.Answer{Code: http.StatusConflict}
	})
}

func (o *operator) writeLease(ctx context.Context, what string, do func() kube.Answer) kube.Answer {
	return o.slowly(ctx, func() kube.Answer { return o.writeLeaseNow(what, do) })
}

func (o *operator) writeLeaseNow(what string, do func() kube.Answer) kube.Answer {
	o.Mu.Lock()
	defer o.Mu.Unlock()
	if o.cut != nil {
		return noAnswer
	}
	o.leases = append(o.leases, what)
	if len(o.refuse) > 0 {
		answer := o.refuse[0]
		o.refuse = o.refuse[1:]
		return answer
	}
	if o.noLeases {
		return kube.Answer{Code: http.StatusForbidden, Message: "leases is forbidden"}
	}
	return do()
}

func (o *operator) held(node kube.UID) *kube.Lease { return o.Store.Snapshot().LeaseOf(node) }

func (o *operator) putLease(w request.WriteLease, uid types.UID) kube.Answer {
	version := o.NextVersion()
	o.Store.Put(kubetest.Convert(leaseObject(w, uid, version)))
	return kube.Answer{Code: http.StatusOK, UID: uid, ResourceVersion: version}
}

func leaseObject(w request.WriteLease, uid types.UID, version string) *coordinationv1.Lease {
	seconds := int32(kube.LeaseDuration / time.Second)
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: kube.LeaseName(w.NodeUID), Namespace: w.Namespace, UID: uid, ResourceVersion: version,
			Annotations: map[string]string{kube.ByAnnotation: w.By, kube.ReasonAnnotation: w.Reason, kube.MadeAtAnnotation: w.Since.UTC().Format(time.RFC3339)}},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: &w.Run, LeaseDurationSeconds: &seconds, LeaseTransitions: &w.Transitions},
	}
}

func leasing() plan.Options {
	o := plan.DefaultOptions()
	o.LeaseNamespace = kube.DefaultLeaseNamespace
	return o
}

// begin starts a run that gets every confirmation at once.
func (o *operator) begin(t *testing.T, run string, options plan.Options, nodes ...string) *Engine {
	t.Helper()
	plan, err := plan.New(o.Snapshot(), nodes, options, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	e, err := Start(t.Context(), EngineConfig{Source: o, Writer: o, Now: time.Now}, plan, drain.RunFacts{ID: run, Context: "lab", User: "user-" + run})
	if err != nil {
		t.Fatal(err)
	}
	o.confirm(t, e)
	return e
}

func (o *operator) confirm(t *testing.T, e *Engine) {
	changed := e.Changed(t.Context())
	go func() {
		for {
			select {
			case <-changed:
				if q := e.State().Question; q != nil {
					e.Send(drain.Confirm{Phase: q.Phase, Word: q.Word, By: "test"})
				}
			case <-e.Done():
				return
			}
		}
	}()
}

// An aborted run has work to do: while the server answers it may send, however long all of that takes together.
func TestAnAbortedRunSendsAsLongAsTheServerAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &operator{Simulation: kubetest.NewSimulation(), takes: 4 * time.Second}
		o.AddNode("a")
		o.AddPod("web", "a")
		p, err := plan.New(o.Snapshot(), []string{"a"}, leasing(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		ctx, abort := context.WithCancel(t.Context())
		e, err := Start(ctx, EngineConfig{Source: o, Writer: o, Now: time.Now}, p, drain.RunFacts{ID: "r1"})
		if err != nil {
			t.Fatal(err)
		}
		o.confirm(t, e)
		o.Later(5*time.Second, abort) // the eviction is out
		<-e.Done()
		state := e.State()
		if n := state.Nodes[0]; state.Outcome != drain.OutcomeAborted || len(o.mine) != 1 || n.Lease.State != lease.Released {
			t.Errorf("%s, %d evictions, the Lease is %s: %s", state.Outcome, len(o.mine), n.Lease.State, n.Lease.Message)
		}
		o.Halt()
	})
}
