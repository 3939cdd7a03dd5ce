package main

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/lab/webhook"
)

// webhookRule is which evictions an admission webhook refuses.
type webhookRule struct {
	Percent int    // of all evictions
	Always  string // the app whose evictions are all refused, "" for none
	Code    int    // of its refusals
}

// hookName is the name of the configuration in the cluster.
const hookName = "soak.kdrain-tui.dev"

// admit starts the webhook of the world, if it has one. What it returns ends it.
func (b builder) admit(ctx context.Context, w world) (end func() error, err error) {
	if w.Webhook == nil {
		return func() error { return nil }, nil
	}
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(uint64(w.Run), 7))
	judge := func(_ context.Context, request *admissionv1.AdmissionRequest) *metav1.Status {
		mu.Lock()
		defer mu.Unlock()
		if !w.Webhook.refuses(request.Name, rng) {
			return nil
		}
		return &metav1.Status{Code: int32(w.Webhook.Code), Message: "the soak refuses this one"}
	}
	return webhook.Serve(ctx, b.client, webhook.Hook{Name: hookName, Judge: judge})
}

func (r webhookRule) refuses(pod string, rng *rand.Rand) bool {
	if app := r.Always; app != "" && (pod == app || strings.HasPrefix(pod, app+"-")) {
		return true
	}
	return chance(rng, r.Percent)
}
