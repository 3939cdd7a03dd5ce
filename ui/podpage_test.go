package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// readable lets the dashboard read the details of pods, and notes which.
func readable(read *[]string) func(*Deps) {
	return func(d *Deps) {
		paper(d).details = func(namespace, name string, uid kube.UID, container string) (watch.PodDetails, error) {
			*read = append(*read, namespace+"/"+name+" "+string(uid))
			return ofContainer(details(namespace, name), container), nil
		}
	}
}

// ofContainer is what is read with the log of that container.
func ofContainer(d watch.PodDetails, container string) watch.PodDetails {
	if container == "" || container == d.Container {
		return d
	}
	d.Container, d.Logs = container, []watch.LogTail{{Container: container, Lines: []string{"log of " + container}}}
	return d
}

func details(namespace, name string) watch.PodDetails {
	d := watch.PodDetails{
		Conditions: []watch.Condition{
			{Type: "PodScheduled", Status: "True", Since: moment.Add(-26 * time.Hour)},
			{Type: "Ready", Status: "False", Reason: "ContainersNotReady", Message: "containers with unready status: [cart]", Since: moment.Add(-4 * time.Minute)},
		},
		Events: []watch.PodEvent{
			{At: moment.Add(-9 * time.Minute), Type: "Normal", Reason: "Pulled", Message: "Container image already present", From: "kubelet", Count: 1},
			{At: moment.Add(-40 * time.Second), Type: "Warning", Reason: "BackOff", Message: "Back-off restarting failed container", From: "kubelet", Count: 42},
		},
		YAML:    "apiVersion: v1\nkind: Pod\nmetadata:\n  name: " + name + "\n  namespace: " + namespace + "\nspec:\n  containers:\n  - env:\n    - name: TOKEN\n      value: (hidden)\n    name: cart",
		Missing: []watch.Missing{{Part: watch.PartLog, Why: "log of sidecar: pods/log is forbidden"}},
		Containers: []watch.Container{
			{Name: "migrate", Image: "registry.example/migrate:7", Kind: watch.ContainerInit, State: "Completed"},
			{Name: "cart", Image: "registry.example/cart:1.4.2", Kind: watch.ContainerMain, State: "CrashLoopBackOff", Restarts: 42},
			{Name: "metrics", State: "running"},
		},
		Container: "cart",
	}
	for _, previous := range []bool{true, false} {
		tail := watch.LogTail{Container: "cart", Previous: previous}
		for i := range 50 {
			tail.Lines = append(tail.Lines, fmt.Sprintf("2026-08-21T14:01:%02dZ cart: line %d of %v", i, i, previous))
		}
		d.Logs = append(d.Logs, tail)
	}
	return d
}

func TestThePodsPage(t *testing.T) {
	var read []string
	d := drive(t, company(), 100, 30, attached(runState()), readable(&read))
	d.list(frame.Run).Table.Select("checkout/cart-7f9c-x2x9q")
	d.keys("enter")
	d.shows("Pod checkout/cart-7f9c-x2x9q", "‖ blocked", "budget checkout/cart needs 3", "Containers", "registry.example/cart:1.4.2  CrashLoopBackOff, 42 restarts", "○ Ready", "BackOff (42 times)", "blocked by cart-7f9c-k2xzq b")
	d.keys("2")
	d.shows("Not read: log of sidecar", "container cart, the previous instance", "line 3 of true", "of 10")
	d.keys("G")
	d.shows("line 49 of false")
	d.keys("tab")
	d.shows("value: (hidden)", "[yaml]")
	d.keys("b")
	d.shows("Pod checkout/cart-7f9c-k2xzq · blocks cart-7f9c-x2x9q")
	if want := "checkout/cart-7f9c-x2x9q checkout/cart-7f9c-x2x9q|checkout/cart-7f9c-k2xzq checkout/cart-7f9c-k2xzq"; strings.Join(read, "|") != want {
		t.Errorf("read %v", read)
	}
	d.keys("b", "b", "r")
	if len(read) != 3 {
		t.Errorf("only r reads again: %v", read)
	}
	d.keys("1", "?", "esc")
	d.shows("Pod checkout/cart-7f9c-k2xzq")
	d.keys("esc")
	d.shows("Run k7f3")
	d.list(frame.Run).Table.Select("web/front-66d5f7c9b-b8sd1")
	d.keys("enter", "b")
	d.shows("no other pod blocks this one")
}

