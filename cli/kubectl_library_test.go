package cli

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The tables of k8s.io/kubectl v0.37.2 pkg/drain/*_test.go. Not here, as they are
// about Go interfaces of the library: TestFilterPods (additional filters),
// TestNewCordonHelperFromRuntimeObject, TestRunCordonOrUncordon (nil arguments).
// TestUpdateIfRequired and TestCordonHelper_PatchOrReplaceWithContext are rows of
// TestKubectlCordon and TestKubectlCordonFails.

func twoPods() (*corev1.Pod, *corev1.Pod) {
	return thePod(func(p *corev1.Pod) { p.Name, p.UID = "mypod-1", "uid-1" }),
		thePod(func(p *corev1.Pod) { p.Name, p.UID = "mypod-2", "uid-2" })
}

// pkg/drain TestCheckEvictionSupport and TestDeleteOrEvict: 3 + 4 rows.
func TestKubectlDeleteOrEvict(t *testing.T) {
	for _, row := range []struct {
		evictions string
		disabled  bool
		says      string
	}{
		{"v1", false, ""}, {"v1", true, ""},
		{"", false, "does not serve evictions"}, {"", true, ""},
		{"v1beta1", false, "policy/v1beta1 only"},
	} {
		t.Run(fmt.Sprintf("evictions=%s disabled=%v", row.evictions, row.disabled), func(t *testing.T) {
			one, two := twoPods()
			elsewhere := thePod(func(p *corev1.Pod) { p.Name, p.UID, p.Spec.NodeName = "mypod-3", "uid-3", "other" })
			s := newAPIServer(t, theNode(false), one, two, elsewhere)
			s.evictions = row.evictions
			b, code := s.runOn(t, "drain", "node", "--yes", "--force", "--grace-period=10", fmt.Sprintf("--disable-eviction=%v", row.disabled))
			evicted, deleted := s.sent("POST", "/eviction"), s.sent("DELETE", "")
			if wantEvicted := row.evictions != "" && !row.disabled; code != ExitDone || evicted != map[bool]int{true: 2}[wantEvicted] || evicted+deleted != 2 {
				t.Errorf("exit %d, %d evicted, %d deleted\n%s", code, evicted, deleted, b.err)
			}
			for i, r := range s.requests {
				if strings.Contains(r, "/pods/") && !strings.Contains(s.bodies[i], `"gracePeriodSeconds":10`) {
					t.Errorf("%s: %s", r, s.bodies[i])
				}
				if strings.HasSuffix(r, "/eviction") && !strings.Contains(s.bodies[i], `"apiVersion":"policy/`+row.evictions+`"`) {
					t.Errorf("%s: %s", r, s.bodies[i])
				}
			}
			if !strings.Contains(b.err.String(), row.says) || s.sent("DELETE", "mypod-3")+s.sent("POST", "mypod-3/eviction") > 0 {
				t.Errorf("standard error lacks %q:\n%s\n%v", row.says, b.err, s.requests)
			}
		})
	}
}

// pkg/drain TestDeleteOrEvictWithDryRunServer: 2 rows.
func TestKubectlServerDryRun(t *testing.T) {
	for _, disabled := range []bool{false, true} {
		one, two := twoPods()
		s := newAPIServer(t, theNode(false), one, two)
		b, code := s.runOn(t, "drain", "node", "--force", "--dry-run=server", fmt.Sprintf("--disable-eviction=%v", disabled))
		if sent := s.sent("POST", "/eviction") + s.sent("DELETE", ""); code != ExitDone || sent != 2 || len(s.objects["/api/v1/pods"]) != 2 {
			t.Errorf("exit %d, %d requests, %d pods left\n%s", code, sent, len(s.objects["/api/v1/pods"]), b.err)
		}
	}
}

// pkg/drain TestEvictDuringNamespaceTerminating: 2 rows.
func TestKubectlNamespaceTerminating(t *testing.T) {
	refused := `{"kind":"Status","apiVersion":"v1","status":"Failure","code":403,"reason":"Forbidden",` +
		`"message":"namespace is terminating","details":{"causes":[{"reason":"NamespaceTerminating"}]}}`
	for goes, want := range map[bool]int{true: ExitDone, false: ExitPartly} {
		s := newAPIServer(t, theNode(false), thePod())
		s.answer = func(r *http.Request, _ string, _ int) (int, map[string]string, string) {
			if r.Method != http.MethodPost {
				return 0, nil, ""
			}
			if goes {
				s.change("DELETED", thePod())
			}
			return 403, nil, refused
		}
		if b, code := s.runOn(t, "drain", "node", "--yes", "--force", "--timeout=400ms"); code != want {
			t.Errorf("goes %v: exit %d\n%s%s", goes, code, b.out, b.err)
		}
	}
}

// pkg/drain TestSkipDeletedFilter: 3 rows. What is terminating and not skipped
// kubectl evicts again; we wait for it.
func TestKubectlSkipDeleted(t *testing.T) {
	for _, row := range []struct {
		deletedFor time.Duration
		waited     bool
	}{{0, true}, {time.Second, true}, {100 * time.Second, false}} {
		s := newAPIServer(t, theNode(false), thePod(func(p *corev1.Pod) {
			if row.deletedFor > 0 {
				at := metav1.NewTime(time.Now().Add(-row.deletedFor))
				p.DeletionTimestamp, p.Finalizers = &at, []string{"example.com/hold"}
			}
		}))
		b, code := s.runOn(t, "drain", "node", "--yes", "--force", "--skip-wait-for-delete-timeout=20", "--timeout=400ms")
		wantCode := map[bool]int{true: ExitPartly, false: ExitDone}[row.waited && row.deletedFor > 0]
		if evicted := s.sent("POST", "/eviction"); code != wantCode || evicted != map[bool]int{true: 1}[row.deletedFor == 0] {
			t.Errorf("deleted for %s: exit %d, %d evictions\n%s%s", row.deletedFor, code, evicted, b.out, b.err)
		}
	}
}

// pkg/drain TestDeletePods, as far as it is not the loop of a poll: a namesake
// ends the wait; a pod that does not go times out.
func TestKubectlWaitForDelete(t *testing.T) {
	for name, row := range map[string]struct {
		then func(s *apiServer)
		want int
	}{
		"wait for deleting to complete": {func(s *apiServer) { s.change("DELETED", thePod()) }, ExitDone},
		"same name but different UID": {func(s *apiServer) {
			s.change("DELETED", thePod())
			s.change("ADDED", thePod(func(p *corev1.Pod) { p.UID, p.Spec.NodeName = "SOME_OTHER_UID", "other" }))
		}, ExitDone},
		"deleting could timeout": {func(*apiServer) {}, ExitPartly},
	} {
		s := newAPIServer(t, theNode(false), thePod())
		s.answer = func(r *http.Request, _ string, _ int) (int, map[string]string, string) {
			if r.Method != http.MethodPost {
				return 0, nil, ""
			}
			row.then(s)
			return 201, nil, `{"kind":"Status","apiVersion":"v1","status":"Success"}`
		}
		if b, code := s.runOn(t, "drain", "node", "--yes", "--force", "--timeout=400ms"); code != row.want {
			t.Errorf("%s: exit %d\n%s%s", name, code, b.out, b.err)
		}
	}
}

// pkg/cmd/drain TestDrain "fail to list pods" and pkg/drain TestDeletePods
// "Client error could be passed out": kubectl gives up at the first failure of a
// request, we try again until the time is up.
func TestKubectlFailToListPods(t *testing.T) {
	s := newAPIServer(t, theNode(false), thePod(ownedBy("v1", "ReplicaSet", "rs")))
	s.answer = func(r *http.Request, _ string, attempt int) (int, map[string]string, string) {
		if r.Method == http.MethodPost && attempt == 1 {
			panic(http.ErrAbortHandler) // the connection breaks
		}
		return 0, nil, ""
	}
	b, code := s.runOn(t, "drain", "node", "--yes")
	if evictions := s.sent("POST", "/eviction"); code != ExitDone || evictions != 2 {
		t.Errorf("exit %d, %d evictions\n%s%s", code, evictions, b.out, b.err)
	}
}

// pkg/drain TestCordonHelper_PatchOrReplaceWithContext, the failing row: kubectl
// drain goes on without the cordon (kubectl#1568), we do not.
func TestKubectlCordonFails(t *testing.T) {
	s := newAPIServer(t, theNode(false), thePod())
	s.answer = func(r *http.Request, _ string, _ int) (int, map[string]string, string) {
		if r.Method == http.MethodPatch {
			return 422, nil, refusal(422, "Invalid", "fake update error")
		}
		return 0, nil, ""
	}
	b, code := s.runOn(t, "drain", "node", "--yes", "--force")
	if code != ExitPartly || s.sent("POST", "/eviction") != 0 || !strings.Contains(b.err.String(), "fake update error") {
		t.Errorf("exit %d, %v\n%s", code, s.requests, b.err)
	}
	if b, code := s.runOn(t, "cordon", "node"); code != ExitError || !strings.Contains(b.err.String(), `unable to cordon node "node"`) {
		t.Errorf("cordon: exit %d\n%s", code, b.err)
	}
}
