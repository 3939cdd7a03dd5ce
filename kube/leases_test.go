package kube

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
)

func givenLease(holder, version string, seconds int32) *coordinationv1.Lease {
	l := LeaseWrite{Namespace: "kube-system", Node: "a", NodeUID: "u-1", Run: holder, By: "bob", Since: time.Unix(0, 0)}.object()
	l.UID, l.ResourceVersion, l.Spec.LeaseDurationSeconds = "l-1", version, &seconds
	return l
}

func TestLeaseRecordIsCleanedAndNeverTooShort(t *testing.T) {
	l := givenLease("k7\x1b[2J", "1", 1)
	l.Annotations[ReasonAnnotation] = "new\u202e disk\x1b]0;x\x07"
	got := LeaseRecord(l)
	if got.Holder != "k7" || got.By != "bob" || strings.ContainsAny(got.Reason, "\x1b\u202e") || got.Since != "1970-01-01T00:00:00Z" {
		t.Errorf("%+v", got)
	}
	if got.Duration != LeaseDuration {
		t.Errorf("it lapses after %s, before its holder renews it", got.Duration)
	}
	if bare := LeaseRecord(&coordinationv1.Lease{}); bare.Holder != "" || bare.Duration != LeaseDuration {
		t.Errorf("%+v", bare)
	}
}

// A Lease ends by our own clock: its time begins anew with each change that we
// see, and with each moment from which on we see all changes.
func TestALeaseEndsByOurClock(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s := NewStore(func() time.Time { return now })
	s.SetHealth(Health{Live: true})
	ends := func() time.Duration {
		t.Helper()
		snap := s.Snapshot()
		return snap.LeaseEnds(snap.LeaseOf("u-1")).Sub(now)
	}
	s.Put(LeaseRecord(givenLease("r1", "1", 40)))
	if snap := s.Snapshot(); !snap.LeaseEnds(snap.LeaseOf("u-1")).IsZero() {
		t.Error("it ends although Leases are not in sync")
	}
	s.SetSync(KindLeases, SyncState{Phase: Synced, Since: now})
	if got := ends(); got != 40*time.Second {
		t.Errorf("ends in %s", got)
	}
	now = now.Add(30 * time.Second)
	s.Put(LeaseRecord(givenLease("r1", "1", 40))) // listed again, unchanged
	if snap := s.Snapshot(); ends() != 10*time.Second || snap.LeaseAlive(snap.LeaseOf("u-1"), now) {
		t.Errorf("ends in %s: a Lease that was only listed again has not changed", ends())
	}
	s.Put(LeaseRecord(givenLease("r1", "2", 40)))
	if snap := s.Snapshot(); ends() != 40*time.Second || !snap.LeaseAlive(snap.LeaseOf("u-1"), now) {
		t.Errorf("ends in %s: it was renewed", ends())
	}
	now = now.Add(35 * time.Second)
	s.SetSync(KindLeases, SyncState{Phase: Synced, Since: now}) // the watch was broken until now
	if got := ends(); got != 40*time.Second {
		t.Errorf("ends in %s: what happened while nobody looked is not known", got)
	}
	if snap := s.Snapshot().WithHealth(Health{}); !snap.LeaseEnds(snap.LeaseOf("u-1")).IsZero() {
		t.Error("it ends although the server is away")
	}
	again := givenLease("r2", "3", 40)
	again.UID = "l-2"
	s.Put(LeaseRecord(again))
	if l := s.Snapshot().LeaseOf("u-1"); l.Changes != 0 || l.Holder != "r2" {
		t.Errorf("another Lease of the name shows nothing of its holder yet: %+v", l)
	}
	s.Remove(&Lease{Name: LeaseName("u-1"), UID: "l-1"})
	if s.Snapshot().LeaseOf("u-1") == nil {
		t.Error("removed with the UID of another")
	}
}

