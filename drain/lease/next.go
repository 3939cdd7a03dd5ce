package lease

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// A run keeps others off the nodes that it drains by one Lease for each, from before its
// cordon until the node is final. Nothing is sent for a node whose Lease is not in hand:
// taken over by another run, or renewed too long ago to be sure that it is not.

// View is what a decision about the Lease of one node is made from.
type View struct {
	Run, By, Reason string // the run, its user and why it drains
	Namespace       string // of Leases
	Node            string
	UID             kube.UID // of the node
	Wanted          bool     // the run has come to where it needs Leases, and may send
	Untouched       bool     // nothing was sent for the node yet
	Final           bool     // nothing more is done on the node
	Elsewhere       bool     // but the run does not end yet

	Live      *kube.Lease // over the node, nil if none shows
	Ends      time.Time   // when Live can be taken for abandoned
	Alive     bool        // its holder was seen to renew it
	TakesOver bool        // the operator said to take it over from its holder
	Trusted   bool        // Leases are complete and live: what does not show is not there
	Denied    bool        // Leases may not be read
	DeniedWhy string

	Resumed time.Time // when another process took up the run, zero if none did
	Now     time.Time
	Offset  time.Duration // of the server's clock to ours
}

// WithSnapshot is the View with what a snapshot shows of the Lease; takesOver tells from which holders it may be taken.
func (v View) WithSnapshot(s *kube.Snapshot, now time.Time, takesOver func(holder string) bool) View {
	sync := s.Sync(kube.KindLeases)
	v.Now, v.Offset, v.Trusted = now, s.ServerTime(now).Sub(now), s.Trusted(kube.KindLeases)
	v.Denied, v.DeniedWhy = sync.Phase == kube.Denied, sync.Reason
	if v.Live = s.LeaseOf(v.UID); v.Live != nil {
		v.Ends, v.Alive, v.TakesOver = s.LeaseEnds(v.Live), v.Live.Alive(now), takesOver(v.Live.Holder)
	}
	return v
}

// ours reports whether the Lease that shows names the run.
func (v *View) ours() bool { return v.Live != nil && v.Live.Holder == v.Run }

// Change is a state that a Lease comes to.
type Change struct {
	Facts   Facts
	State   State
	Message string
}

// Send is a write of a Lease.
type Send struct {
	Verb    attempt.Verb
	Facts   Facts
	Version string // resourceVersion that it expects
	Request request.Request
}

// Decision is what is to be done about a Lease now, in this order.
type Decision struct {
	Change *Change
	Refuse string // why the node is left untouched, "" if it is not
	Stop   string // why nothing more is done on the node, "" if it is
	Send   *Send
	Wake   time.Time // when to decide again if nothing changes before, zero for never
}

func (d *Decision) wakeAt(t, now time.Time) {
	if t.After(now) && (d.Wake.IsZero() || t.Before(d.Wake)) {
		d.Wake = t
	}
}

func become(f Facts, state State, message string) Decision {
	return Decision{Change: &Change{f, state, message}}
}

// Next decides about the Lease of a node; the record is nil where the run has none.
// Where it has a change, it is to be asked again after that.
func Next(r *Record, v View) Decision {
	switch {
	case r.arrived(v):
		f := factsOf(v.Live)
		f.Shown = v.Live.ResourceVersion
		return become(f, Held, "")
	case v.Final && r.Open() && (r == nil || r.InFlight == 0):
		return find(v)
	case v.Final:
		return release(r, v)
	case r.Open(): // never asked for, asked in vain, another's
		return acquire(r, v)
	case r.State == Held, r.State == Overdue, r.State == Disabled && !r.Renewed.IsZero():
		switch {
		case v.Live != nil && v.Live.Holder != "" && !v.ours() && v.Live.ResourceVersion != r.under:
			return lost(v) // not what shows of before our own write
		case v.Live == nil && v.Trusted && r.InFlight == 0 && r.Last.Class() == kube.AnswerConflict:
			return deleted(r.Facts) // the server answers so to an update that names the UID of what is gone
		}
		return keep(r, v)
	}
	return Decision{}
}

// arrived reports whether a write was done whose answer is lost: the Lease shows as the run's
// by a version after the one that was written over.
func (r *Record) arrived(v View) bool {
	return r != nil && r.InFlight == 0 && !r.released && !r.doubted.IsZero() && v.ours() &&
		(r.Open() || r.State == Held || r.State == Overdue) &&
		kube.ParseVersion(v.Live.ResourceVersion) > kube.ParseVersion(r.expected)
}

