//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// rollOf is the id of the one roll of an operator.
func rollOf(t *testing.T, o *operator) string {
	t.Helper()
	var id string
	eventually(t, patience, "a roll has a journal", func() bool {
		found, _ := filepath.Glob(filepath.Join(o.stateHome(), "kdrain-tui", "runs", "*.roll"))
		if len(found) == 1 {
			id = strings.TrimSuffix(filepath.Base(found[0]), ".roll")
		}
		return id != ""
	})
	return id
}

// What a roll may not begin is said before anything is written, and a failed command leaves its node cordoned.
func TestRollThatFails(t *testing.T) {
	world := worldOf(t, setting{scene: "roll"})
	operator := world.operator(t)
	operator.run("roll", "worker-1", "--yes").exits(t, 2, "add --work=COMMAND")
	operator.run("roll", "worker-1", "--yes", "--work=true", "--window=22-4").exits(t, 2, "--window")
	operator.run("roll", "worker-1", "worker-2", "--yes", "--work=echo patching $NODE; exit 7").exits(t, 4, "ended with exit code 7")
	if !world.node(t, "worker-1").Spec.Unschedulable || world.node(t, "worker-2").Spec.Unschedulable {
		t.Error("worker-1 must be left cordoned, worker-2 untouched")
	}
	operator.run("rollback", rollOf(t, operator), "--yes").exits(t, 0)
	if world.node(t, "worker-1").Spec.Unschedulable {
		t.Error("worker-1 is cordoned after the rollback")
	}
}

// pool is the scene roll and who maintains it: six nodes in three zones.
type pool struct {
	t        *testing.T
	world    *world
	operator *operator
	work     string // the command that reboots a node
}

func poolOf(t *testing.T) *pool {
	t.Helper()
	world := worldOf(t, setting{scene: "roll"})
	operator := world.operator(t)
	p := &pool{t: t, world: world, operator: operator}
	// A command whose roll was killed ends as soon as it writes: no reader is left. So it never reboots a node
	// behind the back of the one that the resumed roll runs.
	p.work = "sh " + operator.file("reboot", fmt.Sprintf(`set -e
echo "rebooting $NODE"
while test -e hold-$NODE; do echo "$NODE waits"; sleep 0.2; done
%s kubectl --dir %s annotate --overwrite node $NODE lab.kdrain-tui.dev/boots-in=1s "lab.kdrain-tui.dev/boot=$RUN-$$"
echo $NODE >>rebooted
`, labBin, world.dir))
	return p
}

