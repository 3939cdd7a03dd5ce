package watch

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
)

// Add puts an object that is new.
func (f *feed) Add(object any) error { return f.Update(object) }

// Update puts an object that changed.
func (f *feed) Update(object any) error {
	record, err := convert.Record(object)
	if err != nil {
		return err
	}
	f.store.Put(record)
	return nil
}

// Delete takes an object out that left the scope; absence is what it says, whatever else changed.
func (f *feed) Delete(object any) error {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = tombstone.Obj
	}
	record, err := convert.Record(object)
	if err != nil {
		return err
	}
	f.store.RemoveFrom(f.of, record)
	return nil
}

// Replace takes a complete list. Objects are
// compared by UID, so what merely was listed again is neither removed nor changed.
func (f *feed) Replace(items []any, version string) error {
	records := make([]kube.Record, 0, len(items))
	for _, item := range items {
		if o, ok := item.(*recordObject); ok {
			records = append(records, o.record)
		}
	}
	f.mu.Lock()
	f.first, f.denied = true, false
	f.listNext.Again()
	reason := ""
	if f.noWatch {
		reason = polled
	}
	f.mu.Unlock()
	f.store.Replace(f.of, records, kube.ParseVersion(version),
		kube.SyncState{Phase: kube.Synced, Since: time.Now(), Reason: reason})
	return nil
}

// Resync has nothing to do: what the store holds is what it shows.
func (f *feed) Resync() error { return nil }

// listFailed says in the sync state why there is no list.
func (f *feed) listFailed(err error) {
	switch {
	case isRefusal(err) && f.listRefused():
		reason := err.Error()
		if apierrors.IsNotFound(err) {
			reason = fmt.Sprintf("the server does not serve %s", f.kind)
		}
		f.store.SetPhase(f.of, kube.Denied, kube.CleanText(reason))
	case isCalledOff(err):
	default:
		f.stale(kube.CleanText(fmt.Sprintf("listing %s: %v", f.kind, conn.PlainCause(err))))
	}
}

// listRefused tells whether the kind is denied from now on. One that was in sync
// is not, for a while: what we hold of it stays, stale.
func (f *feed) listRefused() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	if !f.listing.Refuse(now, false) {
		return false
	}
	f.denied = true
	f.listNext.Later(now)
	return true
}

// stale says that what we hold is no longer live. A first list that has not
// come in yet stays "not synced", with the reason for the delay.
func (f *feed) stale(reason string) {
	f.mu.Lock()
	f.unsettleLocked()
	first := f.first
	f.mu.Unlock()
	phase := kube.NotSynced
	if first {
		phase = kube.Stale
	}
	f.store.SetPhase(f.of, phase, reason)
}

// lost says that the server does not answer: until the watch is open again, or a new
// list is in, what we hold is not live, also when the server is back. What was
// refused is asked for again soon after that.
func (f *feed) lost(reason string) {
	f.mu.Lock()
	f.listing.Interrupt()
	f.watching.Interrupt()
	f.watchNext.Again()
	if f.pause != nil {
		f.pause.expire() // the next list waits at the gate
	}
	f.mu.Unlock()
	f.notLive(reason)
}

// notLive calls what was in sync stale.
func (f *feed) notLive(reason string) {
	f.mu.Lock()
	f.unsettleLocked()
	first, denied := f.first, f.denied
	f.mu.Unlock()
	if first && !denied {
		f.store.SetPhase(f.of, kube.Stale, kube.CleanText(reason))
	}
}

// live says that the watch is open and nothing was missed.
func (f *feed) live(reason string) { f.store.SetPhase(f.of, kube.Synced, reason) }

func isCalledOff(err error) bool { return errors.Is(err, context.Canceled) }

// isRefusal tells whether an error says that we may not, or that there is no
// such thing.
func isRefusal(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err)
}
