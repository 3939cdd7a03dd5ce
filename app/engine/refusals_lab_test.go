//go:build lab

package engine

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// Refusals that are no budget's: an admission webhook, priority and
// fairness, a missing right.

func TestLabMissingRight(t *testing.T) {
	t.Parallel()
	forEachBudget(t, func(s *stage, o plan.Options, covered func(Source, string, int32)) {
		a := s.addNode("a")
		here := s.addPod("web", a)
		bob := s.addPerson("bob",
			rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"nodes", "pods"}, Verbs: []string{"get", "list", "watch", "patch", "delete"}},
			rbacv1.PolicyRule{APIGroups: []string{"apps", "policy"}, Resources: []string{"daemonsets", "poddisruptionbudgets"}, Verbs: []string{"get", "list", "watch"}})
		c := s.connect(bob)
		w := s.watch(c)
		s.running(w, here)
		covered(w, "web", 1)

		r := s.drain(w, c, o, a)
		p := r.pod(here, eviction.Failed)
		r.answered(p, http.StatusForbidden, `cannot create resource "pods/eviction"`)
		if state := r.ends(drain.OutcomePartly); p.Attempts != 1 || state.Node(a).State != drain.NodeFailed {
			s.Errorf("%d attempts, node %s", p.Attempts, state.Node(a).State)
		}
		r.onlyEvicted(here)
		live, err := s.client.CoreV1().Pods(s.namespace).Get(s.Context(), here.Name, metav1.GetOptions{})
		if err != nil || live.UID != here.UID || live.DeletionTimestamp != nil {
			s.Errorf("the pod was touched: %v %v", live, err)
		}
	})
}

// forEachBudget runs the test of an answer for pods without a budget, and for pods
// whose budget has room: it is no budget that refuses, and with the flags of a run
// that deletes pods past their budgets none of them is deleted. covered waits until
// the budget, if there is one, counts the pods of an app.
func forEachBudget(t *testing.T, test func(s *stage, o plan.Options, covered func(w Source, app string, pods int32))) {
	t.Helper()
	eachBudget(t, func(s *stage, o plan.Options, covered func(Source, string, int32)) {
		s.Parallel()
		test(s, o, covered)
	})
}

// eachBudget is forEachBudget, one after the other: for what freezes a controller.
func eachBudget(t *testing.T, test func(s *stage, o plan.Options, covered func(w Source, app string, pods int32))) {
	t.Helper()
	for name, budget := range map[string]bool{"no budget": false, "a budget with room": true} {
		t.Run(name, func(t *testing.T) {
			o := bareOptions()
			o.ForceAfter, o.MaxEvictRetries = time.Second, 1
			s := newStage(t)
			test(s, o, func(w Source, app string, pods int32) {
				if budget {
					s.addBudget(app, app, 0)
					s.budgetHas(w, app, pods, pods)
				}
			})
		})
	}
}

// onlyEvicted fails the test where the pod was deleted past its budget, or ever
// said to wait for one.
func (r *labRun) onlyEvicted(p *corev1.Pod) {
	r.s.Helper()
	if state := r.State(); state.Sent[attempt.VerbDelete] != 0 || state.Pod(p.UID).BudgetRefusals != 0 {
		r.s.Errorf("sent %v, %d refusals count as the budget's", state.Sent, state.Pod(p.UID).BudgetRefusals)
	}
	for _, e := range r.Events(0) {
		if e.Kind == drain.EventPod && e.UID == p.UID && (e.PodState == eviction.BudgetBlocked || e.PodState == eviction.MultipleBudgets) {
			r.s.Errorf("%s is said to wait for its budget:\n%s", p.Name, r.story())
			return
		}
	}
}

// refuseUntilMigrated adds a webhook that answers 429 with these words until the test sets the flag.
func (s *stage) refuseUntilMigrated(words string) (migrated *atomic.Bool) {
	s.Helper()
	migrated = new(atomic.Bool)
	s.addWebhook(func(http.ResponseWriter) *metav1.Status {
		if migrated.Load() {
			return nil
		}
		return &metav1.Status{Code: http.StatusTooManyRequests, Message: words}
	})
	return migrated
}

func TestLabWebhookDenies(t *testing.T) {
	t.Parallel()
	forEachBudget(t, func(s *stage, o plan.Options, covered func(Source, string, int32)) {
		a := s.addNode("a")
		here := s.addPod("vm", a)
		const words = "Eviction triggered evacuation of VMI vm"
		migrated := s.refuseUntilMigrated(words)
		c := s.connect("")
		w := s.watch(c)
		s.running(w, here)
		covered(w, "vm", 1)

		r := s.drain(w, c, o, a)
		p := r.pod(here, eviction.WebhookWait)
		r.answered(p, http.StatusTooManyRequests, words)
		if p.Wait.For != waits.ForWebhook || !strings.Contains(p.Wait.Words, words) || p.Wait.Until.IsZero() {
			s.Errorf("waits for %+v", p.Wait)
		}
		p = r.tried(here)
		r.answered(p, http.StatusTooManyRequests, words)
		// The third try is the run's own, when its pause is over.
		state := r.until("the webhook has denied three times", func(state *drain.State) bool { return state.Pod(here.UID).Refusals >= 3 })
		r.answered(state.Pod(here.UID), http.StatusTooManyRequests, words)
		migrated.Store(true)
		r.Send(drain.Command{Kind: drain.CommandRetry, Pod: here.UID, By: "ada"})
		r.pod(here, eviction.Gone)
		r.ends(drain.OutcomeDone)
		r.onlyEvicted(here)
	})
}

