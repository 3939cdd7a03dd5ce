package ui

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/hostile"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

var styles = regexp.MustCompile("\x1b\\[[0-9;:]*m")

// Escape sequences in every field of every kind come through to no page.
func TestFramesHaveNoForeignControls(t *testing.T) {
	for seed := range uint64(4) {
		checkFrames(t, seed)
	}
}

func FuzzFramesHaveNoForeignControls(f *testing.F) {
	f.Add(uint64(7))
	f.Fuzz(checkFrames)
}

func checkFrames(t *testing.T, seed uint64) {
	marks := hostile.Marks{
		Notes: append([]string{kube.ByAnnotation, kube.ReasonAnnotation}, kube.KeptAnnotations...),
		JSON:  []string{kube.CordonAnnotation, kube.OutOfServiceAnnotation},
		Lease: metav1.ObjectMeta{Name: kube.LeaseName(hostile.NodeUID), Namespace: kube.DefaultLeaseNamespace},
	}
	w := world{kubetest.StoreOf(moment, hostile.Cluster(rand.New(rand.NewPCG(seed, 3)), marks, moment.Add(-time.Hour))...)}
	w.SetUsage(map[string]kube.Usage{hostile.Node: {CPUMilli: -1, MemoryBytes: -1}})
	d := drive(t, w, 200, 60, usual, hostileDetails(seed))
	look := func(where string) {
		for _, line := range strings.Split(styles.ReplaceAllString(d.m.View().Content, ""), "\n") {
			if strings.ContainsFunc(line, kube.Unsafe) {
				t.Errorf("seed %d, %s: %q", seed, where, line)
			}
		}
	}
	look("nodes")
	d.list(frame.Nodes).Table.Select(hostile.Node)
	for _, key := range []string{"enter", "enter", "2", "3", "G", "1", "esc", "esc", "space", "enter", "down", "esc", "D", "down", "down", "f", "esc", "tab", "p", "down", "n", "m", "i", "down", "G"} {
		d.keys(key)
		look("after " + key)
		if key == "2" && seed != 3 && !strings.Contains(d.m.View().Content, "the previous instance") {
			t.Errorf("seed %d: no log is shown", seed)
		}
	}
}

// hostileDetails lets the page of a pod show Events, logs and YAML that nobody has
// cleaned on their way.
func hostileDetails(seed uint64) func(*Deps) {
	return func(d *Deps) {
		paper(d).details = func(string, string, kube.UID, string) (watch.PodDetails, error) {
			r := rand.New(rand.NewPCG(seed, 5))
			if seed == 3 {
				return watch.PodDetails{}, errors.New(strings.Join(hostile.Texts, " "))
			}
			shown := watch.PodDetails{Logs: make([]watch.LogTail, 1)}
			hostile.Fill(r, &shown.Conditions)
			hostile.Fill(r, &shown.Events)
			hostile.Fill(r, &shown.YAML)
			hostile.Fill(r, &shown.Logs)
			hostile.Fill(r, &shown.Missing)
			hostile.Fill(r, &shown.Containers)
			shown.Logs[0].Previous = true
			return shown, nil
		}
	}
}
