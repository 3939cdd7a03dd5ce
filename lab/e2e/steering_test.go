//go:build e2e

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
)

// steered is a live headless run, steered from another terminal by ctl.
type steered struct {
	*operator
	run *running
	id  string
}

// steer begins a run on a machine of its own.
func (w *world) steer(t *testing.T, args ...string) *steered {
	t.Helper()
	s := &steered{operator: w.operator(t)}
	s.run = s.start(args...)
	eventually(t, patience, "the run is live", func() bool {
		live := decode[[]struct {
			Run  string
			Live bool
		}](t, s.operator.run("runs", "-o", "json").out)
		if len(live) == 1 && live[0].Live {
			s.id = live[0].Run
		}
		return s.id != ""
	})
	return s
}

// in is the same run for a part of the test, which fails by itself.
func (s *steered) in(t *testing.T) *steered {
	o, r := *s.operator, s.run
	o.t, r.t = t, t
	return &steered{operator: &o, run: r, id: s.id}
}

// ctl tells the run something. A blocked pod is asked for again now and then, and
// nobody can be told anything about it for that moment: then ctl is asked again.
func (s *steered) ctl(args ...string) (a answer) {
	s.t.Helper()
	eventually(s.t, patience, "no request is on its way", func() bool {
		a = s.operator.run(append([]string{"ctl", s.id}, args...)...)
		return !strings.Contains(a.err+a.out, "is in flight")
	})
	return a
}

// ctlAnswer is as much of ctl's JSON as the tests look at.
type ctlAnswer struct {
	OK     bool
	Seq    int
	Status ctlStatus
	Remedy struct{ Confirmation string }
}

type ctlStatus struct {
	Paused  bool
	Blocked []struct{ Pod string }
	Nodes   []struct{ Pods, Gone int }
}

func (s *steered) asks(args ...string) ctlAnswer {
	s.t.Helper()
	return decode[ctlAnswer](s.t, s.ctl(append(args, "-o", "json")...).out)
}

// waitsBlocked waits until just so many pods are left, and all of them blocked.
func (s *steered) waitsBlocked(pods int) {
	s.t.Helper()
	eventually(s.t, patience, "all pods that are left are blocked", func() bool {
		status := s.asks("status").Status
		return status.left() == pods && len(status.Blocked) == pods
	})
}

// left is how many pods of the run have not gone yet.
func (s ctlStatus) left() (pods int) {
	for _, n := range s.Nodes {
		pods += n.Pods - n.Gone
	}
	return pods
}

// only is the one pod of an app on a node, "" if there is none (any more).
func (w *world) only(t *testing.T, app, node string) string {
	t.Helper()
	found := list[pod](t, w, "pods", "-n", "shop", "-l", "app="+app, "--field-selector", "spec.nodeName="+node)
	if len(found) > 1 {
		t.Fatalf("%d pods of %s are on %s", len(found), app, node)
	}
	if len(found) == 0 {
		return ""
	}
	return "shop/" + found[0].Metadata.Name
}

// goes waits until no pod of the app is on the node any more.
func (w *world) goes(t *testing.T, app, node string) {
	t.Helper()
	eventually(t, patience, app+" has left "+node, func() bool { return w.only(t, app, node) == "" })
}

func (w *world) auditLog() string { return filepath.Join(w.dir, "audit.log") }

// auditEnd is where the audit log goes on.
func (w *world) auditEnd(t *testing.T) int64 {
	t.Helper()
	at, err := audit.End(w.auditLog())
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// written are the changes of the cluster that kdrain-tui asked for since then, also
// those that the server refused. Leases, Events and questions about rights are no
// changes of what a run is about.
func (w *world) written(t *testing.T, since int64) []string {
	t.Helper()
	requests, _, err := audit.Read(w.auditLog(), since)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, r := range audit.Of(requests, "kdrain-tui") {
		reads := r.Verb == "get" || r.Verb == "list" || r.Verb == "watch"
		if reads || slices.Contains([]string{"leases", "events", "selfsubjectreviews", "selfsubjectaccessreviews"}, r.Resource) {
			continue
		}
		found = append(found, strings.TrimSuffix(r.Verb+" "+r.Resource+"/"+r.Subresource, "/")+" "+r.Name)
	}
	return found
}

// others are those of the changes that are no evictions: blocked pods are asked for
// again now and then.
func others(changes []string) []string {
	return slices.DeleteFunc(changes, func(c string) bool { return strings.HasPrefix(c, "create pods/eviction ") })
}

// evicted are the names of the pods whose eviction was accepted since then, in order.
func (w *world) evicted(t *testing.T, since int64) []string {
	t.Helper()
	requests, _, err := audit.Read(w.auditLog(), since)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range audit.Of(requests, "kdrain-tui") {
		if r.Kind() == audit.Eviction && r.Accepted() {
			names = append(names, "shop/"+r.Name)
		}
	}
	return names
}
