package drain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// TestScripts plays the scripts of testdata/step: a cluster, what happens in it and
// what a run then decides. testdata/step/README.md says how to read and write them;
// -rewrite fills in what is decided.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/step", func(t *testing.T, path string) {
		if !strings.HasSuffix(path, ".txt") {
			t.Skip("no script")
		}
		s := newScript()
		datadriven.RunTest(t, path, s.command)
		if s.state != nil {
			tellTheSame(t, s.events, s.state)
		}
	})
}

// script is one run in one cluster.
type script struct {
	*shownCluster
	state  *State
	events []Event          // all of the run, those that no journal keeps too
	out    map[uint64]Write // without an answer
	yes    bool             // every question is confirmed as it comes
	// replaced tells that what becomes of replacements is printed: most scripts have no owners.
	replaced bool
	wake     time.Time
	shown    map[remedy.Kind]remedy.Facts // the remedies as the operator saw them last
	checks   checks
	// controls counts the commands given by ctl.
	controls uint64
	text     strings.Builder // what the present command prints
}

func newScript() *script { return &script{shownCluster: newShownCluster(), out: map[uint64]Write{}} }

// command runs one command of a script; its input is what the watches show by then.
func (s *script) command(t *testing.T, d *datadriven.TestData) string {
	s.text.Reset()
	a := args{d.CmdArgs}
	if after := a.later(); after > 0 {
		s.now = s.now.Add(after)
	}
	s.change(d.Input)
	var err error
	switch d.Cmd {
	case "cluster":
		if s.state != nil {
			s.look()
		}
	case "drain":
		err = s.drain(a)
	case "confirm":
		err = s.confirm(a)
	case "answer":
		err = s.answer(a)
	case "command":
		err = s.control(a)
	case "remedies":
		err = s.remedies(a)
	case "journal":
		s.journal(a)
	case "tick":
		err = s.tick(a)
	case "resume":
		var lost int
		_, _ = fmt.Sscan(a.value("lost"), &lost)
		s.events = s.events[:len(s.events)-lost]
		if node := a.value("undone"); node != "" { // by a rollback that could not undo all
			s.events = append(Lasting(s.events), Event{Time: s.now, Kind: EventUndone, Node: node, CordonGone: true})
		}
		s.resume()
	default:
		err = fmt.Errorf("unknown command %s", d.Cmd)
	}
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	if text := s.text.String(); text != "" || s.state == nil {
		return text
	}
	return "nothing\n"
}

// args are the words after a command, "--" before them left out.
type args struct{ all []datadriven.CmdArg }

func (a args) words() (words []string) {
	for _, arg := range a.all {
		if len(arg.Vals) == 0 && arg.Key[0] != '+' {
			words = append(words, arg.Key)
		}
	}
	return words
}

// later is how long after the last command this one comes: "cluster +2s".
func (a args) later() (d time.Duration) {
	for _, arg := range a.all {
		if after, ok := strings.CutPrefix(arg.Key, "+"); ok {
			d, _ = time.ParseDuration(after)
		}
	}
	return d
}

func (a args) value(key string) string {
	for _, arg := range a.all {
		if arg.Key == key {
			return strings.Join(arg.Vals, ", ")
		}
	}
	return ""
}

func (a args) has(word string) bool { return slices.Contains(a.words(), word) }

// drain begins a run: "drain w1 w2 --force-after=1m --yes".
func (s *script) drain(a args) error {
	var line []string
	for _, arg := range a.all {
		word := arg.Key
		if len(arg.Vals) > 0 {
			word += "=" + strings.Join(arg.Vals, ",")
		}
		line = append(line, word)
	}
	options := plan.DefaultOptions()
	flags := options.Flags()
	flags.BoolVar(&s.yes, "yes", false, "")
	flags.BoolVar(&s.replaced, "replacements", false, "")
	kubeContext := flags.String("context", "lab", "")
	if err := flags.Parse(line); err != nil {
		return err
	}
	nodes := flags.Args()
	plan, err := plan.New(s.store.Snapshot(), nodes, options, s.now)
	if err != nil {
		return err
	}
	s.replaced = s.replaced || options.WaitReplacements > 0
	s.begin(plan, *kubeContext)
	s.look()
	return nil
}

// begin makes the run, which has not looked yet.
func (s *script) begin(plan plan.Plan, kubeContext string) {
	first := StartEvent(plan, RunFacts{ID: "r1", Context: kubeContext, User: "ada"})
	first.Seq, first.Time = 1, s.now
	s.events = []Event{first}
	s.state = Fold(nil, first)
}

// confirm confirms what the run asks, or says something else instead.
func (s *script) confirm(a args) error {
	q := s.state.Question
	if q == nil {
		return fmt.Errorf("the run asks nothing")
	}
	in := Confirm{Phase: q.Phase, Word: q.Word, By: "ada"}
	if words := a.words(); len(words) > 0 {
		in.Word = strings.Join(words, " ")
	}
	s.look(in)
	return nil
}

// answer gives the answers of one look: "answer #1 201 #2 429 budget". With "shown" the
// watch shows what the request did before its answer is here.
func (s *script) answer(a args) error {
	var inputs []Input
	for len(a.all) > 0 {
		n := 1
		for n < len(a.all) && !strings.HasPrefix(a.all[n].Key, "#") {
			n++
		}
		in, err := s.answerOne(args{a.all[:n]})
		if err != nil {
			return err
		}
		inputs, a.all = append(inputs, in), a.all[n:]
	}
	s.look(inputs...)
	return nil
}

