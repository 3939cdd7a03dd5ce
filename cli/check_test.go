package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// checkedCluster has a drained node with a DaemonSet's pod, and one that is not drained.
func checkedCluster() []runtime.Object {
	return []runtime.Object{node("off", "blue", true), node("on", "blue", false), daemonSet("exporter"),
		pod("off", "exporter-1", "DaemonSet", "exporter", true), pod("on", "bare", "", "", true)}
}

func TestCheckExits(t *testing.T) {
	doubtful := kubetest.StoreOf(noon, checkedCluster()...)
	doubtful.SetSync(kube.KindAttachments, kube.SyncState{Phase: kube.Denied})
	unreadable := kubetest.StoreOf(noon, checkedCluster()...)
	unreadable.SetSync(kube.KindPods, kube.SyncState{Phase: kube.Denied})
	sure := kubetest.StoreOf(noon, checkedCluster()...)
	for _, c := range []struct {
		name   string
		store  *kube.Store
		args   []string
		denied []string
		code   int
		says   []string
	}{
		{"safe", sure, []string{"off"}, nil, ExitDone, []string{"node/off: safe to power off\n", "  yes      no volume is attached to it\n"}},
		{"not safe", sure, []string{"on"}, nil, ExitRefused, []string{"node/on: not safe to power off\n",
			"  no       only pods of DaemonSets, mirror pods and finished pods are on it\n            pod shop/bare is left on it\n"}},
		{"not known", doubtful, []string{"off"}, nil, ExitPartly, []string{"node/off: not known whether it is safe to power off\n", "  unknown  no volume is attached to it\n"}},
		{"not safe is worse than not known", doubtful, []string{"off", "node/on"}, nil, ExitRefused, []string{"node/off: not known", "node/on: not safe"}},
		{"and before it", doubtful, []string{"on", "off"}, nil, ExitRefused, nil},
		{"an unknown node", sure, []string{"off", "gone"}, nil, ExitError, []string{"gone"}},
		{"no node", sure, nil, nil, ExitUsage, nil},
		{"another output", sure, []string{"off", "-o", "yaml"}, nil, ExitUsage, nil},
		{"no right to read pods", sure, []string{"off"}, []string{"list pods"}, ExitPermission, []string{"list pods"}},
		{"pods cannot be listed", unreadable, []string{"off"}, nil, ExitPermission, []string{"cannot list pods"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c.store.Snapshot())
			b.denied = c.denied
			b.expect(t, c.code, nil, slices.Concat([]string{"check"}, c.args)...)
			for _, want := range c.says {
				if !strings.Contains(b.out.String()+b.err.String(), want) {
					t.Errorf("does not say %q:\n%s%s", want, b.out, b.err)
				}
			}
			if b.writer.writes() > 0 || len(b.opened) > 0 && !b.opened[0].ReadOnly {
				t.Error("it only reads")
			}
		})
	}
}

func TestCheckJSON(t *testing.T) {
	doubtful := kubetest.StoreOf(noon, checkedCluster()...)
	doubtful.SetSync(kube.KindAttachments, kube.SyncState{Phase: kube.Denied})
	b := newBench(t, doubtful.Snapshot())
	b.expect(t, ExitPartly, nil, "check", "off", "-o", "json")
	var got struct {
		Schema string
		Safe   *bool
		Nodes  []struct {
			Name, UID string
			Safe      *bool
			Lines     []struct {
				Check string
				Holds *bool
				Why   []struct{ Object, Message string }
			}
		}
	}
	if err := json.Unmarshal(b.out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != "kdrain-tui/check/v1" || got.Safe != nil || len(got.Nodes) != 1 || got.Nodes[0].UID != "uid-off" || got.Nodes[0].Safe != nil {
		t.Fatalf("%+v", got)
	}
	for _, line := range got.Nodes[0].Lines {
		if (line.Check == "Volumes") != (line.Holds == nil) || line.Holds != nil && !*line.Holds {
			t.Errorf("%+v", line)
		}
	}
}
