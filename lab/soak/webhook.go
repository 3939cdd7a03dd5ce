package main

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	admissionv1 "k8s.io/api/admission/v1"
	hooksv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// webhookRule is which evictions an admission webhook refuses.
type webhookRule struct {
	Percent int    // of all evictions
	Always  string // the app whose evictions are all refused, "" for none
	Code    int    // of its refusals
}

// hookName is the name of the configuration in the cluster.
const hookName = "soak.kdrain-tui.dev"

// hook is that webhook.
type hook struct {
	rule   webhookRule
	server *httptest.Server
	mu     sync.Mutex
	rng    *rand.Rand
}

// admit starts the webhook of the world, if it has one. What it returns ends it.
func (b builder) admit(ctx context.Context, w world) (end func() error, err error) {
	if w.Webhook == nil {
		return func() error { return nil }, nil
	}
	h := &hook{rule: *w.Webhook, rng: rand.New(rand.NewPCG(uint64(w.Run), 7))}
	h.server = httptest.NewTLSServer(h)
	hooks := b.client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	end = func() error {
		defer h.server.Close()
		err := hooks.Delete(context.WithoutCancel(ctx), hookName, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete the webhook configuration: %w", err)
		}
		return nil
	}
	none, always := hooksv1.SideEffectClassNone, hooksv1.Fail
	object := &hooksv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: hookName},
		Webhooks: []hooksv1.ValidatingWebhook{{
			Name: hookName, SideEffects: &none, FailurePolicy: &always, AdmissionReviewVersions: []string{"v1"},
			ClientConfig: hooksv1.WebhookClientConfig{
				URL:      &h.server.URL,
				CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.server.Certificate().Raw}),
			},
			Rules: []hooksv1.RuleWithOperations{{
				Operations: []hooksv1.OperationType{hooksv1.Create},
				Rule: hooksv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"},
					Resources: []string{"pods/eviction"}},
			}},
		}},
	}
	if _, err := hooks.Create(ctx, object, metav1.CreateOptions{}); err != nil {
		h.server.Close()
		return nil, fmt.Errorf("make the webhook configuration: %w", err)
	}
	return end, nil
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
		http.Error(w, "no review", http.StatusBadRequest)
		return
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: !h.refuses(review.Request.Name)}
	if !review.Response.Allowed {
		review.Response.Result = &metav1.Status{Code: int32(h.rule.Code), Message: "the soak refuses this one"}
	}
	review.Request = nil
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review) // the server that asked sees it
}

func (h *hook) refuses(pod string) bool {
	if app := h.rule.Always; app != "" && (pod == app || strings.HasPrefix(pod, app+"-")) {
		return true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return chance(h.rng, h.rule.Percent)
}
