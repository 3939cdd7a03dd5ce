//go:build e2e

package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/lab/gateway"
)

// behind is an operator whose kubeconfig leads through a gateway.
func (w *world) behind(t *testing.T, newest gateway.Protocol) (*operator, *gateway.Gateway) {
	t.Helper()
	g, err := gateway.Start(w.kubeconfig, newest)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	o := w.operator(t)
	path := filepath.Join(o.home, "kubeconfig")
	if err := g.Kubeconfig(path); err != nil {
		t.Fatal(err)
	}
	o.env = append(o.env, "KUBECONFIG="+path)
	return o, g
}

// impostor is a gateway that answers itself.
type impostor struct {
	mode gateway.Mode
	read string // what a command says that meets it at the start
	sent string // and one of which only the writes meet it
}

// impostors are all of them, and the host to which some redirect.
func impostors(t *testing.T) (*gateway.Elsewhere, map[string]impostor) {
	t.Helper()
	elsewhere := gateway.StartElsewhere()
	t.Cleanup(elsewhere.Close)
	host := strings.TrimPrefix(elsewhere.URL, "http://")
	return elsewhere, map[string]impostor{
		"log-in page":    {gateway.LogIn(elsewhere.URL+"/login", http.StatusFound), "redirected (302) to " + host + "/login", "redirected (302) to " + host},
		"another host":   {gateway.LogIn(elsewhere.URL+"/", http.StatusTemporaryRedirect), "redirected (307) to " + host, "redirected (307) to " + host},
		"own page":       {gateway.LogIn("/login", http.StatusFound), "/login, which is not followed", "/login, which is not followed"},
		"200 and a page": {gateway.Page(), "is a page (text/html)", "the answer 200 is not an API server's"},
		"other JSON":     {gateway.Other(), `its kind is ""`, "the answer 200 is not an API server's"},
		"its own 404":    {gateway.NotFound(), "unexpected answer", "clusters.management.cattle.io"},
		"its own 502":    {gateway.BadGateway(), "502", "502"},
		"cut":            {gateway.Cut(), "stream error", "stream error"},
	}
}

// openRetirement is a run that has drained worker-1 and not retired it: it can be resumed and
// rolled back.
func openRetirement(t *testing.T, o *operator) (run string) {
	t.Helper()
	o.run("retire", "worker-1", "--ignore-daemonsets", "--yes").exits(t, 4, "is drained and not retired")
	return decode[[]struct{ Run string }](t, o.run("runs", "-o", "json").out)[0].Run
}

// takeOver gives an operator the journals of another.
func (o *operator) takeOver(from *operator) {
	o.t.Helper()
	if err := os.CopyFS(o.stateHome(), os.DirFS(from.stateHome())); err != nil {
		o.t.Fatal(err)
	}
}

// command is one that asks a cluster.
type command struct {
	args   []string
	writes bool
}

// commands are all that do; run is one that is open, access the kubeconfig, which resume and
// rollback else have from the run.
func commands(run, access string) map[string]command {
	return map[string]command{
		"plan":           {with("plan", "worker-2"), false},
		"check":          {[]string{"check", "worker-1"}, false},
		"client dry run": {with("drain", "worker-2", "--dry-run=client"), false},
		"server dry run": {with("drain", "worker-2", "--dry-run=server"), true},
		"cordon":         {[]string{"cordon", "worker-2"}, true},
		"uncordon":       {[]string{"uncordon", "worker-1"}, true},
		"drain":          {with("drain", "worker-2", "--yes", "--timeout=3s"), true},
		"delete":         {with("drain", "worker-2", "--yes", "--timeout=3s", "--disable-eviction"), true},
		"roll":           {with("roll", "worker-2", "--yes", "--timeout=3s", "--work=true"), true},
		"retire":         {with("retire", "worker-2", "--yes", "--timeout=3s", "--delete-node"), true},
		"resume":         {[]string{"resume", run, "--yes", "--delete-node", "--kubeconfig", access}, false}, // the host comes first
		"rollback":       {[]string{"rollback", run, "--yes", "--kubeconfig", access}, true},
	}
}

// What a gateway answers instead of the API server is never taken for an answer: each command
// says what it met, with an exit code that is not 0, and nothing in the cluster is changed.
func TestGatewayThatAnswersItself(t *testing.T) {
	world := worldOf(t, setting{scene: "roll"})
	defer world.logOnFailure(t, "get", "nodes,pods,leases", "-A", "-o", "wide")
	first := world.operator(t)
	run := openRetirement(t, first)
	before := world.versions(t)
	elsewhere, modes := impostors(t)
	t.Run("modes", func(t *testing.T) {
		for name, m := range modes {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				o, g := world.behind(t, gateway.HTTP2)
				o.takeOver(first)
				for what, c := range commands(run, filepath.Join(o.home, "kubeconfig")) {
					g.Set(m.mode)
					o.run(c.args...).foreign(t, what+" at the start", m.read)
					if !c.writes || name == "cut" { // the API server has done those: another story
						continue
					}
					g.Set(m.mode.For(gateway.Writes))
					o.run(c.args...).foreign(t, what+" at its writes", m.sent)
				}
			})
		}
	})
	world.unchanged(t, before)
	if got := elsewhere.Got(); len(got) > 0 {
		t.Errorf("another host got %v", got)
	}
	first.run("rollback", run, "--yes").exits(t, 0)
	if world.node(t, "worker-1").Spec.Unschedulable {
		t.Error("worker-1 is cordoned after the rollback")
	}
}

