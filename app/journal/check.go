package journal

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// needs are the kinds of events that this version knows, each with the fields without which an event
// of it tells nothing. A fold skips no event and no part of one: what it does not know may be a write.
type needs map[string][]string

var (
	ofRun = needs{
		string(drain.EventRunStarted):  {"Run"},
		string(drain.EventPhase):       {"Phase"},
		string(drain.EventQuestion):    {"Phase"},
		string(drain.EventConfirmed):   {"Phase"},
		string(drain.EventIntent):      {"Action"},
		string(drain.EventAnswer):      {"Action", "Answer"},
		string(drain.EventPodAdded):    {"Added"},
		string(drain.EventPod):         {"UID", "PodState"},
		string(drain.EventNode):        {"Node", "NodeState"},
		string(drain.EventBudget):      {"Budget", "BudgetState"},
		string(drain.EventLease):       {"Node", "Lease"},
		string(drain.EventRemedy):      {"Remedy", "RemedyState"},
		string(drain.EventSurge):       {"Surge", "SurgeChange"},
		string(drain.EventReplacement): {"UID", "Replacement"},
		string(drain.EventBaseline):    nil,
		string(drain.EventGate):        {"Gate"},
		string(drain.EventVolumes):     {"Node"},
		string(drain.EventConnection):  nil,
		string(drain.EventControl):     {"Command"},
		string(drain.EventJournal):     nil,
		string(drain.EventWarning):     nil,
		string(drain.EventRetire):      {"Node", "Retire"},
		string(drain.EventUndone):      nil,
		string(drain.EventResumed):     nil,
		string(drain.EventRunEnded):    {"Outcome"},
	}
	ofRoll = needs{
		string(roll.EventRollStarted):  {"Roll"},
		string(roll.EventResumed):      nil,
		string(roll.EventBaseline):     nil,
		string(roll.EventGate):         {"Gate"},
		string(roll.EventWait):         nil,
		string(roll.EventBatchStarted): {"Batch"},
		string(roll.EventDrainStarted): {"Batch", "Run"},
		string(roll.EventDrainEnded):   {"Run"},
		string(roll.EventNode):         {"Node", "State"},
		string(roll.EventHookStarted):  {"Node", "Hook"},
		string(roll.EventHookProcess):  {"Node", "Hook", "Process"},
		string(roll.EventHookOutput):   {"Node", "Hook"},
		string(roll.EventHookEnded):    {"Node", "Hook"},
		string(roll.EventQuestion):     {"Node", "Question"},
		string(roll.EventReply):        {"Node", "Question", "Answer"},
		string(roll.EventBatchEnded):   {"Batch"},
		string(roll.EventControl):      {"Command"},
		string(roll.EventWarning):      nil,
		string(roll.EventRollEnded):    {"Outcome"},
	}
)

// missing says what an event of that kind lacks, "" for nothing.
func (n needs) missing(kind string, event any) string {
	fields, known := n[kind]
	if !known {
		return unknown("kind", kind)
	}
	v := reflect.ValueOf(event).Elem()
	for _, field := range fields {
		if v.FieldByName(field).IsZero() {
			f, _ := v.Type().FieldByName(field)
			return fmt.Sprintf("its kind is %q, but it has no %q", kind, jsonName(f))
		}
	}
	return ""
}

// unknown says that only another version knows what an event is about.
func unknown(what, name string) string {
	return fmt.Sprintf("its %s %q is not known: a newer version of kdrain-tui may have written it", what, name)
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// check is an error for an event that cannot be folded after the first one of its journal, nil where it is
// that first one itself.
func check[E numbered](first *E, event *E) error {
	why, begins, number := "", false, numberOf(*event)
	switch e := any(event).(type) {
	case *drain.Event:
		why, begins = ofRun.missing(string(e.Kind), e), e.Kind == drain.EventRunStarted
		if e.Kind == drain.EventUndone && e.Surge != nil && e.SurgeChange == nil && e.Cost == nil {
			why = ofRun.missing(string(drain.EventSurge), e)
		}
		if why == "" && e.Retire != nil && e.Retire.Step != "" && !slices.Contains(retire.Steps, e.Retire.Step) {
			why = unknown("step", string(e.Retire.Step))
		}
	case *roll.Event:
		why, begins = ofRoll.missing(string(e.Kind), e), e.Kind == roll.EventRollStarted
		f, ok := any(first).(*roll.Event)
		if ok && f != nil && why == "" && (e.Batch < 0 || e.Batch > len(f.Roll.Batches)) {
			why = fmt.Sprintf("batch %d is none of the roll", e.Batch)
		}
	}
	switch {
	case why != "":
	case first == nil && !begins:
		why = "the journal does not begin with a start"
	case first != nil && begins:
		why = "it starts once more"
	default:
		return nil
	}
	return fmt.Errorf("event %d: %s", number, why)
}