// A webhook that is broken refuses every eviction for reasons of its own; that
// never ends a pod.
func TestLabWebhookBroken(t *testing.T) {
	t.Parallel()
	forEachBudget(t, func(s *stage, o plan.Options, covered func(Source, string, int32)) {
		a := s.addNode("a")
		here := s.addPod("vm", a)
		var well atomic.Bool
		s.addWebhook(func(w http.ResponseWriter) *metav1.Status {
			if !well.Load() {
				http.Error(w, "out of order", http.StatusBadGateway)
			}
			return nil
		})
		c := s.connect("")
		w := s.watch(c)
		s.running(w, here)
		covered(w, "vm", 1)

		r := s.drain(w, c, o, a)
		p := r.pod(here, eviction.WebhookWait)
		r.answered(p, http.StatusInternalServerError, "failed calling webhook")
		r.until("it was tried four times", func(state *drain.State) bool { return state.Pod(here.UID).Refusals >= 4 })
		well.Store(true)
		r.pod(here, eviction.Gone)
		r.ends(drain.OutcomeDone)
		r.onlyEvicted(here)
	})
}

// While one eviction of carol's is on its way, priority and fairness rejects the
// others: that is no budget, and holds back all that the run sends.
func TestLabThrottled(t *testing.T) {
	t.Parallel()
	forEachBudget(t, func(s *stage, o plan.Options, covered func(Source, string, int32)) {
		a, b := s.addNode("a"), s.addNode("b")
		pods := []*corev1.Pod{s.addPod("web", a), s.addPod("web", a)}
		others := []*corev1.Pod{s.addPod("web", b), s.addPod("web", b)} // room for both, however late a watch is
		carol := s.addPerson("carol",
			rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}})
		s.throttle(carol)
		held, release := context.WithCancel(s.Context())
		s.addWebhook(func(http.ResponseWriter) *metav1.Status { <-held.Done(); return nil })
		s.Cleanup(release) // else the webhook's server would wait for ever, too
		c := s.connect(carol)
		w := s.watch(c)
		s.running(w, append(others, pods...)...)
		covered(w, "web", 4)
		s.throttled(carol)

		r := s.drain(w, c, o, a)
		state := r.until("an eviction is throttled", func(state *drain.State) bool {
			return state.Pod(pods[0].UID).State == eviction.Throttled || state.Pod(pods[1].UID).State == eviction.Throttled
		})
		release()
		for _, p := range pods {
			run := state.Pod(p.UID)
			if run.State != eviction.Throttled {
				continue
			}
			if run.Last.Code != http.StatusTooManyRequests || run.Last.RetryAfterSeconds < 1 || run.Wait.For != waits.ForServer {
				s.Errorf("%+v, waits for %+v", run.Last, run.Wait)
			}
			if strings.Contains(run.Last.Words(), "budget") {
				s.Errorf("throttling is told as a budget: %q", run.Last.Words())
			}
		}
		for _, p := range pods {
			r.pod(p, eviction.Gone)
		}
		r.ends(drain.OutcomeDone)
		for _, p := range pods {
			r.onlyEvicted(p)
		}
	})
}

// addPerson lets somebody in whom ada may speak for.
func (s *stage) addPerson(name string, rules ...rbacv1.PolicyRule) string {
	s.Helper()
	full := s.namespace + "-" + name
	meta := metav1.ObjectMeta{Name: full}
	roles, bindings := s.client.RbacV1().ClusterRoles(), s.client.RbacV1().ClusterRoleBindings()
	_, err := roles.Create(s.Context(), &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{})
	s.must(err)
	s.afterwards(func(ctx context.Context) error { return roles.Delete(ctx, full, metav1.DeleteOptions{}) })
	_, err = bindings.Create(s.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: full},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: full}},
	}, metav1.CreateOptions{})
	s.must(err)
	s.afterwards(func(ctx context.Context) error { return bindings.Delete(ctx, full, metav1.DeleteOptions{}) })
	for _, rule := range rules {
		s.poll("the API server knows the rights of "+name, func() bool { return s.knowsRight(full, rule) })
	}
	return full
}