// foreign fails the test where a command believes a gateway.
func (a answer) foreign(t *testing.T, what, says string) {
	t.Helper()
	claims := []string{" cordoned", " uncordoned", " drained", " evicted", " deleted", ": safe to power off"}
	lies := slices.ContainsFunc(strings.Split(a.out, "\n"), func(line string) bool {
		return !strings.Contains(line, "already ") &&
			slices.ContainsFunc(claims, func(claim string) bool { return strings.HasSuffix(line, claim) })
	})
	if a.code == 0 || lies || !strings.Contains(a.out+a.err, says) {
		t.Errorf("%s: exit code %d after %s, want one that is not 0 and %q\n--- standard output\n%s--- standard error\n%s---",
			what, a.code, a.took.Round(time.Millisecond), says, a.out, a.err)
	}
}

// A gateway that cuts the answers to all writes hides none of what was done: the commands say what
// became of it, and come to their ends without a wait for an answer.
func TestGatewayThatCutsAnswersToWrites(t *testing.T) {
	world := worldOf(t, setting{scene: "roll"})
	defer world.logOnFailure(t, "get", "nodes,pods,leases", "-A", "-o", "wide")
	o, g := world.behind(t, gateway.HTTP2)
	g.Set(gateway.Cut().For(gateway.Writes))
	cordoned := o.run("cordon", "worker-1")
	cordoned.exits(t, 0)
	cordoned.prints(t, "node/worker-1 cordoned")
	cordoned = o.run("cordon", "worker-1")
	cordoned.exits(t, 0)
	cordoned.prints(t, "node/worker-1 already cordoned")
	cordoned = o.run("uncordon", "worker-1")
	cordoned.exits(t, 0)
	cordoned.prints(t, "node/worker-1 uncordoned")
	o.run(with("drain", "worker-1", "--yes", "--timeout=2m")...).exits(t, 0)
	if left := world.podsOn(t, "worker-1"); len(left) > 0 {
		t.Errorf("%d pods are left", len(left))
	}
	if l := world.leaseOver(t, "worker-1"); l != nil {
		t.Errorf("its Lease is left: %+v", l)
	}
	run := decode[[]struct{ Run string }](t, o.run("runs", "-o", "json").out)[0].Run
	o.run("rollback", run, "--yes").exits(t, 0)
	if world.node(t, "worker-1").Spec.Unschedulable {
		t.Error("worker-1 is cordoned after the rollback")
	}
}

// A gateway that only stands in the way changes nothing of what a drain does.
func TestGatewayThatLetsPass(t *testing.T) {
	world := worldOf(t, setting{scene: "roll"})
	for _, m := range []struct {
		node   string
		newest gateway.Protocol
		mode   gateway.Mode
		says   string
	}{
		{"worker-1", gateway.HTTP1, gateway.Mode{Name: "HTTP/1.1 only"}, ""},
		{"worker-2", gateway.HTTP2, gateway.Slow(), ""},
		{"worker-3", gateway.HTTP2, gateway.Older(), ""},
		{"worker-4", gateway.HTTP2, gateway.WithoutBudgets(), "budgets"},
	} {
		t.Run(m.mode.Name, func(t *testing.T) {
			defer world.logOnFailure(t, "get", "nodes,pods,leases", "-A", "-o", "wide")
			o, g := world.behind(t, m.newest)
			g.Set(m.mode)
			before := world.versions(t)
			if plan := o.run(with("plan", m.node)...); plan.code != 0 || !strings.Contains(plan.out+plan.err, m.says) {
				t.Errorf("plan: %+v", plan)
			}
			o.run(with("drain", m.node, "--dry-run=server")...)
			world.unchanged(t, before)
			o.run("cordon", m.node)
			if !world.node(t, m.node).Spec.Unschedulable {
				t.Error("cordon did not")
			}
			o.run("uncordon", m.node).exits(t, 0)
			if world.node(t, m.node).Spec.Unschedulable {
				t.Error("uncordon did not, and says so")
			}
			o.run(with("drain", m.node, "--yes")...).exits(t, 0)
			if left := world.podsOn(t, m.node); len(left) > 0 {
				t.Errorf("%d pods are left", len(left))
			}
			o.run("check", m.node).exits(t, 0)
			run := decode[[]struct{ Run string }](t, o.run("runs", "-o", "json").out)[0].Run
			o.run("rollback", run, "--yes").exits(t, 0)
			if world.node(t, m.node).Spec.Unschedulable {
				t.Error("it is cordoned after the rollback")
			}
		})
	}
}

// On the dashboard a gateway that answers itself is a server that is not there, and nothing
// that is shown changes; it is live again when the server is.
func TestGatewayBeforeTheDashboard(t *testing.T) {
	world := worldOf(t, setting{scene: "roll"})
	before := world.versions(t)
	elsewhere, modes := impostors(t)
	o, g := world.behind(t, gateway.HTTP2)
	for name, m := range modes {
		g.Set(m.mode)
		shell := o.shell(120, 40) // no dashboard is ever opened in it
		shell.enters(o.bin)
		if code, normal := shell.ended(); code != 1 || !strings.Contains(flat(normal.String()), flat(m.read)) {
			t.Errorf("%s: exit code %d, and on the normal screen\n%s", name, code, framed(normal))
		}
	}
	g.Set(gateway.Mode{})
	term := o.open(120, 40)
	term.waitFor("● live · 6 nodes")
	for _, name := range []string{"log-in page", "200 and a page", "other JSON", "its own 404", "its own 502"} {
		g.Set(modes[name].mode)
		term.waitFor("The API server is unreachable", "6 nodes")
		g.Set(gateway.Mode{})
		term.waitFor("● live · 6 nodes")
	}
	term.keys("q")
	if code, normal := term.ended(); code != 0 {
		t.Errorf("exit code %d\n%s", code, framed(normal))
	}
	world.unchanged(t, before)
	if got := elsewhere.Got(); len(got) > 0 {
		t.Errorf("another host got %v", got)
	}
}