func (s *script) answerOne(a args) (Input, error) {
	var id uint64
	if _, err := fmt.Sscanf(a.all[0].Key, "#%d", &id); err != nil {
		return nil, err
	}
	w, open := s.out[id]
	if !open {
		return nil, fmt.Errorf("no request #%d waits for an answer", id)
	}
	delete(s.out, id)
	words := slices.DeleteFunc(a.words()[1:], func(word string) bool { return word == "shown" })
	said, err := said(strings.Join(words, " "), w)
	if err != nil {
		return nil, err
	}
	if after := a.value("retry-after"); after != "" {
		said.RetryAfter, _ = time.ParseDuration(after)
	}
	if said.OK() {
		said.ResourceVersion, said.UID = s.nextVersion(), w.made()
	}
	if uid := a.value("uid"); uid != "" {
		said.UID = kube.UID(uid)
	}
	if a.has("shown") {
		s.show(w, said)
	}
	return Answered{Write: w, Answer: said}, nil
}

// control gives the run a command: "command skip web-1".
func (s *script) control(a args) error {
	words := a.words()
	c := Command{Kind: CommandKind(words[0]), By: "ada", Word: a.value("word"), OnScreen: a.has("screen")}
	if !c.OnScreen { // ctl waits until it is told what became of it
		s.controls++
		c.ID = s.controls
	}
	if slices.Contains(remedy.Kinds, remedy.Kind(words[0])) {
		c.Kind = CommandRemedy
		facts, word := s.remedy(remedy.Kind(words[0]), kube.UID(words[1]), a.has("as-shown"))
		c.Remedy = facts
		if c.Word == "" {
			c.Word = word
		}
	}
	if len(words) > 1 {
		if s.state.Node(words[1]) != nil {
			c.Node = words[1]
		} else {
			c.Pod = kube.UID(words[1])
		}
	}
	s.look(c)
	return nil
}

// remedy is the remedy for the pod as it is now, or what it offered when it was
// shown last.
func (s *script) remedy(kind remedy.Kind, pod kube.UID, asShown bool) (facts remedy.Facts, word string) {
	for _, r := range Remedies(s.state, s.store.Snapshot(), pod, s.now) {
		if r.Kind == kind {
			facts, word = r.Facts, r.Word
		}
	}
	if asShown {
		facts = s.shown[kind]
	}
	return facts, word
}

// remedies shows the remedies for a pod, as "ctl RUN remedies POD" does.
func (s *script) remedies(a args) error {
	s.shown = map[remedy.Kind]remedy.Facts{}
	for _, r := range Remedies(s.state, s.store.Snapshot(), kube.UID(a.words()[0]), s.now) {
		s.shown[r.Kind] = r.Facts
		switch {
		case r.DisabledReason != "":
			fmt.Fprintf(&s.text, "%s: off, %s\n", r.Kind, r.DisabledReason)
		case r.Word != "":
			fmt.Fprintf(&s.text, "%s: type %q\n", r.Kind, r.Word)
		}
	}
	return nil
}

// tick lets time pass: to the moment that the run wants to look at, or so long, with a
// look at every moment that it wants; "asleep" looks at the end only.
func (s *script) tick(a args) error {
	if len(a.all) == 0 {
		if s.wake.IsZero() {
			return fmt.Errorf("the run waits for no moment")
		}
		s.now = s.wake
		s.timed(func() { s.look() })
		return nil
	}
	d, err := time.ParseDuration(a.words()[0])
	if err != nil {
		return err
	}
	for end := s.now.Add(d); s.now.Before(end); {
		s.now = end
		if w := s.wake; !a.has("asleep") && !w.IsZero() && w.Before(end) {
			s.now = w
		}
		s.timed(func() { s.look() })
	}
	return nil
}

// timed prints what a look decides under the time of it; of several looks only the
// last says when the next one is due.
func (s *script) timed(look func()) {
	before := s.text.String()
	if i := strings.LastIndex(before, "wake "); i >= 0 && strings.Count(before[i:], "\n") == 1 {
		before = before[:i]
	}
	s.text.Reset()
	look()
	said := s.text.String()
	s.text.Reset()
	s.text.WriteString(before)
	if said != "" && !strings.HasPrefix(said, "wake ") {
		fmt.Fprintf(&s.text, "at %s\n", s.now.Sub(s.state.Started))
	}
	s.text.WriteString(said)
}

// journal tells the run that its journal cannot be written: "journal lost".
func (s *script) journal(a args) {
	if a.has("lost") {
		s.look(s.journalLost("no space left on device"))
		return
	}
	s.look(JournalNews{})
}

// resume lets another process go on with the run.
func (s *script) resume() {
	s.takeUp()
	s.look()
}

// takeUp lets another process read the journal of the run.
func (s *script) takeUp() {
	s.events = journalled(s.events)
	s.events = append(s.events, Event{Seq: uint64(len(s.events) + 1), Time: s.now, Kind: EventResumed})
	s.state, s.out, s.checks = Fold(nil, s.events...), map[uint64]Write{}, checks{brief: s.checks.brief}
}

// journalled are the events as a journal gives them back.
func journalled(events []Event) (read []Event) {
	for _, e := range Lasting(events) {
		e.Wait = e.Wait.Recorded()
		text, err := json.Marshal(e)
		if err != nil {
			panic(err)
		}
		var back Event
		if err := json.Unmarshal(text, &back); err != nil {
			panic(err)
		}
		read = append(read, back)
	}
	return read
}
