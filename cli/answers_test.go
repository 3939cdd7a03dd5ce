package cli

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
)

// Answers that no lab can be made to give, through connection, engine and
// report. Each attempt is one request: client-go would repeat those with
// Retry-After by itself, up to ten times.
func TestAnswersOfAScriptedServer(t *testing.T) {
	for name, row := range map[string]struct {
		code    int
		headers map[string]string
		body    string
		want    eviction.State
		words   string
	}{
		"504 conflicts over the budget": {504, map[string]string{"Retry-After": "10"},
			refusal(504, "Timeout", `couldn't update PodDisruptionBudget "web" due to conflicts`), eviction.Retrying, "due to conflicts"},
		"403 negative status":  {403, nil, refusal(403, "Forbidden", "pdb disruptions allowed is negative"), eviction.BudgetSyncing, "is negative"},
		"403 too many evicted": {403, nil, refusal(403, "Forbidden", "DisruptedPods map too big - too many evictions not confirmed by PDB controller"), eviction.BudgetSyncing, "too big"},
		"500 of etcd":          {500, nil, refusal(500, "InternalError", "etcdserver: leader changed"), eviction.Retrying, "leader changed"},
		"503 shutting down":    {503, map[string]string{"Retry-After": "5"}, refusal(503, "ServiceUnavailable", "apiserver is shutting down"), eviction.Retrying, "shutting down"},
		"429 in plain text": {429, map[string]string{"Retry-After": "7", "X-Kubernetes-PF-FlowSchema-UID": "x"},
			"Too many requests, please try again later.\n", eviction.Throttled, "Too many requests"},
		"EOF":         {-1, nil, "", eviction.Retrying, ""},
		"400 invalid": {400, nil, refusal(400, "BadRequest", "name in URL does not match name in Eviction object"), eviction.Failed, "does not match"},
	} {
		t.Run(name, func(t *testing.T) {
			// A slow machine may have no time for the first attempt.
			for _, timeout := range []string{"300ms", "2s", "30s"} {
				s := newAPIServer(t, theNode(false), thePod())
				s.answer = func(r *http.Request, _ string, _ int) (int, map[string]string, string) {
					if r.Method != http.MethodPost {
						return 0, nil, ""
					}
					if row.code < 0 {
						panic(http.ErrAbortHandler)
					}
					return row.code, row.headers, row.body
				}
				b, code := s.runOn(t, "drain", "node", "--yes", "--force", "--timeout="+timeout, "-o", "json")
				pod := lastReport(t, b).Nodes[0].Pods[0]
				if pod.Attempts == 0 && timeout != "30s" {
					continue
				}
				if code != ExitPartly || pod.State != row.want || !strings.Contains(pod.LastWords, row.words) {
					t.Errorf("exit %d, %+v\n%s", code, pod, b.err)
				}
				if sent := s.sent("POST", "/eviction"); sent != pod.Attempts {
					t.Errorf("%d requests for %d attempts", sent, pod.Attempts)
				}
				return
			}
		})
	}
}

func lastReport(t *testing.T, b *bench) report.Report {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(b.out.String()), "\n")
	var last report.Report
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || len(last.Nodes) == 0 {
		t.Fatalf("%v\n%s%s", err, b.out, b.err)
	}
	return last
}

// The rights that kubectl drain needs are enough: nodes and DaemonSets are read
// by name where they may not be listed, and nothing may be watched.
func TestRightsOfKubectlAreEnough(t *testing.T) {
	s := newAPIServer(t, theNode(false), &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "ds", UID: "uid-ds"}},
		thePod(func(p *corev1.Pod) { p.Name, p.UID = "agent", "uid-agent"; daemonPod(p) }), thePod())
	for _, collection := range []string{"/api/v1/nodes", "/apis/apps/v1/daemonsets", "/apis/policy/v1/poddisruptionbudgets",
		"/apis/apps/v1/replicasets", "/apis/apps/v1/deployments", "/apis/apps/v1/statefulsets", "/apis/batch/v1/jobs"} {
		s.forbidden[collection] = true
	}
	b, code := s.runOn(t, "plan", "node/node", "--force", "--ignore-daemonsets")
	if code != ExitDone || !strings.Contains(b.out.String(), "ignoring DaemonSet-managed Pods") {
		t.Errorf("plan: exit %d\n%s%s", code, b.out, b.err)
	}
	if b, code = s.runOn(t, "cordon", "node"); code != ExitDone {
		t.Errorf("cordon: exit %d\n%s%s", code, b.out, b.err)
	}
	if b, code = s.runOn(t, "drain", "node", "--force", "--ignore-daemonsets", "--yes"); code != ExitDone || s.sent("POST", "/eviction") != 1 {
		t.Errorf("drain: exit %d\n%s%s", code, b.out, b.err)
	}
	b, code = s.runOn(t, "drain", "-l", "pool=blue", "--yes")
	if code != ExitPermission || !strings.Contains(b.err.String(), "list nodes") {
		t.Errorf("a selector needs to list: exit %d\n%s", code, b.err)
	}
	if _, code = s.runOn(t, "drain", "other", "--yes"); code != ExitError {
		t.Errorf("a node that does not exist: exit %d", code)
	}
}

// Where DaemonSets may not be listed, one that is made during a drain is read by name when
// its pod comes to the node: that is no reason to stop.
func TestADaemonSetMadeDuringADrainIsReadByName(t *testing.T) {
	s := newAPIServer(t, theNode(false), thePod())
	s.forbidden["/apis/apps/v1/daemonsets"] = true
	s.answer = func(r *http.Request, name string, attempt int) (int, map[string]string, string) {
		if r.Method == http.MethodPost && attempt == 1 {
			s.change("ADDED", &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "agent", UID: "uid-owner"}})
			s.change("ADDED", thePod(ownedBy("apps/v1", "DaemonSet", "agent"), func(p *corev1.Pod) {
				p.Name, p.UID, p.CreationTimestamp = "agent-1", "uid-agent-1", metav1.Now()
				p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
			}))
		}
		return 0, nil, ""
	}
	if b, code := s.runOn(t, "drain", "node", "--force", "--ignore-daemonsets", "--yes"); code != ExitDone {
		t.Errorf("exit %d\n%s%s", code, b.out, b.err)
	}
}

// The server says yes to each pod alone; one budget lets only one go at a time,
// on whichever node of the run.
func TestServerDryRunAccountsOverTheWholeRun(t *testing.T) {
	second := theNode(false)
	second.Name, second.UID = "node-2", "uid-node-2"
	one, two := twoPods()
	two.Spec.NodeName = "node-2"
	b := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", UID: "uid-web", Generation: 1}}
	b.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"my_key": "my_value"}}
	b.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 1, DesiredHealthy: 2, CurrentHealthy: 3, DisruptionsAllowed: 1, ExpectedPods: 3}
	for _, p := range []*corev1.Pod{one, two} {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	s := newAPIServer(t, theNode(false), second, one, two, b)
	bench, code := s.runOn(t, "drain", "node", "node-2", "--force", "--dry-run=server")
	said := bench.err.String()
	if code != ExitDone || s.sent("POST", "/eviction") != 2 {
		t.Errorf("exit %d, %v\n%s", code, s.requests, said)
	}
	if strings.Contains(said, "pod default/mypod-1 would") || !strings.Contains(said, "pod default/mypod-2 would be accepted on its own, but has to wait") ||
		!strings.Contains(said, "1 pod of this run would wait for others") {
		t.Errorf("it says:\n%s", said)
	}
}
