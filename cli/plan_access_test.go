package cli

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// planLine is as much of `plan -o json` as tests read.
type planLine struct {
	Nodes []struct {
		Name string
		Pods []struct{ Name string }
	}
	Findings []plan.Finding
}

// Whoever may only look gets the plan all the same, and is told which rules a
// drain with the same flags lacks; the plan ends with the exit code of that drain.
func TestPlanNamesTheRightsThatADrainLacks(t *testing.T) {
	for _, test := range []struct {
		flags, denied, missing string
	}{
		{"", "patch nodes,create pods/eviction", "ada may not patch nodes, create pods/eviction: "},
		{"--disable-eviction", "delete pods,create pods/eviction", "ada may not delete pods: "},
		{"--guard=25% --guard-write", "create poddisruptionbudgets.policy", "ada may not create poddisruptionbudgets.policy: "},
		{"", "delete pods", ""},
	} {
		b := newBench(t, smallCluster())
		b.denied = strings.Split(test.denied, ",")
		code := ExitPermission
		if test.missing == "" {
			code = ExitDone
		}
		b.expect(t, code, nil, append([]string{"plan", "worker-1", "--ignore-daemonsets", "-o", "json"}, strings.Fields(test.flags)...)...)
		var planned planLine
		if err := json.Unmarshal(b.out.Bytes(), &planned); err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, f := range planned.Findings {
			if f.Code == plan.FindingAccess {
				said = f.Message
				if f.Level != plan.LevelError || len(f.Advice) == 0 || !strings.Contains(said, "exit code 5") {
					t.Errorf("finding %+v", f)
				}
			}
		}
		if (said == "") != (test.missing == "") || !strings.HasPrefix(said, test.missing) {
			t.Errorf("%q without %q: %q, want %q", test.flags, test.denied, said, test.missing)
		}
		if len(planned.Nodes) != 1 || len(planned.Nodes[0].Pods) == 0 {
			t.Error("the plan is gone")
		}
	}
}

// Without --landing a plan reads the pods of its nodes and namespaces, unless a flag needs all of them. Its pods and
// reasons are the same.
func TestPlanWithoutLandingReadsWhatADrainTouches(t *testing.T) {
	var first string
	for flags, whole := range map[string]bool{
		"": true, "--landing=on": true, "--landing=off": false, "--landing=off --guard=1": true,
	} {
		s := newAPIServer(t, theNode(false), thePod())
		serve, all := s.Config.Handler, atomic.Bool{}
		s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/v1/pods" && !r.URL.Query().Has("fieldSelector") {
				all.Store(true)
			}
			serve.ServeHTTP(w, r)
		})
		b, code := s.runOn(t, append([]string{"plan", "node", "--force"}, strings.Fields(flags)...)...)
		if code != ExitDone || all.Load() != whole {
			t.Errorf("%q: exit code %d, all pods read: %v\n%s%s", flags, code, all.Load(), b.out, b.err)
		}
		_, rows, _ := strings.Cut(b.out.String(), "FATE")
		rows, _, _ = strings.Cut(rows, "\n\n")
		if first == "" {
			first = rows
		}
		if rows != first || !strings.Contains(rows, "default/bar") {
			t.Errorf("%q: %s", flags, b.out)
		}
	}
}