func TestLeaseRequests(t *testing.T) {
	server := newFakeServer(t, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, 200, `{"kind":"Lease","metadata":{"uid":"l-1","resourceVersion":"9"}}`)
	})
	c := connectTo(t, server)
	w := LeaseWrite{Namespace: "kube-system", Node: "a", NodeUID: "u-1", Run: "r1", By: "bob", Reason: "disk", Since: time.Unix(0, 0), Renewed: time.Unix(10, 0)}
	for _, test := range []struct {
		send         func() Answer
		method, path string
		has          []string
	}{
		{func() Answer { return c.CreateLease(t.Context(), w) }, "POST", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases",
			[]string{`"name":"kdrain-node-u-1"`, `"holderIdentity":"r1"`, `"leaseDurationSeconds":30`, `"kind":"Node","name":"a","uid":"u-1"`,
				`"app.kubernetes.io/managed-by":"kdrain-tui"`, `"kdrain-tui.dev/run":"r1"`, `"kdrain-tui.dev/by":"bob"`, `"kdrain-tui.dev/reason":"disk"`}},
		{func() Answer {
			renewed := w
			renewed.UID, renewed.ResourceVersion, renewed.Transitions = "l-1", "8", 2
			return c.UpdateLease(t.Context(), renewed)
		}, "PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kdrain-node-u-1",
			[]string{`"uid":"l-1"`, `"resourceVersion":"8"`, `"leaseTransitions":2`, `"renewTime":"1970-01-01T00:00:10.000000Z"`}},
		{func() Answer {
			return c.DeleteLease(t.Context(), LeaseRef{Namespace: "kube-system", Name: "kdrain-node-u-1", UID: "l-1", ResourceVersion: "9"})
		}, "DELETE", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kdrain-node-u-1", []string{`"preconditions":{"uid":"l-1","resourceVersion":"9"}`}},
		{func() Answer {
			return c.WriteEvent(t.Context(), NodeEvent{Node: "a", UID: "u-1", Reason: ReasonDrainDone, Message: strings.Repeat("ä", 700), At: time.Unix(0, 0)})
		}, "POST", "/api/v1/namespaces/default/events", []string{`"involvedObject":{"kind":"Node","name":"a","uid":"u-1"`, `"reason":"DrainDone"`, `ä..."`, `"generateName":"a."`}},
	} {
		before := len(server.seen())
		a := test.send()
		seen := server.seen()[before:]
		if !a.OK() || a.ResourceVersion != "9" || len(seen) != 1 || seen[0].method != test.method || seen[0].path != test.path {
			t.Fatalf("%s %s: %+v %+v", test.method, test.path, a, seen)
		}
		for _, part := range test.has {
			if !strings.Contains(seen[0].body, part) {
				t.Errorf("%s lacks %s:\n%s", test.method, part, seen[0].body)
			}
		}
		if !json.Valid([]byte(seen[0].body)) {
			t.Error("no JSON")
		}
	}
}

// Only Leases of ours are asked for, in the one namespace.
func TestOnlyOurLeasesAreListed(t *testing.T) {
	server := newFakeServer(t, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, 200, `{"kind":"LeaseList","apiVersion":"coordination.k8s.io/v1","metadata":{"resourceVersion":"1"},"items":[]}`)
	})
	c := connectTo(t, server)
	q := queryOf(c.reads, scope{kind: KindLeases}, "maintenance")
	before := len(server.seen())
	if _, err := q.list(t.Context(), listOptions{}); err != nil {
		t.Fatal(err)
	}
	request := server.seen()[before]
	if request.path != "/apis/coordination.k8s.io/v1/namespaces/maintenance/leases" || !strings.Contains(request.query, "labelSelector=app.kubernetes.io%2Fmanaged-by%3Dkdrain-tui") {
		t.Errorf("%+v", request)
	}
}

func TestLeaseNameIsAValidName(t *testing.T) {
	if got := LeaseName("8f3c0c0e-0000-4000-8000-1234567890ab"); got != "kdrain-node-8f3c0c0e-0000-4000-8000-1234567890ab" {
		t.Error(got)
	}
}
