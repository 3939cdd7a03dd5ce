package report

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The reports of a run that ended, that is live, and whose process died with a
// request on its way.
func TestReports(t *testing.T) {
	dead := aDrain()
	dead.add(0, drain.Event{Kind: drain.EventBudget, Namespace: "shop", BudgetState: tempbudget.Planned, Budget: &tempbudget.Facts{Namespace: "shop", Name: "kdrain-web"}})
	dead.add(0, drain.Event{Kind: drain.EventBudget, Namespace: "shop", BudgetState: tempbudget.Created, Budget: &tempbudget.Facts{Namespace: "shop", Name: "kdrain-web", UID: "b1"}})
	dead.ask(time.Second, "api-1")
	for name, r := range map[string]Report{
		"ended": Of(aDrain().ended(), false), "live": Of(aDrain().events, true), "dead": Of(dead.events, false),
	} {
		if string(r.Status) != name {
			t.Errorf("status %s of the run that is %s", r.Status, name)
		}
		golden(t, name+".md", r.Markdown())
		golden(t, name+".txt", r.Story())
		text, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name+".json", string(text)+"\n")
		checkChart(t, r.Markdown())
	}
}

// The time that a pod is held is one span whatever is tried and said within it,
// and sums to what the state says it was blocked.
func TestHeldTimeIsWhatTheStateSays(t *testing.T) {
	r := Of(aDrain().ended(), false)
	for _, n := range r.Nodes {
		for _, p := range n.Pods {
			sum := 0.0
			for _, s := range p.Timeline {
				if s.State.Blocked() {
					sum += s.Seconds
				}
			}
			if d := sum - p.BlockedSeconds; d > 0.001 || d < -0.001 {
				t.Errorf("%s: spans of %gs, blocked for %gs", p.Name, sum, p.BlockedSeconds)
			}
		}
	}
	if len(r.Blockers) != 2 || r.Blockers[0].For != waits.ForFinalizers || r.Blockers[0].Seconds != 600 {
		t.Fatalf("blockers %+v", r.Blockers)
	}
	b := r.Blockers[1]
	if b.Budget != "shop/api" || b.UnhealthyPod == nil || b.UnhealthyPod.Node != "worker-9" || b.UnhealthyPod.Reason != "ImagePullBackOff" || len(b.Pods) != 1 {
		t.Errorf("blocker %+v", b)
	}
}

// Two pods held at once by the same budget: the time counts once, and once for
// each pod.
func TestCoveredTime(t *testing.T) {
	at := func(from, seconds int) Span {
		return Span{From: noon.Add(time.Duration(from) * time.Second), Seconds: float64(seconds)}
	}
	for want, spans := range map[float64][]Span{
		0: nil, 10: {at(0, 10), at(2, 3)}, 15: {at(5, 10), at(0, 10)}, 20: {at(0, 10), at(30, 10)},
	} {
		if got := covered(spans); got != want {
			t.Errorf("%v cover %gs, want %gs", spans, got, want)
		}
	}
}

