package ui

import (
	"context"
	"errors"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/forecast"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// paperCluster is the cluster of a world. A test puts its own answers in the place of
// the ordinary ones.
type paperCluster struct {
	steps  []string // of nodes out of the cluster
	takes  live.Run // that takes the next of them, nil where it is refused
	source Source
	now    func() time.Time

	cordons []string // "+node" and "-node", as they were asked for
	reason  string   // of the last cordon
	removed []request.BudgetRef

	start       func(plan.Plan) (live.Run, error)
	rolls       func(plan.Plan, roll.Options) (live.Roll, error)
	planned     func(plan.Plan) plan.Plan // changes each plan
	forecast    func(*kube.Snapshot, plan.Plan, time.Time) plan.Estimate
	access      func(plan.Options) preflight.Access
	rights      func([]request.Permission) []request.AccessResult
	logs        []watch.LogTail // those of the details that were read last
	kubelet     func()          // is asked for them
	details     func(namespace, name string, uid kube.UID, container string) (watch.PodDetails, error)
	nodeDetails func(name string) (watch.NodeDetails, error)
	podUsage    func(namespace string) (map[string]kube.Usage, error)
	life        func(run string) tempbudget.RunLife
	remove      error
	deaf        error
}

var _ frame.Cluster = (*paperCluster)(nil)

func (c *paperCluster) StartRoll(_ context.Context, p plan.Plan, o roll.Options) (live.Roll, error) {
	return c.rolls(p, o)
}

func newPaperCluster(source Source, now func() time.Time) *paperCluster {
	return &paperCluster{
		source: source, now: now, forecast: forecast.Of,
		start:   func(p plan.Plan) (live.Run, error) { return newFakeRun(askingState(p)), nil },
		planned: func(p plan.Plan) plan.Plan { return p },
		access:  func(plan.Options) preflight.Access { return preflight.Access{} },
		rights:  func([]request.Permission) []request.AccessResult { return nil },
		details: func(string, string, kube.UID, string) (watch.PodDetails, error) {
			return watch.PodDetails{}, errors.New("no pod can be read in this test")
		},
		nodeDetails: func(string) (watch.NodeDetails, error) {
			return watch.NodeDetails{}, errors.New("no node can be read in this test")
		},
		podUsage: func(string) (map[string]kube.Usage, error) { return nil, errors.New("no metrics in this test") },
		life:     func(string) tempbudget.RunLife { return tempbudget.RunUnknown },
	}
}

// paper is the cluster of a dashboard under test.
func paper(d *Deps) *paperCluster { return d.Cluster.(*paperCluster) }

func (c *paperCluster) plan(s *kube.Snapshot, nodes []string, o plan.Options, env preflight.Env) (plan.Plan, error) {
	p, err := plan.New(s, nodes, o, env.Now)
	if err != nil {
		return p, err
	}
	return c.planned(preflight.Check(s, p, env)), nil
}

func (c *paperCluster) NewPlan(s *kube.Snapshot, nodes []string, o plan.Options, now time.Time) (plan.Plan, error) {
	return c.plan(s, nodes, o, preflight.Env{Now: now})
}

func (c *paperCluster) Again(_ context.Context, shown plan.Plan, run string) (plan.Plan, error) {
	s := c.source.Snapshot()
	if !s.Trusted(kube.KindNodes, kube.KindPods) {
		return shown, errors.New("the view of the cluster is not up to date")
	}
	var names []string
	for _, n := range shown.Nodes {
		if s.Node(n.Name) != nil {
			names = append(names, n.Name)
		}
	}
	return c.plan(s, names, shown.Options, preflight.Env{Now: c.now(), Run: run})
}

func (c *paperCluster) Forecast(s *kube.Snapshot, p plan.Plan, now time.Time) plan.Estimate {
	return c.forecast(s, p, now)
}

func (c *paperCluster) Access(_ context.Context, o plan.Options) (preflight.Access, error) {
	return c.access(o), nil
}

func (c *paperCluster) StartConfirmed(_ context.Context, p plan.Plan) (live.Run, error) {
	return c.start(p)
}

func (c *paperCluster) Retire(_ context.Context, run, node string, step retire.Confirmed) (live.Run, error) {
	c.steps = append(c.steps, run+" "+node+" "+string(step.Step)+" "+step.Word)
	if c.takes == nil {
		return nil, errors.New("delete nodes is not allowed")
	}
	return c.takes, nil
}

func (c *paperCluster) Served(string) (bool, error) { return c.deaf == nil, c.deaf }

func (c *paperCluster) Cordon(_ context.Context, node, reason string, _ plan.DryRun) (bool, error) {
	c.cordons, c.reason = append(c.cordons, "+"+node), reason
	return true, nil
}

func (c *paperCluster) Uncordon(_ context.Context, node string, _ plan.DryRun) (bool, error) {
	c.cordons = append(c.cordons, "-"+node)
	return true, nil
}

func (c *paperCluster) Leftovers(s *kube.Snapshot, now time.Time) []tempbudget.Leftover {
	return tempbudget.Leftovers(s, c.life, now)
}

func (c *paperCluster) RemoveLeftover(_ context.Context, l tempbudget.Leftover) error {
	switch {
	case c.remove != nil:
		return c.remove
	case c.life(l.Run) == tempbudget.RunLive:
		return errors.New("its run is live again")
	}
	c.removed = append(c.removed, l.BudgetRef)
	return nil
}

func (c *paperCluster) NodeDetails(_ context.Context, name string, _ kube.UID) (watch.NodeDetails, error) {
	return c.nodeDetails(name)
}

func (c *paperCluster) PodUsage(_ context.Context, namespace string) (map[string]kube.Usage, error) {
	return c.podUsage(namespace)
}

func (c *paperCluster) PodDetails(_ context.Context, namespace, name string, uid kube.UID, container string) (watch.PodDetails, error) {
	d, err := c.details(namespace, name, uid, container)
	c.logs, d.Logs = d.Logs, nil
	return d, err
}

func (c *paperCluster) PodLogs(_ context.Context, _, _ string, d watch.PodDetails) watch.PodDetails {
	if c.kubelet != nil {
		c.kubelet()
	}
	d.Logs = c.logs
	return d
}

func (c *paperCluster) CheckAccess(_ context.Context, needs []request.Permission) ([]request.AccessResult, error) {
	return c.rights(needs), nil
}
