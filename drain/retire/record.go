package retire

import (
	"cmp"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/host"
	"github.com/kdrain-tui/kdrain-tui/drain/process"
)

// Step is a part of the way of a drained node out of its cluster.
type Step string

// The steps, in order. Those on the host are the steps of its script.
const (
	StepStop   = Step(host.StepStop)  // the kubelet is stopped and disabled on the host
	StepDelete = Step("delete")       // the Node object is deleted
	StepClean  = Step(host.StepClean) // the host is cleaned up
)

// Steps are all steps, in order.
var Steps = []Step{StepStop, StepDelete, StepClean}

// Host is the step of the script that is run on the host, false for a step that is none.
func (s Step) Host() (host.Step, bool) {
	return host.Step(s), slices.Contains(host.Steps, host.Step(s))
}

// Does says what the step does, as a title.
func (s Step) Does() string {
	switch s {
	case StepStop:
		return "stop the kubelet"
	case StepDelete:
		return "delete the Node object"
	case StepClean:
		return "clean the host up"
	}
	return string(s)
}

// Status is how far a step is; "" is not begun.
type Status string

// The status of a step. One that is Running in a journal without a process was cut short:
// what became of it is not known, and it is taken again.
const (
	Running Status = "running"
	Done    Status = "done"
	Failed  Status = "failed"
)

// Order is what was asked for when the run was started, so that a resume goes on with it.
type Order struct {
	HostExec   string `json:"hostExec,omitempty"` // runs a script on a host; "" where the operator does that
	DeleteNode bool   `json:"deleteNode,omitempty"`
}

// After is the order of a run that is taken up with these flags.
func (o Order) After(before *Order) Order {
	if before != nil {
		o.HostExec, o.DeleteNode = cmp.Or(o.HostExec, before.HostExec), o.DeleteNode || before.DeleteNode
	}
	return o
}

// Facts are what an event tells of a step.
type Facts struct {
	Step   Step   `json:"step"`
	Status Status `json:"status,omitempty"` // "" where only Output is told
	// Command runs the script on the host, "" where the operator said that it was done.
	Command string `json:"command,omitempty"`
	// Process is that command, told before it begins.
	Process *process.Group `json:"process,omitempty"`
	// Host is the machine as the Node tells of it: it is not told any longer once that is deleted.
	Host *host.Host `json:"host,omitempty"`
	// Despite are the lines of the checklist that were not true, and that the operator named.
	Despite []checklist.Check `json:"despite,omitempty"`
	Output  []string          `json:"output,omitempty"` // lines of the script, as they came
}

// Taken is what became of one step.
type Taken struct {
	Status  Status
	Since   time.Time // when it came to that
	Tries   int
	By      string
	Command string
	Process *process.Group // of the command, until its end is known
	Despite []checklist.Check
	Message string   // how it ended
	Output  []string // the last lines of the last try
}

// keptOutput is how many lines of a try a record keeps; the journal has more.
const keptOutput = 200

// Record is how far a node is on its way out of the cluster. The fold of the run's events
// calls Become; Objection and Word decide by it. The zero value has not begun.
type Record struct {
	Host  *host.Host
	steps [3]Taken // in the order of Steps
}

// Become is the transition that an event tells of, by whom and with what message.
func (r *Record) Become(f Facts, by, message string, at time.Time) {
	i := slices.Index(Steps, f.Step)
	if i < 0 {
		return // of a later version
	}
	t := &r.steps[i]
	if f.Host != nil {
		r.Host = f.Host
	}
	if f.Status == Running {
		*t = Taken{Tries: t.Tries + 1, By: by, Command: f.Command, Despite: f.Despite}
	}
	if f.Status != "" {
		t.Status, t.Since, t.Message = f.Status, at, message
	}
	if f.Process != nil || f.Status != "" {
		t.Process = f.Process
	}
	t.Output = append(slices.Clip(t.Output), f.Output...)
	t.Output = t.Output[max(0, len(t.Output)-keptOutput):]
}

// Of is what became of a step.
func (r *Record) Of(s Step) Taken {
	if i := slices.Index(Steps, s); i >= 0 {
		return r.steps[i]
	}
	return Taken{}
}

// Next is the step that is due, "" where the node is retired.
func (r *Record) Next() Step {
	for i, s := range Steps {
		if r.steps[i].Status != Done {
			return s
		}
	}
	return ""
}

// Begun reports whether a step was ever taken.
func (r *Record) Begun() bool { return r.steps[0].Tries > 0 }

// Did reports whether a step is done.
func (r *Record) Did(s Step) bool { return r.Of(s).Status == Done }