// hold keeps the command for a node from its end until the function that it returns is called.
func (p *pool) hold(node string) (release func()) {
	path := p.operator.file("hold-"+node, "")
	return func() {
		if err := os.Remove(path); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p *pool) flags() []string {
	return []string{"-l", "kubernetes.io/os=linux", "--batch=2", "--by=topology.kubernetes.io/zone", "--work=" + p.work,
		"--expect-reboot", "--rerun-work", "--yes"}
}

// machine is what is looked at of a node after its reboot.
type machine struct {
	Metadata meta
	Spec     struct{ Unschedulable bool }
	Status   struct {
		NodeInfo   struct{ BootID string }
		Conditions []struct{ Type, Status string }
	}
}

// back asserts that all nodes came back from a reboot of this roll, Ready and uncordoned, with nothing of ours on
// them, and that the workloads are as healthy as they were.
func (p *pool) back(id string) {
	p.t.Helper()
	nodes := list[machine](p.t, p.world, "nodes")
	for _, n := range nodes {
		ready := slices.ContainsFunc(n.Status.Conditions, func(c struct{ Type, Status string }) bool {
			return c.Type == "Ready" && c.Status == "True"
		})
		if !ready || n.Spec.Unschedulable || !strings.HasPrefix(n.Status.NodeInfo.BootID, id+"-") ||
			n.Metadata.Annotations["kdrain-tui.dev/cordon"] != "" {
			p.t.Errorf("%s is not back: %+v", n.Metadata.Name, n)
		}
	}
	if len(nodes) != 6 {
		p.t.Errorf("%d nodes", len(nodes))
	}
	if webs := p.webs(); webs != "6 6 6" {
		p.t.Errorf("replicas, Ready and updated of shop/web: %s", webs)
	}
}

func (p *pool) webs() string {
	return p.world.asMachinery(p.t, "get", "deployment", "-n", "shop", "web", "-o",
		"jsonpath={.status.replicas} {.status.readyReplicas} {.status.updatedReplicas}")
}

// image has the pods of shop/web made from another image, which is there or not.
func (p *pool) image(name, sick string) {
	p.world.asMachinery(p.t, "patch", "deployment", "-n", "shop", "web", "--type=strategic", "-p", fmt.Sprintf(
		`{"spec":{"template":{"metadata":{"annotations":{"lab.kdrain-tui.dev/sick":%s}},"spec":{"containers":[{"name":"web","image":%q}]}}}}`,
		sick, name))
}

// A roll that reboots six nodes is killed while a command runs and while pods are evicted. Resumed, it brings all of
// them back, each zone by itself.
func TestRollThatIsKilledTwice(t *testing.T) {
	p := poolOf(t)
	defer p.world.logOnFailure(t, "get", "nodes,pods", "-A", "-o", "wide")
	before := map[string]bool{}
	for _, pod := range p.world.pods(t) {
		before[pod.Metadata.UID] = true
	}
	release := p.hold("worker-1")
	first := p.operator.start(append([]string{"roll"}, p.flags()...)...)
	first.waitFor(patience, "batch 1 of 3: worker-1, worker-2", "worker-1 | worker-1 waits")
	first.signal(syscall.SIGKILL)
	first.wait(patience)
	id := rollOf(t, p.operator)
	p.operator.run("ctl", id, "status").exits(t, 1, "its process ended before the roll did")
	release()

	second := p.operator.start("resume", id, "--yes")
	second.waitFor(patience, "node/worker-1 --work command begins", "batch 2 of 3", "evicting pod shop/web-")
	second.signal(syscall.SIGKILL)
	second.wait(patience)

	third := p.operator.start("resume", id, "--yes").wait(5 * time.Minute)
	third.exits(t, 0)
	third.prints(t, "roll "+id+" done: 6 of 6 nodes done")
	p.back(id)
	for _, pod := range p.world.pods(t) {
		if before[pod.Metadata.UID] {
			t.Errorf("pod %s was there before the roll: its node was not drained", pod.Metadata.Name)
		}
	}
	report := decode[struct {
		Outcome string
		Batches []struct {
			Value string
			Nodes []string
			Run   string
		}
		Nodes []struct{ Name, State string }
	}](t, p.operator.run("report", id, "-o", "json").out)
	var zones []string
	for i, b := range report.Batches {
		zones = append(zones, b.Value)
		if len(b.Nodes) != 2 || b.Run != fmt.Sprintf("%s-%d", id, i+1) {
			t.Errorf("batch %+v", b)
		}
	}
	if report.Outcome != "done" || !slices.Equal(zones, []string{"eu-1a", "eu-1b", "eu-1c"}) || len(report.Nodes) != 6 {
		t.Errorf("the report is %+v", report)
	}
	for _, n := range report.Nodes {
		if n.State != "Done" {
			t.Errorf("%s is %s", n.Name, n.State)
		}
	}
	rebooted, err := os.ReadFile(filepath.Join(p.operator.home, "rebooted"))
	if err != nil || len(strings.Fields(string(rebooted))) != 6 {
		t.Errorf("rebooted: %q, %v", rebooted, err)
	}
}

// While the first batch is worked on, somebody rolls out an image that is not there. The roll stops behind its gate,
// names the workload, and goes on by itself once the image is right.
func TestRollStopsAtItsGate(t *testing.T) {
	p := poolOf(t)
	defer p.world.logOnFailure(t, "get", "nodes,pods", "-A", "-o", "wide")
	release := p.hold("worker-1")
	rolling := p.operator.start(append([]string{"roll"}, p.flags()...)...)
	rolling.waitFor(patience, "rebooting worker-1")
	id := rollOf(t, p.operator)
	p.image("registry.local/web:typo", `"ImagePullBackOff"`)
	eventually(t, patience, "the image is missing", func() bool {
		return strings.Contains(p.world.mayFail("get", "pods", "-n", "shop"), "ImagePullBackOff")
	})
	release()
	rolling.waitFor(patience, "node/worker-1 done", "node/worker-2 done", "the health gate is closed, no further batch begins", "shop/web")
	p.operator.run("ctl", id, "status").prints(t, "batch 1 of 3", "the health gate is closed")
	for _, name := range []string{"worker-1", "worker-2", "worker-3", "worker-4", "worker-5", "worker-6"} {
		if p.world.node(t, name).Spec.Unschedulable {
			t.Errorf("%s is cordoned while the gate is closed", name)
		}
	}
	if said := rolling.out.String(); strings.Contains(said, "batch 2 of 3") {
		t.Errorf("the second batch began behind a closed gate\n%s", said)
	}

	// Another terminal sees the same, and steers it.
	watching := p.operator.open(80, 24, "watch", id)
	watching.waitFor("Roll "+id, "of another process", "1 ✔✔ │ 2 ○○ │ 3 ○○", "The health gate is closed")
	watching.keys("P")
	watching.waitFor("Paused: no batch and no command begins")
	p.operator.run("ctl", id, "status").prints(t, "paused")
	watching.keys("P")
	watching.waitGone("Paused")
	watching.keys("q")
	if code, normal := watching.ended(); code != 0 || !normal.shows("roll "+id+": live, 2 of 6 nodes done") {
		t.Errorf("exit code %d of the watch, and on the normal screen\n%s", code, framed(normal))
	}

	p.image("registry.local/web:1.1", "null")
	ended := rolling.wait(5 * time.Minute)
	ended.exits(t, 0, "the health gate is open again")
	ended.prints(t, "batch 2 of 3", "roll "+id+" done: 6 of 6 nodes done")
	p.back(id)

	replay := p.operator.open(80, 24, "replay", id, "--speed=0")
	replay.waitFor("Roll "+id, "REPLAY", "6 of 6 done", "The roll is done")
	replay.keys("q")
	if code, _ := replay.ended(); code != 0 {
		t.Errorf("exit code %d of the replay", code)
	}
}

// A roll is put together, begun, watched and left on the screen.
func TestRollFromTheScreen(t *testing.T) {
	p := poolOf(t)
	defer p.world.logOnFailure(t, "get", "nodes,pods", "-A", "-o", "wide")
	release := p.hold("worker-1")
	term := p.operator.open(80, 24, "worker-1", "worker-2", "worker-3", "worker-4", "worker-5", "worker-6")
	term.waitFor("● live · 6 nodes", "6 marked")
	term.keys("M")
	term.waitFor("New roll", "6 nodes in 6 batches")
	set := func(flag, value string) {
		t.Helper()
		term.choose("--" + flag)
		term.keys("Enter")
		term.waitFor("esc  Cancel")
		term.keys("BSpace")
		term.typing(value)
		term.keys("Enter")
		term.waitGone("esc  Cancel")
	}
	set("batch", "2")
	set("by", "topology.kubernetes.io/zone")
	set("work", p.work)
	term.choose("--expect-reboot")
	term.keys("Space")
	term.waitFor("6 nodes in 3 batches, never two values", "● on")
	term.keys("M")
	term.answers("Drain and maintain 6 nodes, batch by batch?", "lab")
	term.waitFor("Roll ", "1 ▶✔ │ 2 ○○ │ 3 ○○", "│ worker-1 waits")
	if n := p.world.node(t, "worker-3"); n.Spec.Unschedulable {
		t.Errorf("worker-3 is cordoned before its batch: %+v", n)
	}
	term.keys("Enter")
	term.waitFor("Result ", "batch of roll")
	term.keys("Escape")
	p.image("registry.local/web:typo", `"ImagePullBackOff"`)
	eventually(t, patience, "the image is missing", func() bool {
		return strings.Contains(p.world.mayFail("get", "pods", "-n", "shop"), "ImagePullBackOff")
	})
	release()
	term.waitFor("1 ✔✔ │ 2 ○○ │ 3 ○○", "The health gate is closed", "shop/web")
	term.keys("q")
	term.waitFor("A roll is active", "Keep watching")
	term.keys("n")
	p.image("registry.local/web:1.1", "null")
	term.waitFor("6 of 6 done", "The roll is done")
	term.keys("q")
	code, normal := term.ended()
	if code != 0 || !normal.shows("done, 6 of 6 nodes done") {
		t.Errorf("exit code %d, and on the normal screen\n%s", code, framed(normal))
	}
	p.back(rollOf(t, p.operator))
}
