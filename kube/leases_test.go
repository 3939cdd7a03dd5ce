package kube_test

import (
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func givenLease(holder, version string, seconds int32) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: kube.LeaseName("u-1"), UID: "l-1", ResourceVersion: version,
			Annotations: map[string]string{kube.ByAnnotation: "bob", kube.MadeAtAnnotation: "1970-01-01T00:00:00Z"}},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds},
	}
}

func TestLeaseRecordIsCleanedAndNeverTooShort(t *testing.T) {
	l := givenLease("k7\x1b[2J", "1", 1)
	l.Annotations[kube.ReasonAnnotation] = "new\u202e disk\x1b]0;x\x07"
	got := kubetest.Convert(l).(*kube.Lease)
	if got.Holder != "k7" || got.By != "bob" || strings.ContainsAny(got.Reason, "\x1b\u202e") || got.Since != "1970-01-01T00:00:00Z" {
		t.Errorf("%+v", got)
	}
	if got.Duration != kube.LeaseDuration {
		t.Errorf("it lapses after %s, before its holder renews it", got.Duration)
	}
	if bare := kubetest.Convert(&coordinationv1.Lease{}).(*kube.Lease); bare.Holder != "" || bare.Duration != kube.LeaseDuration {
		t.Errorf("%+v", bare)
	}
}

// A Lease ends by our own clock: its time begins again with each change that we
// see, and with each moment from which on we see all changes.
func TestALeaseEndsByOurClock(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s := kube.NewStore(func() time.Time { return now })
	s.SetHealth(kube.Health{Live: true})
	ends := func() time.Duration {
		t.Helper()
		snap := s.Snapshot()
		return snap.LeaseEnds(snap.LeaseOf("u-1")).Sub(now)
	}
	s.Put(kubetest.Convert(givenLease("r1", "1", 40)))
	if snap := s.Snapshot(); !snap.LeaseEnds(snap.LeaseOf("u-1")).IsZero() {
		t.Error("it ends although Leases are not in sync")
	}
	s.SetSync(kube.KindLeases, kube.SyncState{Phase: kube.Synced, Since: now})
	if got := ends(); got != 40*time.Second {
		t.Errorf("ends in %s", got)
	}
	now = now.Add(30 * time.Second)
	s.Put(kubetest.Convert(givenLease("r1", "1", 40))) // listed again, unchanged
	if snap := s.Snapshot(); ends() != 10*time.Second || snap.LeaseOf("u-1").Alive(now) {
		t.Errorf("ends in %s: a Lease that was only listed again has not changed", ends())
	}
	s.Put(kubetest.Convert(givenLease("r1", "2", 40)))
	if snap := s.Snapshot(); ends() != 40*time.Second || !snap.LeaseOf("u-1").Alive(now) {
		t.Errorf("ends in %s: it was renewed", ends())
	}
	now = now.Add(35 * time.Second)
	s.SetSync(kube.KindLeases, kube.SyncState{Phase: kube.Synced, Since: now}) // the watch was broken until now
	if got := ends(); got != 40*time.Second {
		t.Errorf("ends in %s: what happened in between is not known", got)
	}
	live := s.Snapshot().Health()
	s.SetHealth(kube.Health{})
	if snap := s.Snapshot(); !snap.LeaseEnds(snap.LeaseOf("u-1")).IsZero() {
		t.Error("it ends although the server does not answer")
	}
	s.SetHealth(live)
	again := givenLease("r2", "3", 40)
	again.UID = "l-2"
	s.Put(kubetest.Convert(again))
	if l := s.Snapshot().LeaseOf("u-1"); l.Changes != 0 || l.Holder != "r2" {
		t.Errorf("another Lease of the name shows nothing of its holder yet: %+v", l)
	}
	s.Remove(&kube.Lease{Name: kube.LeaseName("u-1"), UID: "l-1"})
	if s.Snapshot().LeaseOf("u-1") == nil {
		t.Error("removed with the UID of another")
	}
}

func TestLeaseNameIsAValidName(t *testing.T) {
	if got := kube.LeaseName("8f3c0c0e-0000-4000-8000-1234567890ab"); got != "kdrain-node-8f3c0c0e-0000-4000-8000-1234567890ab" {
		t.Error(got)
	}
}
