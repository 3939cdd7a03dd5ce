//go:build e2e

package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// disksOf are the pods of the scene volumes that have disks on worker-1, and their
// volumes.
var disksOf = map[string][]string{
	"db-0": {"disk-data-db-0"}, "db-1": {"disk-data-db-1"}, "db-2": {"disk-data-db-2"},
	"queue-0": {"disk-data-queue-0", "disk-log-queue-0"},
}

const disksOnWorker1 = 5

// beside is a program that goes on beside a test until its end.
type beside struct {
	cmd *exec.Cmd
	out output
}

func (w *world) beside(t *testing.T, args ...string) *beside {
	t.Helper()
	b := &beside{cmd: w.lab(args...)}
	b.cmd.Stdout, b.cmd.Stderr = &b.out, &b.out
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = b.cmd.Process.Signal(syscall.SIGTERM)
		_ = b.cmd.Process.Signal(syscall.SIGCONT) // where a test stopped it and then failed
		_ = b.cmd.Wait()
		if t.Failed() && args[0] != "kubectl" {
			t.Logf("lab %s:\n%s", strings.Join(args, " "), b.out.String())
		}
	})
	return b
}

func (b *beside) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := b.cmd.Process.Signal(s); err != nil {
		t.Fatalf("%s: %v\n%s", s, err, b.out.String())
	}
}

// filmed is an object as a watch told it.
type filmed struct {
	Type   string
	Object struct {
		Kind     string
		Metadata meta
		Spec     struct {
			NodeName string
			Source   struct{ PersistentVolumeName string }
		}
		Status struct{ Attached bool }
	}
}

// at is the revision of etcd: it orders what happens to objects of all kinds.
func (f *filmed) at() uint64 {
	revision, _ := strconv.ParseUint(f.Object.Metadata.ResourceVersion, 10, 64)
	return revision
}

// film has everything filmed that happens to objects of a kind from now on.
func (w *world) film(t *testing.T, kind string) (scenes func() []filmed) {
	t.Helper()
	film := w.beside(t, "kubectl", "get", kind, "-A", "--watch", "--output-watch-events", "-o", "json", "--kubeconfig", w.machineryAccess())
	return func() []filmed {
		var all []filmed
		decoder := json.NewDecoder(bytes.NewReader([]byte(film.out.String())))
		for {
			var one filmed
			if decoder.Decode(&one) != nil {
				return all // its last object is still being written
			}
			all = append(all, one)
		}
	}
}

// attachedTo are the volumes that are attached to a node, as etcd has it.
func (w *world) attachedTo(t *testing.T, node string) []string {
	t.Helper()
	var volumes []string
	for _, a := range list[struct {
		Spec struct {
			NodeName string
			Source   struct{ PersistentVolumeName string }
		}
		Status struct{ Attached bool }
	}](t, w, "volumeattachments") {
		if a.Spec.NodeName == node && a.Status.Attached {
			volumes = append(volumes, a.Spec.Source.PersistentVolumeName)
		}
	}
	return volumes
}

// departure is how a pod with disks left worker-1.
type departure struct {
	pod                    string
	ending, gone, detached uint64
}

// departures reads from the films when each pod with disks was told to end, when it
// was gone, and when the last of its volumes had left the node; false while one has
// not left.
func departures(pods, attachments []filmed) ([]departure, bool) {
	left := map[string]uint64{}
	for _, a := range attachments {
		if a.Type == "DELETED" && a.Object.Spec.NodeName == "worker-1" {
			left[a.Object.Spec.Source.PersistentVolumeName] = a.at()
		}
	}
	var all []departure
	for name, volumes := range disksOf {
		d := departure{pod: name}
		for _, p := range pods {
			if p.Object.Metadata.Name != name || p.Object.Spec.NodeName != "worker-1" {
				continue
			}
			if p.Object.Metadata.DeletionTimestamp != nil && d.ending == 0 {
				d.ending = p.at()
			}
			if p.Type == "DELETED" {
				d.gone = p.at()
			}
		}
		for _, v := range volumes {
			if left[v] == 0 {
				return nil, false
			}
			d.detached = max(d.detached, left[v])
		}
		if d.ending == 0 || d.gone == 0 {
			return nil, false
		}
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b departure) int { return cmp.Compare(a.ending, b.ending) })
	return all, true
}

