// Package operators plays controllers that move their pods themselves after a cordon or an eviction request, on the
// custom resources and budgets of the scene managed. Each does what decides about an eviction, and no more.
package operators

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/kdrain-tui/kdrain-tui/lab/webhook"
)

const (
	// takes is how long a controller needs for a switchover, a restart, a migration, ...
	takes = 3 * time.Second
	// every is how often the controllers look at the cluster.
	every = 200 * time.Millisecond
	// Ready is in the line that is written when all of them are ready.
	Ready = "playing the controllers until it is interrupted"
	// Blind is an annotation of a node whose cordon the controllers do not see until it is removed.
	Blind = "lab.kdrain-tui.dev/operators-blind"
)

// operators are the controllers. Their webhooks run beside them and use the clients only.
type operators struct {
	typed   kubernetes.Interface
	dynamic dynamic.Interface
	log     io.Writer
	since   map[string]time.Time // by what a controller does: when it began

	last map[types.UID]*corev1.Pod // by custom resource: a pod of it

	// What was there at the last look.
	pods     []corev1.Pod
	budgets  []policyv1.PodDisruptionBudget
	cordoned map[string]bool
}

// Play plays until the context ends.
func Play(ctx context.Context, config *rest.Config, log io.Writer) (err error) {
	o := &operators{log: log, since: map[string]time.Time{}, last: map[types.UID]*corev1.Pod{}}
	if o.typed, err = kubernetes.NewForConfig(config); err != nil {
		return fmt.Errorf("prepare a connection: %w", err)
	}
	if o.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return fmt.Errorf("prepare a connection: %w", err)
	}
	if err := o.look(ctx); err != nil {
		return fmt.Errorf("is the scene managed loaded? %w", err)
	}
	for _, hook := range []webhook.Hook{o.drainCleaner(), o.virtAPI()} {
		end, err := webhook.Serve(ctx, o.typed, hook)
		if err != nil {
			return err
		}
		defer func() {
			if err := end(); err != nil {
				fmt.Fprintln(log, "lab:", err)
			}
		}()
	}
	fmt.Fprintln(log, "lab:", Ready)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(every):
		}
		err := o.look(ctx)
		// Somebody else was quicker: the next look shows what is left to do.
		if err != nil && ctx.Err() == nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			fmt.Fprintln(log, "lab: playing the controllers:", err)
		}
	}
}

// look lets each controller do its next step. All have their turn, also after one has failed.
func (o *operators) look(ctx context.Context) error {
	pods, err := o.typed.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list pods: %w", err)
	}
	budgets, err := o.typed.PolicyV1().PodDisruptionBudgets("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list budgets: %w", err)
	}
	nodes, err := o.typed.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	o.pods, o.budgets, o.cordoned = pods.Items, budgets.Items, map[string]bool{}
	for _, node := range nodes.Items {
		if _, blind := node.Annotations[Blind]; node.Spec.Unschedulable && !blind {
			o.cordoned[node.Name] = true
		}
	}
	var failed []error
	for _, step := range []func(context.Context) error{
		o.cloudNativePG, o.strimzi, o.kubeVirt, o.elastic, o.rook, o.longhorn,
	} {
		failed = append(failed, step(ctx))
	}
	return errors.Join(failed...)
}

// over reports whether something that began when it was first asked about has taken its time.
func (o *operators) over(what string) bool {
	began, known := o.since[what]
	if !known {
		o.since[what] = time.Now()
		fmt.Fprintf(o.log, "lab: %s: begun\n", what)
		return false
	}
	return time.Since(began) >= takes
}
