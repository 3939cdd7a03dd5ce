package kubetest

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// MortalWriter loses every request once its process is killed, and is told what
// an API server says that goes away and comes back.
type MortalWriter struct {
	*Simulation
	Killed *atomic.Bool
}

func (w MortalWriter) send(send func() kube.Answer) kube.Answer {
	if w.Killed.Load() {
		return kube.Answer{Failure: "killed"}
	}
	switch w.server.Load() {
	case serverAway:
		return kube.Answer{Failure: "connection refused", Unsent: true}
	case serverDying:
		send() // what it did last is not answered
		return kube.Answer{Failure: "EOF"}
	case serverStarting:
		return kube.Answer{Code: http.StatusForbidden,
			Message: `User "ada" cannot patch resource "nodes" in API group ""`}
	}
	return send()
}

// What becomes of requests, by the state of the API server.
const (
	serverUp = iota
	serverDying
	serverAway
	serverStarting // its authorizer knows no rights yet
)

// Fail lets the API server die after a while, and be back after another.
func (s *Simulation) Fail(after, away time.Duration) {
	const dying, starting = 20 * time.Millisecond, time.Second
	s.Later(after, func() { s.server.Store(serverDying) })
	s.Later(after+dying, func() {
		s.server.Store(serverAway)
		s.Store.SetHealth(kube.Health{Reason: "connection refused"})
	})
	s.Later(after+dying+away, func() {
		s.server.Store(serverStarting)
		s.Store.SetHealth(kube.Health{Live: true, LastContact: time.Now()})
	})
	s.Later(after+dying+away+starting, func() { s.server.Store(serverUp) })
}

func (w MortalWriter) LivePod(ctx context.Context, namespace, name string) (pod *kube.Pod, answer kube.Answer) {
	answer = w.send(func() (a kube.Answer) {
		pod, a = w.Simulation.LivePod(ctx, namespace, name)
		return a
	})
	if !answer.OK() {
		return nil, answer
	}
	return pod, answer
}

func (w MortalWriter) Evict(ctx context.Context, r request.Evict) kube.Answer {
	return w.send(func() kube.Answer { return w.Simulation.Evict(ctx, r) })
}

func (w MortalWriter) Delete(ctx context.Context, r request.Delete) kube.Answer {
	return w.send(func() kube.Answer { return w.Simulation.Delete(ctx, r) })
}

func (w MortalWriter) Cordon(ctx context.Context, r request.Cordon) kube.Answer {
	return w.send(func() kube.Answer { return w.Simulation.Cordon(ctx, r) })
}

func (w MortalWriter) CreateBudget(ctx context.Context, r request.CreateBudget) kube.Answer {
	return w.send(func() kube.Answer { return w.Simulation.CreateBudget(ctx, r) })
}

func (w MortalWriter) LiveBudget(ctx context.Context, r request.GetBudget) kube.Answer {
	return w.send(func() kube.Answer { return w.Simulation.LiveBudget(ctx, r) })
}

func (w MortalWriter) DeleteBudget(ctx context.Context, r request.BudgetRef) kube.Answer {
	return w.send(func() kube.Answer { return w.Simulation.DeleteBudget(ctx, r) })
}