func TestAPodThatCannotBeRead(t *testing.T) {
	d := drive(t, company(), 100, 30, usual, func(d *Deps) {
		paper(d).details = func(string, string, kube.UID, string) (watch.PodDetails, error) {
			return watch.PodDetails{}, errors.New("read pod: pods is \x1b[31mforbidden")
		}
	})
	d.list(frame.Nodes).Table.Select("worker-a1")
	d.keys("enter", "enter")
	d.shows("✖ read pod: pods is", "belongs to")
	d.keys("2", "3")
	d = drive(t, company(), 100, 30, attached(endedState(drain.OutcomeDone)), func(d *Deps) { d.Cluster = nil })
	d.keys("enter", "2")
	d.shows("There is no cluster here to read more from")
}

// The log of every container can be chosen, also while another one is being read.
func TestLogsOfEveryContainer(t *testing.T) {
	var read []string
	d := drive(t, company(), 140, 30, attached(runState()), readable(&read))
	d.list(frame.Run).Table.Select("checkout/cart-7f9c-x2x9q")
	d.keys("enter", "2")
	d.shows("c container   migrate init, Completed   [cart] CrashLoopBackOff, 42 restarts   metrics running", "c next container", "line 3 of true")
	d.keys("c")
	d.shows("[metrics] running", "container metrics  last 1 line", "log of metrics")
	d.keys("c")
	d.shows("[migrate] init", "log of migrate")
	d.keys("1", "c")
	d.shows("[cart]", "line 3 of true")
	if len(read) != 4 {
		t.Errorf("read %q", read)
	}
	d.keys("1", "r", "2")
	d.shows("[cart]")
}

// The log comes from the kubelet. While that does not answer, all that the API server knows is shown.
func TestAPodOnASilentNode(t *testing.T) {
	var read []string
	var before []string
	d := drive(t, company(), 140, 30, attached(runState()), readable(&read))
	cluster := d.m.s.Cluster.(*paperCluster)
	cluster.kubelet = func() { before = append(before, d.frame()) }
	d.list(frame.Run).Table.Select("checkout/cart-7f9c-x2x9q")
	d.keys("enter")
	d.keys("2")
	d.shows("line 3 of true")
	if len(before) != 1 || !strings.Contains(before[0], "Back-off restarting failed container") || !strings.Contains(before[0], "reading") {
		t.Errorf("while the kubelet is asked: %q", before)
	}
}

func TestAPodOfOneContainer(t *testing.T) {
	d := drive(t, company(), 100, 30, attached(runState()), func(d *Deps) {
		paper(d).details = func(namespace, name string, _ kube.UID, _ string) (watch.PodDetails, error) {
			one := details(namespace, name)
			one.Containers = one.Containers[1:2]
			return one, nil
		}
	})
	d.keys("enter", "2")
	if strings.Contains(d.frame(), "next container") || strings.Contains(d.frame(), "c container") {
		t.Errorf("there is a choice:\n%s", d.frame())
	}
	d.keys("c")
	d.shows("the pod has one container")
}

// A log is followed: it is read again after a rest, until the same key or until the page is left.
func TestALogIsFollowed(t *testing.T) {
	var read []string
	d := drive(t, company(), 140, 30, attached(runState()), readable(&read))
	d.list(frame.Run).Table.Select("checkout/cart-7f9c-x2x9q")
	d.keys("enter", "2")
	d.shows("f follow")
	d.keys("f")
	d.shows("follows the log", "f end following", "line 49 of false")
	wait := func(rest time.Duration) {
		d.now = d.now.Add(rest)
		d.send(tickMsg{d.m.tickTurn})
	}
	wait(time.Second)
	wait(time.Second)
	wait(time.Second)
	wait(time.Second)
	d.keys("g") // one scrolls up, and reads there
	wait(time.Second)
	wait(time.Second)
	d.shows("line 1 of true")
	d.keys("G")
	wait(time.Second)
	wait(time.Second)
	d.shows("line 49 of false")
	if len(read) != 6 {
		t.Errorf("%d reads, want the first, that of the key, and four in eight seconds", len(read))
	}
	d.keys("f")
	wait(10 * time.Second)
	d.keys("f", "esc")
	wait(10 * time.Second)
	if len(read) != 7 {
		t.Errorf("%d reads after the end, want one more for the key", len(read))
	}
}
