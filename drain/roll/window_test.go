package roll

import (
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestWindow(t *testing.T) {
	for _, c := range []struct{ window, now, opens string }{
		{"", "2026-09-01T12:00:00Z", "2026-09-01T12:00:00Z"},
		{"10:00-11:00 UTC", "2026-09-01T10:00:00Z", "2026-09-01T10:00:00Z"},
		{"10:00-11:00 UTC", "2026-09-01T10:59:59Z", "2026-09-01T10:59:59Z"},
		{"10:00-11:00 UTC", "2026-09-01T11:00:00Z", "2026-09-02T10:00:00Z"},
		{"10:00-11:00 UTC", "2026-09-01T09:59:30Z", "2026-09-01T10:00:00Z"},
		// Over midnight.
		{"22:00-04:00 UTC", "2026-09-01T23:00:00Z", "2026-09-01T23:00:00Z"},
		{"22:00-04:00 UTC", "2026-09-02T03:59:00Z", "2026-09-02T03:59:00Z"},
		{"22:00-04:00 UTC", "2026-09-02T04:00:00Z", "2026-09-02T22:00:00Z"},
		{"22:00-24:00 UTC", "2026-09-02T00:00:00Z", "2026-09-02T22:00:00Z"},
		{"00:00-24:00 UTC", "2026-09-02T00:00:00Z", "2026-09-02T00:00:00Z"},
		// By the clocks of the place: two hours ahead of UTC in summer, one in winter.
		{"22:00-04:00 Europe/Berlin", "2026-07-01T20:00:00Z", "2026-07-01T20:00:00Z"},
		{"22:00-04:00 Europe/Berlin", "2026-07-01T19:00:00Z", "2026-07-01T20:00:00Z"},
		{"22:00-04:00 Europe/Berlin", "2026-12-01T20:00:00Z", "2026-12-01T21:00:00Z"},
		// In the night of 29 March 2026 the clocks go from 02:00 to 03:00 (01:00 UTC): a window in that hour is not there,
		// one that begins in it opens at 03:00.
		{"02:10-02:50 Europe/Berlin", "2026-03-29T00:30:00Z", "2026-03-30T00:10:00Z"},
		{"02:30-04:00 Europe/Berlin", "2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z"},
		// On 25 October they show 02:00 to 03:00 twice (00:00 to 02:00 UTC): both count.
		{"02:10-02:50 Europe/Berlin", "2026-10-25T00:20:00Z", "2026-10-25T00:20:00Z"},
		{"02:10-02:50 Europe/Berlin", "2026-10-25T00:55:00Z", "2026-10-25T01:10:00Z"},
		{"02:10-02:50 Europe/Berlin", "2026-10-25T01:55:00Z", "2026-10-26T01:10:00Z"},
		{"10:00-10:30 Asia/Kathmandu", "2026-09-01T04:00:00Z", "2026-09-01T04:15:00Z"}, // 5:45 ahead
	} {
		w, err := parseWindow(c.window)
		if err != nil {
			t.Fatal(err)
		}
		now, _ := time.Parse(time.RFC3339, c.now)
		if got := w.opens(now).UTC().Format(time.RFC3339); got != c.opens {
			t.Errorf("%q at %s opens at %s, want %s", c.window, c.now, got, c.opens)
		}
	}
}

func TestWindowThatCannotBeRead(t *testing.T) {
	for _, text := range []string{"22:00", "22-04 UTC", "22:00-25:00 UTC", "10:00-10:00 UTC", "24:00-00:00", "24:00-04:00 UTC", "22:00-04:00 Europe/Nowhere", "-", "22:00–04:00"} {
		if _, err := parseWindow(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

// A window that no time is known of is told once, not with each look.
func TestWindowOfAnUnknownPlaceIsToldOnce(t *testing.T) {
	w := newWorld(t)
	w.edit("w1", uncordoned)
	o := DefaultOptions()
	o.Window = "22:00-04:00 Europe/Nowhere" // as on a machine that does not know the zone
	w.begin(o, "w1")
	for range 100 {
		w.now = w.now.Add(50 * time.Millisecond)
		w.next()
	}
	waits := 0
	for _, e := range w.events {
		if e.Kind == EventWait {
			waits++
		}
	}
	if got := w.state.Wait; waits != 1 || got == nil || !got.Until.IsZero() || !strings.Contains(got.Message, "Europe/Nowhere") {
		t.Errorf("%d events, waits for %+v", waits, got)
	}
}

// While a roll waits for its window, its looks do not count the workloads of the whole cluster again.
func TestLooksBeforeTheWindowAreCheap(t *testing.T) {
	w := newWorld(t)
	w.edit("w1", uncordoned)
	w.web("web-1", "w1")
	o := DefaultOptions()
	o.Window = "13:00-14:00 UTC"
	w.begin(o, "w1")
	w.put(kubetest.ReplicaSet("shop/api", 1))
	w.put(kubetest.Pod("shop/api-1", kubetest.OwnedBy("apps/v1", "ReplicaSet", "api"), kubetest.On("w1")))
	w.next()
	if got := len(w.state.Baseline); got != 1 {
		t.Errorf("%d workloads are known before the window, want that of the start", got)
	}
	w.now = w.now.Add(time.Hour)
	w.next()
	if got := len(w.state.Baseline); got != 2 || w.state.Batch != 0 {
		t.Errorf("%d workloads are known in batch %d, want those of its nodes", got, w.state.Batch)
	}
}
