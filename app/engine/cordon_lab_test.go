//go:build lab

package engine

import (
	"context"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
)

// A node whose cordon a broken webhook refuses until the timeout fails, and no other.
func TestLabCordonRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.addNode("a"), s.addNode("b")
	stays, goes := s.addPod("web", a), s.addPod("web", b)
	c := s.connect("")
	w := s.watch(c)
	s.running(w, stays, goes)
	s.addDeadNodeWebhook(a)

	o := bareOptions()
	o.Timeout = time.Minute // what b may take, from its own turn on
	r := s.drain(w, c, o, a, b)
	r.pod(goes, eviction.Gone)
	state := r.ends(drain.OutcomePartly)
	n := state.Node(a)
	for _, words := range []string{"not cordoned within 1m: ", `failed calling webhook "nodes.test.kdrain-tui.dev"`} {
		if !strings.Contains(n.Message, words) {
			t.Errorf("node a: %q, want %q in it", n.Message, words)
		}
	}
	if n.State != drain.NodeFailed || n.Cordoned || n.CordonInDoubt || n.Attempts <= drain.CordonPatience || state.Node(b).State != drain.NodeDrained {
		t.Errorf("a is %s after %d cordons, cordoned %v, in doubt %v; b is %s", n.State, n.Attempts, n.Cordoned, n.CordonInDoubt, state.Node(b).State)
	}
	if live, err := s.client.CoreV1().Nodes().Get(s.Context(), a, metav1.GetOptions{}); err != nil || live.Spec.Unschedulable {
		t.Errorf("a on the server: %v, unschedulable %v", err, err == nil && live.Spec.Unschedulable)
	}
	if sent := state.Sent[attempt.VerbEvict]; sent != 1 || state.Pod(stays.UID).Attempts != 0 {
		t.Errorf("%d evictions, %d of them on a", sent, state.Pod(stays.UID).Attempts)
	}
}

// addDeadNodeWebhook lets a webhook that cannot be reached judge the changes of a node,
// and of no other: the lab is shared.
func (s *stage) addDeadNodeWebhook(node string) {
	s.Helper()
	fail, none, url := admissionregistrationv1.Fail, admissionregistrationv1.SideEffectClassNone, "https://127.0.0.1:1/"
	hooks := s.client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	s.afterwards(func(ctx context.Context) error { return hooks.Delete(ctx, s.namespace, metav1.DeleteOptions{}) })
	_, err := hooks.Create(s.Context(), &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: s.namespace},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "nodes.test.kdrain-tui.dev", AdmissionReviewVersions: []string{"v1"},
			FailurePolicy: &fail, SideEffects: &none,
			ClientConfig:   admissionregistrationv1.WebhookClientConfig{URL: &url},
			ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelHostname: node}},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Update},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"nodes"}},
			}},
		}},
	}, metav1.CreateOptions{})
	s.must(err)
	s.poll("the API server asks the webhook", func() bool {
		_, err := s.client.CoreV1().Nodes().Patch(s.Context(), node, mergePatch, []byte(`{"metadata":{"annotations":{"test":"asked"}}}`),
			metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		return apierrors.IsInternalError(err)
	})
}