// acquire asks for a Lease that the run does not hold: a free one, one of its own from
// before, one whose holder has been silent for its whole time, and one that the operator
// said to take over. For any other it waits until its holder shows itself.
func acquire(r *Record, v View) Decision {
	var d Decision
	switch {
	case !v.Wanted || r != nil && waits(r, v, &d):
	case v.Denied:
		return Decision{Change: without(v.Namespace, kube.LeaseName(v.UID), v.DeniedWhy)}
	case !v.Trusted: // what is there shows in a moment
	case v.Live == nil:
		d.Send = v.write(r, attempt.VerbAcquire, "", "", 0)
	case v.ours(), v.Live.Holder == "", v.TakesOver, Ours(v.Live.Holder, v.Run), !v.Now.Before(v.Ends):
		changes := v.Live.Transitions
		if !v.ours() {
			changes++
		}
		d.Send = v.write(r, attempt.VerbAcquire, v.Live.UID, v.Live.ResourceVersion, changes)
	case v.Alive:
		return heldByOther(v)
	default:
		if r == nil || r.Holder != v.Live.Holder || r.State != Awaited {
			d = become(factsOf(v.Live), Awaited, "held by "+HolderWords(v.Live)+
				"; whether that run is still running is known within "+format.Duration(v.Live.Duration))
		}
		d.wakeAt(v.Ends, v.Now)
	}
	return d
}

// waits reports whether an answer is out or the pause after a failed try is not over. That
// after a conflict is, once the snapshot shows what it was about.
func waits(r *Record, v View, d *Decision) bool {
	shown := ""
	if v.Live != nil && !v.Final {
		shown = v.Live.ResourceVersion
	}
	if r.Outdated(shown) {
		return false
	}
	d.wakeAt(r.Next, v.Now)
	return r.Waits(v.Now)
}

// heldByOther leaves a node to the run that drains it.
func heldByOther(v View) Decision {
	why := "held by " + HolderWords(v.Live) + ", which is draining it; only --take-over takes it over"
	if v.Untouched {
		return Decision{Refuse: why}
	}
	d := lost(v)
	d.Stop = why
	return d
}

func lost(v View) Decision {
	d := become(factsOf(v.Live), Lost, "taken over by "+HolderWords(v.Live))
	d.Stop = d.Change.Message
	return d
}

// deleted has a Lease acquired again that somebody deleted.
func deleted(f Facts) Decision {
	f.UID = ""
	return become(f, Awaited, "somebody deleted it")
}

// keep renews a Lease in time, and says when it did not come to that.
func keep(r *Record, v View) Decision {
	var d Decision
	if r.State == Disabled {
		return d
	}
	age := attempt.Elapsed(r.Renewed, v.Now)
	switch {
	case age >= OverdueAfter && r.denied >= deniedFor:
		return Decision{Change: without(v.Namespace, kube.LeaseName(v.UID), r.Message)}
	case r.State == Held && age >= OverdueAfter:
		f := r.Facts
		f.RenewedAt = r.Renewed
		d = become(f, Overdue, "not renewed for "+format.Duration(age)+
			": nothing is sent for the node until it is")
	case r.State == Held:
		d.wakeAt(v.Now.Add(OverdueAfter-age), v.Now)
	}
	if due := renewal - age; due > 0 {
		d.wakeAt(v.Now.Add(due), v.Now)
		return d
	}
	if d.Change != nil || waits(r, v, &d) { // after a change it is asked again
		return d
	}
	version, changes := r.version, int32(0)
	if v.ours() {
		changes = v.Live.Transitions
		if r.Last.Class() == kube.AnswerConflict { // somebody wrote it, and it is ours all the same
			version = v.Live.ResourceVersion
		}
	}
	d.Send = v.write(r, attempt.VerbRenew, r.UID, version, changes)
	return d
}

// write is a write of the Lease for this run.
func (v *View) write(r *Record, verb attempt.Verb, uid kube.UID, version string, changes int32) *Send {
	w := request.WriteLease{
		Namespace: v.Namespace, Node: v.Node, NodeUID: v.UID, Run: v.Run, By: v.By, Reason: v.Reason,
		Since: v.Now.Add(v.Offset), Renewed: v.Now.Add(v.Offset), Transitions: changes, UID: uid, ResourceVersion: version,
	}
	if r != nil && !r.Taken.IsZero() {
		w.Since = r.Taken.Add(v.Offset)
	}
	facts := Facts{Namespace: v.Namespace, Name: kube.LeaseName(v.UID), UID: uid, Holder: v.Run}
	return &Send{Verb: verb, Facts: facts, Version: version, Request: w}
}

