package app

import (
	"context"
	"sync/atomic"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// DryCordon asks the server what it would say to the cordon of a node.
func (d *Drain) DryCordon(ctx context.Context, n plan.Node) kube.Answer {
	return d.session.Writer().Cordon(ctx, request.Cordon{Node: n.Name, UID: n.UID, Unschedulable: true, DryRun: true})
}

// DryMoves asks the server what it would say to the eviction or deletion of each pod,
// once each and some at a time. It judges each alone and reserves nothing. The answers
// are in the order of the pods.
func (d *Drain) DryMoves(ctx context.Context, pods []plan.Pod, o plan.Options) []kube.Answer {
	answers := make([]kube.Answer, len(pods))
	var group kube.Group
	var next atomic.Int64
	for range min(o.MaxParallelEvictions, len(pods)) {
		group.Go("dry run", func() {
			for i := next.Add(1) - 1; i < int64(len(pods)); i = next.Add(1) - 1 {
				answers[i] = d.dryMove(ctx, pods[i], o)
			}
		})
	}
	group.Wait()
	return answers
}

func (d *Drain) dryMove(ctx context.Context, p plan.Pod, o plan.Options) kube.Answer {
	var grace *int64
	if seconds := int64(o.GracePeriodSeconds); seconds >= 0 {
		grace = &seconds
	}
	if p.Action == plan.ActionDelete {
		return d.session.Writer().Delete(ctx, request.Delete{Namespace: p.Namespace, Name: p.Name, UID: p.UID,
			Grace: grace, DryRun: true})
	}
	return d.session.Writer().Evict(ctx, request.Evict{Namespace: p.Namespace, Name: p.Name, UID: p.UID, Grace: grace,
		DryRun: true})
}
