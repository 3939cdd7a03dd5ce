package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestPlanText(t *testing.T) {
	b := newBench(t, smallCluster())
	b.expect(t, ExitRefused, nil, "plan", "worker-1", "node/worker-2", "--ignore-daemonsets")
	golden(t, "plan.txt", b.out.String())
	if b.err.Len() > 0 {
		t.Errorf("standard error: %s", b.err)
	}
	if strings.Contains(b.out.String(), "\x1b") {
		t.Error("colour outside of a terminal")
	}
}

func TestPlanTextInASCII(t *testing.T) {
	b := newBench(t, smallCluster())
	b.run("plan", "worker-1", "--ignore-daemonsets", "--ascii")
	for _, r := range b.out.String() {
		if r > 126 {
			t.Fatalf("%q in:\n%s", r, b.out)
		}
	}
}

// What is not recreated once it is gone is said next to the pod, with how to keep
// what nobody else keeps.
func TestPlanTextSaysWhatIsNotRecreated(t *testing.T) {
	objects := []runtime.Object{node("worker-1", "blue", false), pod("worker-1", "bare", "", "", true), pod("worker-1", "lost-1", "ReplicaSet", "lost", true)}
	b := newBench(t, kubetest.SnapshotOf(noon, objects...))
	says(t, b, []string{"plan", "worker-1", "--force"},
		"shop/bare    -                no controller recreates it; deleting Pods that declare no controller\n",
		"shop/lost-1  ReplicaSet/lost  its ReplicaSet lost is gone: it will not be recreated\n",
		"warning  not recreated by their owners: Pod shop/lost-1\n",
		"  shop/lost-1\n    save it first\n      kubectl --context=prod get pod -n shop lost-1 -o yaml\n",
	)
}

// says runs a command that succeeds and looks for words in what it prints.
func says(t *testing.T, b *bench, args []string, words ...string) {
	t.Helper()
	b.expect(t, ExitDone, nil, args...)
	for _, w := range words {
		if !strings.Contains(b.out.String(), w) {
			t.Errorf("%v does not say %q:\n%s", args, w, b.out)
		}
	}
}

// A temporary budget of the run itself is counted like any other.
func TestPlanTextCountsTheGuard(t *testing.T) {
	objects := []runtime.Object{node("worker-1", "blue", false), replicaSet("web", 3)}
	for _, name := range []string{"web-1", "web-2", "web-3"} {
		objects = append(objects, pod("worker-1", name, "ReplicaSet", "web", true))
	}
	b := newBench(t, kubetest.SnapshotOf(noon, objects...))
	b.expect(t, ExitRefused, nil, "plan", "worker-1", "--guard=1") // no node has room for a replacement, which the others wait for
	for _, w := range []string{
		"shop/web-1  ReplicaSet/web  no node can take its replacement: ",
		"; the temporary budget for ReplicaSet/web needs 2 healthy pods and has 3: it allows 1 now",
		"blocked        shop/web-2  ReplicaSet/web  waits for the replacement of shop/web-1, which leaves first and lands nowhere",
		"A drain would not complete by itself: 2 blocked\n", "Waves: 1 now, 2 once they are no longer blocked.\n",
	} {
		if !strings.Contains(b.out.String(), w) {
			t.Errorf("no %q:\n%s", w, b.out)
		}
	}
}

func TestPlanInColour(t *testing.T) {
	b := newBench(t, smallCluster())
	b.Terminal = Terminal{Out: true, Color: true}
	b.run("plan", "worker-1")
	if !strings.Contains(b.out.String(), "\x1b[31mrefused\x1b[0m") {
		t.Errorf("no colour on a terminal that takes it:\n%q", b.out)
	}
	b.out.Reset()
	b.run("plan", "worker-1", "--no-color")
	if strings.Contains(b.out.String(), "\x1b") {
		t.Error("colour with --no-color")
	}
}

func TestPlanJSON(t *testing.T) {
	b := newBench(t, smallCluster())
	b.expect(t, ExitRefused, nil, "plan", "worker-1", "worker-2", "--ignore-daemonsets", "-o", "json", "--timeout=90s")
	golden(t, "plan.json", b.out.String())
}

// The fields of the contract are there under their names, also where they say
// nothing: null and [] are not left out.
func TestPlanJSONHasEveryField(t *testing.T) {
	b := newBench(t, smallCluster())
	b.run("plan", "worker-1", "-o", "json")
	var plan map[string]any
	if err := json.Unmarshal(b.out.Bytes(), &plan); err != nil {
		t.Fatal(err)
	}
	has := func(what string, object any, fields string) map[string]any {
		m := object.(map[string]any)
		for _, f := range strings.Fields(fields) {
			if _, ok := m[f]; !ok {
				t.Errorf("%s lacks %s", what, f)
			}
		}
		return m
	}
	p := has("plan", plan, "schema context server takenAt options nodes findings drainable verdict")
	if v := has("verdict", p["verdict"], "end level text"); v["end"] != "Refused" || v["level"] != "error" || !strings.HasPrefix(v["text"].(string), "A drain would not complete by itself: ") {
		t.Errorf("verdict %v", v)
	}
	if p["schema"] != "kdrain-tui/plan/v1" {
		t.Errorf("schema %v", p["schema"])
	}
	n := has("node", p["nodes"].([]any)[0], "name uid ready unschedulable drainable pods")
	for _, pod := range n["pods"].([]any) {
		m := has("pod", pod, "namespace name uid owner action reasons effects budget wave landing")
		for _, e := range m["effects"].([]any) {
			has("effect", e, "effect level")
		}
		if m["budget"] != nil {
			has("budget", m["budget"], "verdict names why")
		}
		if m["landing"] != nil {
			has("landing", m["landing"], "answer why together")
		}
	}
}

func TestPlanExitCodes(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		code int
	}{
		"a budget that blocks now can pass": {[]string{"worker-1", "--ignore-daemonsets"}, ExitDone},
		"a refused pod":                     {[]string{"worker-1"}, ExitRefused},
		"a bare pod":                        {[]string{"worker-2"}, ExitRefused},
		"a bare pod with --force":           {[]string{"worker-2", "--force"}, ExitDone},
		"past all budgets":                  {[]string{"worker-1", "--ignore-daemonsets", "--disable-eviction"}, ExitDone},
		"an unknown node":                   {[]string{"worker-9"}, ExitError},
		"by label":                          {[]string{"-l", "pool=green"}, ExitRefused},
	} {
		t.Run(name, func(t *testing.T) {
			newBench(t, smallCluster()).expect(t, test.code, nil, append([]string{"plan"}, test.args...)...)
		})
	}
}

func TestPlanNeedsItsRules(t *testing.T) {
	b := newBench(t, smallCluster())
	b.denied = []string{"list pods"}
	b.expect(t, ExitPermission, []string{"ada may not list pods (context prod)", "nothing was changed"}, "plan", "worker-1")
	if b.writer.writes() > 0 || !b.opened[0].ReadOnly {
		t.Error("plan is not read only")
	}
}
