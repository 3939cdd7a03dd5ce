// Package webhook lets a process of the lab judge evictions, as the admission webhook of a controller does.
package webhook

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	hooksv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Hook is an admission webhook for evictions.
type Hook struct {
	Name      string // of the configuration in the cluster, and of the webhook
	Namespace string // whose evictions it judges, "" for all
	// Judge returns nil to allow an eviction. Requests come in parallel.
	Judge func(context.Context, *admissionv1.AdmissionRequest) *metav1.Status
}

// The API server reads a new configuration some time after it was made. Evictions of a pod that does not exist show
// when it asks the webhook: webhooks are asked before the pod is looked up.
const (
	probe    = "asked-by-the-api-server"
	asked    = "the API server asks this webhook"
	patience = 30 * time.Second
)

// Serve serves the webhook on 127.0.0.1 and returns when the API server asks it. end takes the webhook away; it works
// also when the context has ended.
func Serve(ctx context.Context, client kubernetes.Interface, hook Hook) (end func() error, err error) {
	server := httptest.NewTLSServer(hook)
	hooks := client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	remove := func() error {
		err := hooks.Delete(context.WithoutCancel(ctx), hook.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete the webhook configuration %s: %w", hook.Name, err)
		}
		return nil
	}
	end = func() error {
		defer server.Close()
		return remove()
	}
	// A process that was killed leaves its own behind.
	if err := remove(); err != nil {
		return nil, errors.Join(err, end())
	}
	if _, err := hooks.Create(ctx, hook.configuration(server), metav1.CreateOptions{}); err != nil {
		return nil, errors.Join(fmt.Errorf("make the webhook configuration %s: %w", hook.Name, err), end())
	}
	if err := hook.wait(ctx, client); err != nil {
		return nil, errors.Join(err, end())
	}
	return end, nil
}

func (h Hook) configuration(server *httptest.Server) *hooksv1.ValidatingWebhookConfiguration {
	effects, always := hooksv1.SideEffectClassNoneOnDryRun, hooksv1.Fail
	var namespaces *metav1.LabelSelector
	if h.Namespace != "" {
		namespaces = &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: h.Namespace}}
	}
	return &hooksv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: h.Name},
		Webhooks: []hooksv1.ValidatingWebhook{{
			Name: h.Name, SideEffects: &effects, FailurePolicy: &always, AdmissionReviewVersions: []string{"v1"},
			ClientConfig: hooksv1.WebhookClientConfig{
				URL:      &server.URL,
				CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
			},
			NamespaceSelector: namespaces,
			Rules: []hooksv1.RuleWithOperations{{
				Operations: []hooksv1.OperationType{hooksv1.Create},
				Rule: hooksv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"},
					Resources: []string{"pods/eviction"}},
			}},
		}},
	}
}

func (h Hook) wait(ctx context.Context, client kubernetes.Interface) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	namespace := h.Namespace
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: probe}}
	for {
		err := client.PolicyV1().Evictions(namespace).Evict(ctx, eviction)
		if err != nil && strings.Contains(err.Error(), asked) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until webhook %s is asked: %w; last answer: %w", h.Name, context.Cause(ctx), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// ServeHTTP answers the API server.
func (h Hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
		http.Error(w, "no review", http.StatusBadRequest)
		return
	}
	var refusal *metav1.Status
	if review.Request.Name == probe {
		refusal = &metav1.Status{Code: http.StatusTeapot, Message: asked}
	} else {
		refusal = h.Judge(r.Context(), review.Request)
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: refusal == nil, Result: refusal}
	review.Request = nil
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review) // the server that asked sees it
}
