package ui

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Heartbeats and answers of the server are shown once a second, whatever else changes within the time of a frame.
func TestHowSoonASnapshotIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := kube.NewStore(time.Now)
		s.SetHealth(kube.Health{Live: true, LastContact: time.Now()})
		changed := s.Changed(ctx)
		<-changed
		answer := func() { s.SetHealth(kube.Health{Live: true, LastContact: time.Now()}) }
		shown := func(after time.Duration, change func()) time.Duration {
			t.Helper()
			began, gen := time.Now(), s.Snapshot().Gen()
			go func() {
				if pause(ctx, after) {
					change()
				}
			}()
			snap := newer(ctx, s, changed, gen)
			if snap == nil {
				t.Fatal("no snapshot")
			}
			if took := time.Since(began); took < slowTick && snap.Gen() == gen {
				t.Errorf("the same generation after %s", took)
			}
			return time.Since(began)
		}
		if took := shown(10*time.Millisecond, answer); took < slowTick || took > slowTick+2*frameGap {
			t.Errorf("one answer of the server is shown after %s", took)
		}
		go func() {
			for pause(ctx, 10*time.Millisecond) {
				answer()
			}
		}()
		if took := shown(time.Hour, func() {}); took < slowTick || took > slowTick+2*frameGap {
			t.Errorf("answers of the server are shown after %s", took)
		}
		change := func() { s.Put(&kube.Node{Name: "w1", UID: "u1"}) }
		if took := shown(300*time.Millisecond, change); took > 300*time.Millisecond+2*frameGap {
			t.Errorf("a change is shown after %s", took)
		}
	})
}
