package ui

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
)

var (
	demo      = flag.String("demo", "", "open the dashboard on a made-up cluster: company, crowd, down, unsynced, run, result or crash")
	demoTheme = flag.String("demo-theme", "default", "its theme")
	demoASCII = flag.Bool("demo-ascii", false, "ASCII only")
)

// TestDemo opens the real program on this terminal:
// go test -c ./ui && ./ui.test -test.run TestDemo -demo company
func TestDemo(t *testing.T) {
	if *demo == "" {
		t.Skip("needs a terminal: -demo company")
	}
	theme, err := themes.Load(*demoTheme, "")
	if err != nil {
		t.Fatal(err)
	}
	w := company()
	d := Deps{Identity: Identity{Context: "prod-eu-1", User: "ada"}, Options: plan.DefaultOptions(), Theme: theme, ASCII: *demoASCII,
		Now:   func() time.Time { return moment.Add(time.Since(started)) },
		Crash: NewCrash(t.TempDir()),
	}
	switch *demo {
	case "crowd":
		w = crowd(5000, 30)
	case "down":
		w = down()
	case "unsynced":
		w = unsynced()
	case "run":
		d.Attach = newFakeRun(runState())
	case "question":
		d.Attach = newFakeRun(questionState())
	case "result":
		d.Attach = newFakeRun(endedState(drain.OutcomePartly))
	}
	cluster := newPaperCluster(w, d.Now)
	if *demo == "crash" {
		cluster.planned = func(plan.Plan) plan.Plan { panic("boom") }
	}
	d.Source, d.Cluster = w, cluster
	result, err := Run(context.Background(), d)
	fmt.Printf("left: %s, error: %v\n%s", result.Left, err, result.Text())
}

var started = time.Now()

// crowd is a cluster of that many nodes with that many pods each.
func crowd(nodes, pods int) world {
	w := emptyWorld()
	w.Put(&kube.Workload{Kind: "DaemonSet", Namespace: "kube-system", Name: "node-exporter", UID: "ds-exporter"})
	for i := range nodes {
		name := fmt.Sprintf("gke-production-europe-west1-pool-%d-%08x", i%7, i*2654435761)
		w.node(name, fmt.Sprintf("europe-west1-%c", 'b'+i%3), time.Duration(i)*time.Hour)
		for k := range pods {
			app := fmt.Sprintf("app%d", k)
			if k == 0 {
				w.pod(name, "kube-system", fmt.Sprintf("node-exporter-%d", i), "", daemon)
				continue
			}
			w.pod(name, fmt.Sprintf("team-%d", k%20), fmt.Sprintf("%s-7f9c-%d", app, i), app)
		}
	}
	for k := range 20 {
		w.budget(fmt.Sprintf("team-%d", k), fmt.Sprintf("app%d", k+1), 10, 10, 0)
	}
	return w
}