// find notes that a Lease of the run is over a node that is done: the process before held it, and this one did not
// acquire it, or never heard that it did.
func find(v View) Decision {
	if !v.ours() || !v.Trusted {
		return Decision{}
	}
	return become(factsOf(v.Live), Held, "")
}

// release gives up the Lease of a node on which nothing more is sent. One that another run
// has taken over is that run's.
func release(r *Record, v View) Decision {
	var d Decision
	switch {
	case r.State != Held && r.State != Overdue:
		return d
	case r.released && r.InFlight == 0 && r.Last.MayBeDone() && v.Trusted && !v.ours():
		return become(r.Facts, Released, "") // its answer is lost
	case r.released && r.InFlight == 0 && r.Last.Class() == kube.AnswerConflict && !v.ours():
		return become(r.Facts, Released, "") // it is another's by now
	case waits(r, v, &d):
		return d
	}
	// While the run goes on elsewhere, trying again delays nothing: the server may be back before the Lease expires.
	costless := v.Elsewhere && v.Now.Before(r.Renewed.Add(kube.LeaseDuration))
	if r.Tries >= releaseTries && r.released && !costless {
		return become(r.Facts, Expiring, "could not be released; it expires by itself within "+
			format.Duration(kube.LeaseDuration))
	}
	version := r.version
	if version == "" && !v.Resumed.IsZero() { // the process before wrote it
		unseen, expired := v.Unseen()
		switch {
		case unseen:
			d.wakeAt(expired, v.Now)
			return d
		case !v.ours() && v.Trusted: // it is gone or another's
			return become(r.Facts, Released, "")
		case !v.ours():
			return become(r.Facts, Expiring, "it does not show; it expires by itself within "+
				format.Duration(kube.LeaseDuration))
		}
		version = v.Live.ResourceVersion
	}
	if v.ours() && kube.ParseVersion(v.Live.ResourceVersion) > kube.ParseVersion(version) {
		version = v.Live.ResourceVersion // somebody has annotated it since, for example
	}
	d.Send = &Send{Verb: attempt.VerbRelease, Facts: r.Facts, Version: version, Request: request.DeleteLease{
		Namespace: r.Namespace, Name: r.Name, UID: r.UID, ResourceVersion: version,
	}}
	return d
}

// Unseen reports whether a Lease of the process before may exist that does not show yet, and
// when it has expired anyway.
func (v *View) Unseen() (unseen bool, expired time.Time) {
	if v.Resumed.IsZero() || v.Trusted || v.Denied {
		return false, time.Time{}
	}
	expired = v.Resumed.Add(kube.LeaseDuration)
	return v.Now.Before(expired), expired
}

// without continues without a Lease.
func without(namespace, name, why string) *Change {
	message := "no Lease keeps other runs off the node"
	if why != "" {
		message += ": " + why
	}
	return &Change{Facts{Namespace: namespace, Name: name}, Disabled, message}
}

// FactsAfter are the Lease that an answer is about, as far as the request and the answer tell.
func (r *Record) FactsAfter(req request.Request, a kube.Answer) Facts {
	w, writes := req.(request.WriteLease)
	if !writes {
		return r.Facts
	}
	f := Facts{Namespace: w.Namespace, Name: kube.LeaseName(w.NodeUID), UID: w.UID, Holder: w.Run}
	if a.OK() {
		f.UID = a.UID
	}
	return f
}

// After is the change that follows from the answer to a write, nil for none; expected is the
// resourceVersion that the write named, starting tells that the server may only refuse the
// right because it has just started.
func (r *Record) After(verb attempt.Verb, f Facts, expected string, a kube.Answer, starting bool) *Change {
	class := a.Class()
	gone := class == kube.AnswerGone
	switch {
	case verb == attempt.VerbRelease:
		if a.OK() || gone {
			return &Change{f, Released, ""}
		}
	case r.State == Lost, r.State == Disabled:
	case a.OK():
		if r.State != Held || r.Message != "" {
			return &Change{f, Held, ""}
		}
	case verb == attempt.VerbRenew && gone: // it is acquired again
		return deleted(f).Change
	case verb == attempt.VerbRenew: // it is ours until it is overdue, whatever the answer: keep
		if text := attempt.AnswerWords(a); text != r.Message {
			return &Change{f, r.State, text}
		}
	case starting: // asked for again
	case class == kube.AnswerForbidden, class == kube.AnswerInvalid, gone && expected == "":
		return without(f.Namespace, f.Name, attempt.AnswerWords(a))
	case class != kube.AnswerConflict && attempt.AnswerWords(a) != r.Message: // what it waits for meanwhile
		return &Change{f, Awaited, attempt.AnswerWords(a)}
	}
	return nil
}
