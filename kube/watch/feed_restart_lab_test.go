//go:build lab

package watch

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// TestLabRestart restarts the API server three times; what changes right after
// that is seen, and the kinds are watched as before.
func TestLabRestart(t *testing.T) {
	c := labConnect(t, "")
	w := labWatch(t, c)
	for range 3 {
		until(t, w, "the view is live", func(s *kube.Snapshot) bool {
			return s.Health().Live && s.Trusted(kube.KindPods, kube.KindNodes, kube.KindBudgets)
		})
		victim := freePod(t, w)
		labComponent(t, "stop", "kube-apiserver")
		until(t, w, "the server does not answer", func(s *kube.Snapshot) bool { return !s.Health().Live })
		labComponent(t, "start", "kube-apiserver")
		labDelete(t, c, victim)
		started := time.Now()
		until(t, w, "the pod is gone", func(s *kube.Snapshot) bool { return s.Trusted(kube.KindPods) && s.Pod(victim.UID) == nil })
		t.Logf("the change was seen after %v", time.Since(started).Round(time.Millisecond))
		for _, k := range kube.Kinds {
			if k == kube.KindUsage {
				continue
			}
			until(t, w, string(k)+" are watched as before", func(s *kube.Snapshot) bool {
				state := s.Sync(k)
				return state.Phase == kube.Synced && state.Reason == ""
			})
		}
	}
}

// labDelete deletes a pod at once, from a server that may just have started: it may
// refuse us, or go down with the answer to a deletion that it carried out.
func labDelete(t *testing.T, c *conn.Cluster, victim *kube.Pod) {
	t.Helper()
	uid, now := victim.UID, int64(0)
	options := metav1.DeleteOptions{GracePeriodSeconds: &now, Preconditions: &metav1.Preconditions{UID: &uid}}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); ; <-tick.C {
		err := c.Reads().CoreV1().Pods(victim.Namespace).Delete(t.Context(), victim.Name, options)
		switch {
		case err == nil, apierrors.IsNotFound(err), apierrors.IsConflict(err):
			return
		case time.Now().After(deadline):
			t.Fatalf("deleting %s: %v", victim.Name, err)
		}
	}
}

// labComponent stops or starts a component of the lab in KDRAIN_LAB_DIR with the
// program KDRAIN_LAB.
func labComponent(t *testing.T, verb, component string) {
	t.Helper()
	program, dir := os.Getenv("KDRAIN_LAB"), os.Getenv("KDRAIN_LAB_DIR")
	if program == "" || dir == "" {
		t.Fatal("KDRAIN_LAB and KDRAIN_LAB_DIR do not name a lab and its program")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	if output, err := exec.CommandContext(ctx, program, verb, "--dir", dir, component).CombinedOutput(); err != nil {
		t.Fatalf("lab %s %s: %v\n%s", verb, component, err, output)
	}
}
