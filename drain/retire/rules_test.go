package retire

import (
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/host"
	"github.com/kdrain-tui/kdrain-tui/drain/process"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

var (
	there   = &kube.Node{Name: "a", UID: "1"}
	another = &kube.Node{Name: "a", UID: "2"}
	safe    = checklist.Verdict{Safe: true}
	unsafe  = checklist.Verdict{Why: []checklist.Reason{{Check: checklist.CheckNode, Message: "silent", Unknown: true},
		{Check: checklist.CheckClaims, Message: "claim x"}, {Check: checklist.CheckClaims, Message: "claim y"}}}
)

// done is a record of which those steps are done.
func done(steps ...Step) *Record {
	r := &Record{}
	for _, s := range steps {
		r.Become(Facts{Step: s, Status: Running, Host: &host.Host{Node: "a"}}, "ada", "", time.Unix(1, 0))
		r.Become(Facts{Step: s, Status: Done}, "", "", time.Unix(2, 0))
	}
	return r
}

func TestObjection(t *testing.T) {
	for _, c := range []struct {
		name   string
		record *Record
		step   Step
		seen   Seen
		says   string // "" where it may be taken
	}{
		{"stop first", done(), StepStop, Seen{UID: "1", Trusted: true, Node: there, Verdict: safe}, ""},
		{"an unsafe node is the matter of the confirmation", done(), StepStop, Seen{UID: "1", Trusted: true, Node: there, Verdict: unsafe}, ""},
		{"delete before stop", done(), StepDelete, Seen{UID: "1", Trusted: true, Node: there, Verdict: safe}, "first stop the kubelet"},
		{"clean before delete", done(StepStop), StepClean, Seen{UID: "1", Trusted: true, Node: there, Verdict: safe}, "first delete the Node object"},
		{"delete", done(StepStop), StepDelete, Seen{UID: "1", Trusted: true, Node: there, Verdict: safe}, ""},
		{"delete of a node that is gone", done(StepStop), StepDelete, Seen{UID: "1", Trusted: true, Node: nil, Verdict: safe}, ""},
		{"delete of a namesake", done(StepStop), StepDelete, Seen{UID: "1", Trusted: true, Node: another, Verdict: safe}, "another Node object has the name now (2)"},
		{"clean of a host that joined again", done(StepStop, StepDelete), StepClean, Seen{UID: "1", Trusted: true, Node: another, Verdict: safe}, "is not touched"},
		{"delete without a view", done(StepStop), StepDelete, Seen{UID: "1", Trusted: false, Node: nil, Verdict: safe}, "not up to date"},
		{"stop of a machine that is not known", done(), StepStop, Seen{UID: "1", Trusted: true, Node: nil, Verdict: safe}, "not known which machine"},
		{"stop again", done(StepStop), StepStop, Seen{UID: "1", Trusted: true, Node: there, Verdict: safe}, "stop is done; the next step is to delete"},
		{"clean", done(StepStop, StepDelete), StepClean, Seen{UID: "1", Trusted: true, Node: nil, Verdict: unsafe}, ""},
		{"stop of a node in use again", done(), StepStop, Seen{UID: "1", Trusted: true, Node: there, InUse: "it was uncordoned"}, "unable to stop the kubelet: it was uncordoned; retire the node again"},
		{"delete of a node in use again", done(StepStop), StepDelete, Seen{UID: "1", Trusted: true, Node: there, InUse: "it was uncordoned"}, "unable to delete the Node object: it was uncordoned"},
		{"nothing left", done(Steps...), StepClean, Seen{UID: "1", Trusted: true, Node: nil, Verdict: safe}, "is retired"},
		{"no step", done(), "reboot", Seen{UID: "1", Trusted: true, Node: there, Verdict: safe}, "there is no step"},
	} {
		err := c.record.Objection(c.step, "a", c.seen)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
}

// What is typed names each line of the checklist that is not true, while there is a node
// to judge.
func TestWord(t *testing.T) {
	for _, c := range []struct {
		step Step
		seen Seen
		want string
	}{
		{StepStop, Seen{UID: "1", Trusted: true, Node: there, Verdict: safe}, "a"},
		{StepStop, Seen{UID: "1", Trusted: true, Node: there, Verdict: unsafe}, "a despite Node,Claims"},
		{StepDelete, Seen{UID: "1", Trusted: true, Node: there, Verdict: unsafe}, "a despite Node,Claims"},
		{StepDelete, Seen{UID: "1", Trusted: true, Node: nil, Verdict: unsafe}, "a"},
		{StepClean, Seen{UID: "1", Trusted: true, Node: nil, Verdict: unsafe}, "a"},
	} {
		if got := Word(c.step, "a", c.seen); got != c.want {
			t.Errorf("%s: %q, want %q", c.step, got, c.want)
		}
		for _, typed := range []string{"", "a", "a despite Node", "a despite Node,Claims", "b"} {
			if err := Accepts(typed, c.step, "a", c.seen); (err == nil) != (typed == c.want) {
				t.Errorf("%s: %q is accepted: %v", c.step, typed, err)
			}
		}
	}
}

// A step that failed or was cut short is due again, and its output is that of the last try.
func TestRecord(t *testing.T) {
	r := Record{}
	at := time.Unix(10, 0)
	r.Become(Facts{Step: StepStop, Status: Running, Command: "ssh a", Despite: []checklist.Check{"Node"}}, "ada", "", at)
	r.Become(Facts{Step: StepStop, Output: []string{"one"}}, "", "", at)
	before := r
	r.Become(Facts{Step: StepStop, Output: []string{"two"}}, "", "", at)
	if got := before.Of(StepStop).Output; len(got) != 1 {
		t.Errorf("an older state changed: %q", got)
	}
	if r.Next() != StepStop || !r.Begun() {
		t.Errorf("cut short: next %q", r.Next())
	}
	r.Become(Facts{Step: StepStop, Status: Failed}, "", "exited with 1", at.Add(time.Second))
	if got := r.Of(StepStop); r.Next() != StepStop || got.Message != "exited with 1" || got.By != "ada" || strings.Join(got.Output, " ") != "one two" || len(got.Despite) != 1 {
		t.Errorf("failed: %+v", got)
	}
	r.Become(Facts{Step: StepStop, Status: Running}, "bob", "", at)
	r.Become(Facts{Step: "reboot", Status: Done}, "", "", at) // of a later version
	if got := r.Of(StepStop); got.Tries != 2 || got.Output != nil || got.Message != "" {
		t.Errorf("again: %+v", got)
	}
	for range 3 {
		r.Become(Facts{Step: StepStop, Output: make([]string, keptOutput)}, "", "", at)
	}
	r.Become(Facts{Step: StepStop, Status: Done}, "", "", at)
	if len(r.Of(StepStop).Output) != keptOutput || r.Next() != StepDelete {
		t.Errorf("%d lines, next %q", len(r.Of(StepStop).Output), r.Next())
	}
}

func TestTies(t *testing.T) {
	for name, c := range map[string]struct {
		node kube.Node
		says string
	}{
		"none":        {kube.Node{}, ""},
		"Karpenter":   {kube.Node{Finalizers: []string{"karpenter.sh/termination"}}, "Karpenter made this node: deleting the Node object terminates its machine"},
		"a NodeClaim": {kube.Node{Owners: []kube.Owner{{APIVersion: "karpenter.sh/v1", Kind: "NodeClaim", Name: "x"}}}, "Karpenter"},
		"Cluster API": {kube.Node{Annotations: map[string]string{"cluster.x-k8s.io/machine": "m\x1b[31m"}}, "from Machine m"},
		"an owner":    {kube.Node{Owners: []kube.Owner{{Kind: "Machine", Name: "x"}}}, "a controller owns this node"},
	} {
		if got := TiesOf(&c.node).Warning; !strings.Contains(got, c.says) || (got == "") != (c.says == "") || strings.ContainsRune(got, '\x1b') {
			t.Errorf("%s: %q", name, got)
		}
	}
	lines := TiesOf(&kube.Node{Finalizers: []string{"f"}, Owners: []kube.Owner{{Kind: "K", Name: "n"}}, ProviderID: "aws:///i-1"}).Lines()
	if got := strings.Join(lines, "; "); got != "finalizers: f; owned by: K/n; provider id: aws:///i-1" {
		t.Error(got)
	}
}

// Only a name that a shell takes as it is gets into a command line.
func TestHostCommand(t *testing.T) {
	if got, err := HostCommand("ssh {node} sudo sh -s -- --yes # {node}", "worker-1.example"); err != nil || got != "ssh worker-1.example sudo sh -s -- --yes # worker-1.example" {
		t.Error(got, err)
	}
	for _, name := range []string{"", "-oProxyCommand=x", "a;b", "a b", "$(x)", "a\nb", "A"} {
		if got, err := HostCommand("ssh {node}", name); err == nil {
			t.Errorf("%q: %s", name, got)
		}
	}
}

// A command that still runs is joined by no other; one that may still run has to be named.
func TestACommandWhoseEndIsNotKnown(t *testing.T) {
	r := &Record{}
	r.Become(Facts{Step: StepStop, Status: Running, Command: "ssh a", Host: &host.Host{Node: "a"}}, "ada", "", time.Unix(1, 0))
	r.Become(Facts{Step: StepStop, Process: &process.Group{ID: 7, Host: "h"}}, "", "", time.Unix(1, 0))
	r.Become(Facts{Step: StepStop, Output: []string{"one"}}, "", "", time.Unix(1, 0))
	seen := Seen{UID: "1", Trusted: true, Node: there, Verdict: safe}
	for _, c := range []struct {
		command    process.Seen
		says, word string
	}{
		{process.Seen{Life: process.Runs}, "still runs as process group 7 on host h", "a"},
		{process.Seen{Life: process.Unknown, Why: "another host"}, "", "a despite Command"},
		{process.Seen{Life: process.Ended}, "", "a"},
	} {
		seen.Command = c.command
		err := r.Objection(StepStop, "a", seen)
		if (err == nil) != (c.says == "") || err != nil && (!strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "kill -- -7")) {
			t.Errorf("%s: %v", c.command.Life, err)
		}
		if got := Word(StepStop, "a", seen); got != c.word || Word(StepClean, "a", seen) != c.word {
			t.Errorf("%s: %q, want %q", c.command.Life, got, c.word)
		}
		if c.command.Why != "" && !strings.Contains(seen.Sentence(), "whether its last command still runs: another host") {
			t.Error(seen.Sentence())
		}
	}
	r.Become(Facts{Step: StepStop, Status: Failed}, "", "", time.Unix(2, 0))
	if r.Of(StepStop).Process != nil {
		t.Error("its end is known")
	}
}
