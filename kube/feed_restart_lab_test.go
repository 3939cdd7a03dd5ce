//go:build lab

package kube

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestLabRestart restarts the API server three times; what changes right after
// that is seen, and the kinds are watched as before.
func TestLabRestart(t *testing.T) {
	c := labConnect(t, "")
	w := labWatch(t, c)
	for range 3 {
		victim := aFreePod(until(t, w, "a pod is free", func(s *Snapshot) bool { return s.Trusted(KindPods) && aFreePod(s) != nil }))
		labComponent(t, "stop", "kube-apiserver")
		time.Sleep(2 * time.Second)
		labComponent(t, "start", "kube-apiserver")

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		var err error
		for ctx.Err() == nil { // a server that just started may refuse us
			now := int64(0)
			err = c.reads.CoreV1().Pods(victim.Namespace).Delete(ctx, victim.Name, metav1.DeleteOptions{GracePeriodSeconds: &now})
			if err == nil {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		cancel()
		if err != nil {
			t.Fatalf("deleting %s: %v", victim.Name, err)
		}
		started := time.Now()
		until(t, w, "the pod is gone", func(s *Snapshot) bool { return s.Trusted(KindPods) && s.Pod(victim.UID) == nil })
		t.Logf("the change was seen after %v", time.Since(started).Round(time.Millisecond))
		for _, k := range Kinds {
			if k == KindUsage {
				continue
			}
			until(t, w, string(k)+" are watched as before", func(s *Snapshot) bool {
				state := s.Sync(k)
				return state.Phase == Synced && state.Reason == ""
			})
		}
	}
}

func aFreePod(s *Snapshot) *Pod {
	for _, p := range s.Pods() {
		if p.Owner != nil && p.Owner.Kind == "ReplicaSet" && p.RunningAndReady() && !p.Terminating() && len(s.BudgetsOf(p)) == 0 {
			return p
		}
	}
	return nil
}

// labComponent stops or starts a component of the lab in KDRAIN_LAB_DIR with the
// program KDRAIN_LAB.
func labComponent(t *testing.T, verb, component string) {
	t.Helper()
	program, dir := os.Getenv("KDRAIN_LAB"), os.Getenv("KDRAIN_LAB_DIR")
	if program == "" || dir == "" {
		t.Fatal("KDRAIN_LAB and KDRAIN_LAB_DIR do not name a lab and its program")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if output, err := exec.CommandContext(ctx, program, verb, "--dir", dir, component).CombinedOutput(); err != nil {
		t.Fatalf("lab %s %s: %v\n%s", verb, component, err, output)
	}
}