// Pods with disks leave one after the other, each until its volumes are detached by
// the real attach-detach controller: as etcd saw it, and as the run told it.
func TestVolumesLeaveInTurn(t *testing.T) {
	world := worldOf(t, setting{scene: "volumes"})
	defer world.logOnFailure(t, "get", "pods,volumeattachments", "-A", "-o", "wide")
	attacher := world.beside(t, "attacher")
	eventually(t, patience, "all disks are attached to worker-1", func() bool {
		return len(world.attachedTo(t, "worker-1")) == disksOnWorker1
	})
	operator := world.operator(t)
	plan, _ := operator.plan("worker-1")
	if !slices.ContainsFunc(plan.Findings, func(f finding) bool {
		return f.Code == "VolumePinned" && strings.Contains(f.Message, "PersistentVolumeClaim data/notes (local volume folder-notes of worker-1)")
	}) {
		t.Errorf("nobody said that data/notes stays behind: %+v", plan.Findings)
	}

	pods, attachments := world.film(t, "pods"), world.film(t, "volumeattachments")
	eventually(t, patience, "the films run", func() bool { return len(pods()) > 0 && len(attachments()) >= disksOnWorker1 })
	// No volume is detached before the run has told of one that should be.
	attacher.signal(t, syscall.SIGSTOP)
	drain := operator.start("drain", "worker-1", "--yes", "--ignore-daemonsets", "-o", "json")
	drain.waitFor(patience, "waits for its turn: data/queue-0 is ", " (driver disk.csi.example.com)", "is detaching from worker-1 since ")
	attacher.signal(t, syscall.SIGCONT)
	answer := drain.wait(2 * patience)
	answer.exits(t, 0, "volume disk-log-queue-0 of pod data/queue-0 detached from worker-1")
	t.Logf("worker-1 was drained in %s", answer.took.Round(time.Millisecond))
	if left := world.attachedTo(t, "worker-1"); len(left) > 0 {
		t.Errorf("the run has ended, and these are attached to worker-1: %q", left)
	}
	judgeVolumes(t, answer)
	var turns []departure
	eventually(t, patience, "the films are complete", func() (complete bool) {
		turns, complete = departures(pods(), attachments())
		return complete
	})
	if turns[0].pod != "queue-0" {
		t.Errorf("%s went first, not the pod of the highest priority", turns[0].pod)
	}
	for i, d := range turns[1:] {
		if before := turns[i]; d.ending < max(before.gone, before.detached) {
			t.Errorf("%s was told to end at %d, before %s was gone (%d) and its volumes had left the node (%d)",
				d.pod, d.ending, before.pod, before.gone, before.detached)
		}
	}
	eventually(t, patience, "the disks are attached where their pods went", func() bool {
		return len(world.attachedTo(t, "worker-2"))+len(world.attachedTo(t, "worker-3")) == disksOnWorker1
	})
}

// judgeVolumes looks at what the report says of the volumes.
func judgeVolumes(t *testing.T, a answer) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(a.out), "\n")
	report := decode[struct {
		Outcome string
		Nodes   []struct {
			State, Warning    string
			SafeToPowerOff    bool
			SafeToPowerOffWhy []struct{ Object string }
			Pods              []struct {
				Name    string
				Volumes []struct{ Volume, State, Why, Driver, Handle string }
			}
		}
	}](t, lines[len(lines)-1])
	if len(report.Nodes) != 1 || report.Outcome != "done" {
		t.Fatalf("report %+v", report)
	}
	// The folder of notes stays on worker-1: its new pod is Pending until the node is back.
	if n := report.Nodes[0]; n.SafeToPowerOff || len(n.SafeToPowerOffWhy) != 1 || n.SafeToPowerOffWhy[0].Object != "PersistentVolumeClaim/data/notes" ||
		!strings.Contains(n.Warning, "no other node that takes pods reaches volume folder-notes") {
		t.Errorf("safe %v, why %+v, warning %q", n.SafeToPowerOff, n.SafeToPowerOffWhy, n.Warning)
	}
	seen := 0
	for _, p := range report.Nodes[0].Pods {
		for _, v := range p.Volumes {
			switch {
			case v.Volume == "folder-notes":
				if v.State != "Unknown" || !strings.Contains(v.Why, "of its node") {
					t.Errorf("the folder of the node is %s: %s", v.State, v.Why)
				}
			case !slices.Contains(disksOf[p.Name], v.Volume), v.State != "Detached" && v.State != "Reattached",
				v.Driver != "disk.csi.example.com", v.Handle != strings.Replace(v.Volume, "disk-", "handle-", 1):
				t.Errorf("%s: volume %+v", p.Name, v)
			default:
				seen++
			}
		}
	}
	if seen != disksOnWorker1 {
		t.Errorf("the report has %d of %d disks", seen, disksOnWorker1)
	}
}