// Names, reasons and a server's words cannot become markup, and cannot break the
// chart: whatever they hold stays within a code span of its cell. What is left to do is
// prose, in which only the words that could be markup are code.
func TestHostileTextStaysText(t *testing.T) {
	evil := "x`y``z| a<script>alert(1)</script> @everyone #1 [a](http://e) \\| ![i](http://e/i.png)\n```\n# boo\x1b]0;t\x07; %% c"
	c := aDrain()
	c.events[0].Run.Options.Reason = evil
	c.events[0].Run.User = evil
	for i := range c.events[0].Run.Pods {
		c.events[0].Run.Pods[i].Name = evil
	}
	c.events[0].Run.Nodes[0].Name, c.events[0].Run.Pods[0].Node = evil, evil
	c.add(0, drain.Event{Kind: drain.EventConnection, Message: evil})
	text := Of(c.events, false).Markdown()
	checkChart(t, text)
	before, rest, _ := strings.Cut(text, "```mermaid\n")
	_, behind, _ := strings.Cut(rest, "\n```\n")
	for line := range strings.Lines(before + behind) {
		outside := strings.TrimSpace(codeSpan.ReplaceAllStringFunc(line, func(span string) string {
			if strings.Contains(strings.ReplaceAll(span, `\|`, ""), "|") {
				t.Errorf("a free pipe in %q", span)
			}
			return ""
		}))
		forbidden := []string{"<script", "@", "http", "`", "boo", "[a]"}
		if strings.HasPrefix(line, "- [ ] ") { // in which "boo" is a word like others
			forbidden = []string{"<", "@", "http", "`", "[a]", "#", "!", `\`}
		}
		for _, bad := range forbidden {
			if strings.Contains(outside, bad) {
				t.Errorf("%q is outside of code: %q in %q", bad, outside, line)
			}
		}
	}
	if strings.ContainsAny(text, "\x1b\x07") {
		t.Error("a control character")
	}
}

// codeSpan matches the spans that the fixtures make: fences of one, of three and of four.
var codeSpan = regexp.MustCompile("```` .*? ````|``` .*? ```|`[^`]*`")

func TestProse(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "node worker-1.eu (\"a b\"), 5s at 12:00:07: done; 50%": "node worker-1.eu (\"a b\"), 5s at 12:00:07: done; 50%",
		"pod shop/db-0 is on @ada #1":              "pod shop/db-0 is on `@ada` `#1`",
		"see https://e.x, http:x :tada: www.e.x":   "see `https://e.x,` `http:x` `:tada:` `www.e.x`",
		"*a* _b_ ~c~ <i> [d](e) ![f] a&lt; $g$ \\": "`*a*` `_b_` `~c~` `<i>` `[d](e)` `![f]` `a&lt;` `$g$` `\\`",
		"` `` a`b\n# c":                            "`` ` `` ``` `` ``` `` a`b `` `#` c",
		strings.Repeat("x", 300):                   strings.Repeat("x", textInTable-1) + "…",
	} {
		if got := prose(text); got != want {
			t.Errorf("prose(%q) = %q, want %q", text, got, want)
		}
	}
}

// Only the command of something left to do is code, and it is never cut.
func TestWhatIsLeftToDoIsProse(t *testing.T) {
	long := strings.Repeat("y", textInTable)
	m := &markdown{}
	m.toDo(Report{ToDo: []ToDo{{What: "node a was left cordoned", Command: "kdrain-tui uncordon a"}, {What: "wait"}, {What: "run", Command: "x" + long}}})
	want := "## Left to do\n\n- [ ] node a was left cordoned: `kdrain-tui uncordon a`\n- [ ] wait\n- [ ] run: `x" + long[1:] + "`<br>`y`\n\n"
	if got := m.b.String(); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
}

func TestCode(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a": "`a`", "a|b": "`a\\|b`", `a\|b`: "`a\\ \\|b`", "a`b": "`` a`b ``", "`": "`` ` ``", "a\nb": "`a b`",
		strings.Repeat("x", 300): "`" + strings.Repeat("x", textInTable-1) + "…`",
	} {
		if got := code(text); got != want {
			t.Errorf("code(%q) = %q, want %q", text, got, want)
		}
	}
}

// ganttLine are the statements that our charts are made of; parsed by
// mermaid 11 too when they were written.
var ganttLine = regexp.MustCompile(`^gantt$|^    (title [\w ./()-]+|dateFormat YYYY-MM-DD HH:mm:ss\.SSS|axisFormat [%\w: -]+|` +
	`section [\w ./()-]+|(blocked|gone|stuck|ends) [\w ./()-]+ :((crit|done|active), )\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})$`)

func checkChart(t *testing.T, markdown string) {
	t.Helper()
	_, rest, found := strings.Cut(markdown, "```mermaid\n")
	chart, _, ended := strings.Cut(rest, "\n```")
	if !found || !ended {
		t.Fatalf("no chart in\n%s", markdown)
	}
	for line := range strings.SplitSeq(chart, "\n") {
		if !ganttLine.MatchString(line) {
			t.Errorf("not of the grammar: %q", line)
		}
	}
}

// A chart of many pods shows the longest and says how many it does not.
func TestChartIsBounded(t *testing.T) {
	r := Report{Run: "k7f3pm", Nodes: []Node{{Name: "worker-1"}}}
	for i := range 200 {
		r.Nodes[0].Pods = append(r.Nodes[0].Pods, Pod{Namespace: "shop", Name: fmt.Sprintf("web-%d", i), State: eviction.Gone, Action: plan.ActionEvict,
			Timeline: []Span{{State: eviction.Terminating, From: noon, Seconds: float64(i)}, {State: eviction.Gone, From: noon}}})
	}
	chart, leftOut := r.gantt()
	if bars := strings.Count(chart, " :done"); bars != ganttMost || leftOut != 140 || !strings.Contains(chart, "web-199 ") || strings.Contains(chart, "web-139 ") {
		t.Errorf("%d bars, %d left out\n%s", bars, leftOut, chart)
	}
	if text := r.Markdown(); !strings.Contains(text, "The 60 longest are shown, 140 are left out.") || !strings.Contains(text, "And 80 quicker pods") {
		t.Error(text)
	}
}

// Every option is in the command once it is not as usual.
func TestCommandTellsEveryOption(t *testing.T) {
	usual := plan.DefaultOptions()
	usual.LeaseNamespace = kube.DefaultLeaseNamespace
	plain := plan.Target{}.Drain([]string{"worker-1"}, usual)
	if plain != "kdrain-tui drain worker-1" {
		t.Error(plain)
	}
	fields := reflect.TypeFor[plan.Options]()
	for i := range fields.NumField() {
		o := usual
		field := reflect.ValueOf(&o).Elem().Field(i)
		switch field.Kind() {
		case reflect.Bool:
			field.SetBool(true)
		case reflect.Int, reflect.Int32, reflect.Int64:
			field.SetInt(int64(7 * time.Second))
		case reflect.String:
			field.SetString("it's")
		case reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 2, 2))
			field.Index(0).SetString("x")
		default:
			continue // the parsed selector
		}
		if (plan.Target{}).Drain([]string{"worker-1"}, o) == plain {
			t.Errorf("%s is not told", fields.Field(i).Name)
		}
	}
	o := usual
	o.IgnoreDaemonSets, o.DeleteEmptyDirData, o.GracePeriodSeconds, o.Timeout = true, true, 5, 90*time.Second
	o.SkipWaitForDelete, o.ExcludeFromLB, o.Honor, o.MaxParallelNodes = 7*time.Second, time.Minute, []plan.Honored{plan.HonorClusterAPI, plan.HonorClusterAutoscaler}, 0
	o.Reason, o.DryRun = "it's time", plan.DryRunServer
	want := "kdrain-tui drain 'a b' worker-2 --context=prod --ignore-daemonsets --delete-emptydir-data --grace-period=5 --timeout=1m30s" +
		" --skip-wait-for-delete-timeout=7 --dry-run=server --max-parallel-nodes=0 --reason='it'\\''s time'" +
		" --honor=cluster-api,cluster-autoscaler --exclude-from-lb=1m0s"
	if got := (plan.Target{Context: "prod"}).Drain([]string{"a b", "worker-2"}, o); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A report may be of a run that sent nothing.
func TestReportOfNothing(t *testing.T) {
	events := aDrain().events[:1]
	events = append(events, drain.Event{Seq: 2, Time: noon, Kind: drain.EventRunEnded, Outcome: drain.OutcomeRefused})
	r := Of(events, false)
	text := r.Markdown()
	if !strings.Contains(text, "Nothing was sent.") || strings.Contains(text, "mermaid") || strings.Contains(text, "left cordoned") {
		t.Error(text)
	}
	if r.Requests[attempt.VerbEvict] != 0 || kube.Clean(r.Story()) == "" {
		t.Error(r.Story())
	}
}

// What a run changed beside its evictions is in the report for a person: remedies of
// remedies, volumes that stayed, a cordon that it took over.
func TestReportTellsOfRemediesVolumesAndAdoptedCordons(t *testing.T) {
	c := aDrain()
	c.add(0, drain.Event{Kind: drain.EventNode, Node: "worker-1", NodeState: drain.NodeCordoning,
		Message: "takes over the cordon of run dead01 by bob"})
	facts := &remedy.Facts{ID: 1, Kind: remedy.Scale, For: "shop/api-1", Object: "ReplicaSet", Namespace: "shop", Name: "api", From: 2, To: 3}
	c.add(0, drain.Event{Kind: drain.EventRemedy, Remedy: facts, RemedyState: remedy.Requested, By: "ada"})
	c.add(0, drain.Event{Kind: drain.EventRemedy, Remedy: facts, RemedyState: remedy.Undone, By: "ada"})
	c.add(0, drain.Event{Kind: drain.EventVolumes, Node: "worker-1", Message: "not safe to power off: 1 volume is still attached"})
	story := Of(c.events, true).Story()
	for _, want := range []string{
		"takes over the cordon of run dead01 by bob",
		"  remedies   shop/api-1: ReplicaSet shop/api from 2 to 3 replicas, undone\n",
		"not safe to power off: 1 volume is still attached",
	} {
		if !strings.Contains(story, want) {
			t.Errorf("no %q in\n%s", want, story)
		}
	}
}

// A run that was suspended did not die: whoever reads of it can go on with it.
func TestASuspendedRunIsNotCalledDead(t *testing.T) {
	c := aDrain()
	facts := &remedy.Facts{ID: 1, Kind: remedy.OutOfService, For: "shop/api-1", Name: "worker-1"}
	c.add(0, drain.Event{Kind: drain.EventRemedy, Remedy: facts, RemedyState: remedy.Done, By: "ada"})
	c.add(0, drain.Event{Kind: drain.EventControl, Command: drain.CommandSuspend, By: "signal", Message: "suspended by SIGHUP"})
	r := Of(c.events, false)
	if r.Status != StatusSuspended {
		t.Errorf("status %s", r.Status)
	}
	wanted := []ToDo{
		{What: "the run was suspended: resume it", Command: "kdrain-tui --context=prod resume k7f3pm"},
		{What: "node worker-1 has the out-of-service taint of this run: once its machine is back",
			Command: "kubectl --context=prod taint node worker-1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute-"},
	}
	for _, want := range wanted {
		if !slices.ContainsFunc(r.ToDo, func(t ToDo) bool { return t.What == want.What && t.Command == want.Command }) {
			t.Errorf("no %q among %+v", want.What, r.ToDo)
		}
	}
	// As the dashboard says it, which has no events.
	if text := OfState(drain.Fold(nil, c.events...)).Result(nil).Text(); !strings.Contains(text, "Suspended on worker-1") {
		t.Error(text)
	}
	for _, text := range []string{r.Story(), r.Markdown()} {
		if strings.Contains(text, "died") || strings.Contains(text, "under way") || !strings.Contains(text, "uspended") {
			t.Error(text)
		}
	}
	if again := Of(c.events, true); again.Status != StatusLive {
		t.Errorf("status %s of a run that another process goes on with", again.Status)
	}
}

// The eviction of a pod was accepted before its run was aborted: it is not to be looked after as one that stays.
func TestAPodThatEndsIsNotSaidToStay(t *testing.T) {
	c := aDrain()
	c.pod(0, "api-1", eviction.Terminating, nil)
	c.add(0, drain.Event{Kind: drain.EventRunEnded, Outcome: drain.OutcomeAborted})
	r := Of(c.events, false)
	want := ToDo{What: "pod shop/api-1 is on its way off worker-1: see that it ends"}
	if !slices.ContainsFunc(r.ToDo, func(t ToDo) bool { return t.What == want.What }) {
		t.Errorf("no %q among %+v", want.What, r.ToDo)
	}
}