// knowsRight asks the API server, which hears of roles and bindings by watches, and
// refuses what it has not heard of yet.
func (s *stage) knowsRight(person string, rule rbacv1.PolicyRule) bool {
	s.Helper()
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				resource, subresource, _ := strings.Cut(resource, "/")
				review, err := s.client.AuthorizationV1().SubjectAccessReviews().Create(s.Context(), &authorizationv1.SubjectAccessReview{
					Spec: authorizationv1.SubjectAccessReviewSpec{User: person, ResourceAttributes: &authorizationv1.ResourceAttributes{
						Group: group, Resource: resource, Subresource: subresource, Verb: verb}},
				}, metav1.CreateOptions{})
				s.must(err)
				if !review.Status.Allowed {
					return false
				}
			}
		}
	}
	return true
}

// addWebhook lets a real admission webhook, served here over TLS, judge the
// evictions in the namespace of the test: nil allows, a status refuses.
func (s *stage) addWebhook(judge func(http.ResponseWriter) *metav1.Status) {
	s.Helper()
	var asked atomic.Bool
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review struct {
			Request struct {
				UID  string `json:"uid"`
				Name string `json:"name"`
			} `json:"request"`
		}
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var refusal *metav1.Status
		if review.Request.Name == absentee {
			asked.Store(true)
		} else {
			refusal = judge(w)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
			"response": map[string]any{"uid": review.Request.UID, "allowed": refusal == nil, "status": refusal},
		})
	}))
	s.Cleanup(server.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	fail, none, seconds := admissionregistrationv1.Fail, admissionregistrationv1.SideEffectClassNone, int32(30)
	hooks := s.client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	_, err := hooks.Create(s.Context(), &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: s.namespace},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "evictions.test.kdrain-tui.dev", AdmissionReviewVersions: []string{"v1"},
			FailurePolicy: &fail, SideEffects: &none, TimeoutSeconds: &seconds,
			ClientConfig:      admissionregistrationv1.WebhookClientConfig{URL: &server.URL, CABundle: authority},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: s.namespace}},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods/eviction"}},
			}},
		}},
	}, metav1.CreateOptions{})
	s.must(err)
	s.afterwards(func(ctx context.Context) error { return hooks.Delete(ctx, s.namespace, metav1.DeleteOptions{}) })
	s.poll("the API server asks the webhook", func() bool {
		s.evictNobody("")
		return asked.Load()
	})
}

// throttle gives the evictions of somebody a priority level without any seats:
// one request passes at a time, the others are rejected.
func (s *stage) throttle(person string) {
	s.Helper()
	none := int32(0)
	levels, schemas := s.client.FlowcontrolV1().PriorityLevelConfigurations(), s.client.FlowcontrolV1().FlowSchemas()
	_, err := levels.Create(s.Context(), &flowcontrolv1.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: s.namespace},
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: &none, BorrowingLimitPercent: &none,
				LimitResponse: flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
			},
		},
	}, metav1.CreateOptions{})
	s.must(err)
	s.afterwards(func(ctx context.Context) error { return levels.Delete(ctx, s.namespace, metav1.DeleteOptions{}) })
	_, err = schemas.Create(s.Context(), &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: s.namespace},
		Spec: flowcontrolv1.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: s.namespace},
			MatchingPrecedence:         2,
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: person}}},
				ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
					Verbs: []string{"create"}, APIGroups: []string{""}, Resources: []string{"pods/eviction"}, Namespaces: []string{"*"},
				}},
			}},
		},
	}, metav1.CreateOptions{})
	s.must(err)
	s.afterwards(func(ctx context.Context) error { return schemas.Delete(ctx, s.namespace, metav1.DeleteOptions{}) })
}

// throttled waits until the API server has taken the schema over.
func (s *stage) throttled(person string) {
	s.Helper()
	schema, err := s.client.FlowcontrolV1().FlowSchemas().Get(s.Context(), s.namespace, metav1.GetOptions{})
	s.must(err)
	s.poll("its evictions are in the schema of the test", func() bool {
		return s.evictNobody(person).Get("X-Kubernetes-PF-FlowSchema-UID") == string(schema.UID)
	})
}

// absentee is the name of a pod that does not exist: its eviction changes nothing,
// and passes through all that stands before the eviction of a pod.
const absentee = "absentee"

// evictNobody returns the headers of the answer.
func (s *stage) evictNobody(person string) http.Header {
	s.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubetest.LabSetting(s.T, "KDRAIN_LAB_KUBECONFIG"))
	s.must(err)
	config.Impersonate.UserName = person
	client, err := rest.HTTPClientFor(config)
	s.must(err)
	defer client.CloseIdleConnections()
	body := `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"` + absentee + `","namespace":"` + s.namespace + `"}}`
	request, err := http.NewRequestWithContext(s.Context(), http.MethodPost,
		config.Host+"/api/v1/namespaces/"+s.namespace+"/pods/"+absentee+"/eviction", strings.NewReader(body))
	s.must(err)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	s.must(err)
	s.must(response.Body.Close())
	return response.Header
}

// poll asks again and again for what no watch tells.
func (s *stage) poll(what string, holds func() bool) {
	s.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !holds(); <-tick.C {
		if time.Now().After(deadline) {
			s.Fatalf("it does not come to where %s", what)
		}
	}
}
