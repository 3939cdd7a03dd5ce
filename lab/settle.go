package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// settle waits until the cluster is what the scene describes.
func (c *cluster) settle(ctx context.Context, s *scene) error {
	return poll(ctx, scenePatience, "the scene to settle", func(ctx context.Context) (string, error) {
		missing, err := c.unsettled(ctx, s)
		if len(missing) > 8 {
			missing = append(missing[:8], fmt.Sprintf("and %d more", len(missing)-8))
		}
		return strings.Join(missing, "; "), err
	})
}

// unsettled names what is not yet as it should be.
func (c *cluster) unsettled(ctx context.Context, s *scene) ([]string, error) {
	pods, err := c.typed.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	var missing []string
	for i := range pods.Items {
		if lacks := lacksOfPod(&pods.Items[i], s.dead); lacks != "" {
			missing = append(missing, fmt.Sprintf("pod %s/%s %s", pods.Items[i].Namespace, pods.Items[i].Name, lacks))
		}
	}
	for _, look := range []func(context.Context, *scene, []corev1.Pod) ([]string, error){
		c.unsettledNodes, c.unsettledWorkloads, c.unsettledBudgets, c.unsettledClaims,
	} {
		more, err := look(ctx, s, pods.Items)
		if err != nil {
			return nil, err
		}
		missing = append(missing, more...)
	}
	return missing, nil
}

// sickAs reports whether a container is in the state that its annotation asks for.
func sickAs(state corev1.ContainerState, sick string) bool {
	return sick == "Error" && state.Terminated != nil || state.Waiting != nil && state.Waiting.Reason == sick
}

func lacksOfPod(pod *corev1.Pod, dead []string) string {
	phase := pod.Status.Phase
	switch sick := pod.Annotations[ours+"sick"]; {
	case pod.Spec.NodeName == "":
		return "has no node"
	case pod.DeletionTimestamp != nil:
		if phase != corev1.PodSucceeded && phase != corev1.PodFailed {
			return "is still stopping"
		}
	case slices.Contains(dead, pod.Spec.NodeName):
		if ready(pod) {
			return "is not yet known to be lost with its node"
		}
	case sick != "":
		if statuses := pod.Status.ContainerStatuses; len(statuses) == 0 || !sickAs(statuses[0].State, sick) {
			return "is not yet sick"
		}
	case pod.Labels[ours+"finishes"] == "true":
		if phase != corev1.PodSucceeded {
			return "has not finished"
		}
	case phase != corev1.PodRunning || !ready(pod):
		return "is not ready"
	}
	return ""
}

func (c *cluster) unsettledNodes(ctx context.Context, s *scene, _ []corev1.Pod) ([]string, error) {
	var missing []string
	for _, name := range s.nodes {
		node, err := c.typed.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("get node %s: %w", name, err)
		}
		want, taint := corev1.ConditionTrue, false
		if slices.Contains(s.dead, name) {
			want, taint = corev1.ConditionUnknown, true
		}
		if nodeReady(node) != want {
			missing = append(missing, fmt.Sprintf("node %s has Ready=%s", name, nodeReady(node)))
			continue
		}
		tainted := slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
			return t.Key == corev1.TaintNodeUnreachable || t.Key == corev1.TaintNodeNotReady
		})
		if tainted != taint {
			missing = append(missing, fmt.Sprintf("node %s has not got the taints of its state", name))
		}
	}
	return missing, nil
}

func nodeReady(node *corev1.Node) corev1.ConditionStatus {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status
		}
	}
	return ""
}

// unsettledWorkloads looks whether the controllers have made all pods; how the
// pods fare is looked at pod by pod.
func (c *cluster) unsettledWorkloads(ctx context.Context, s *scene, pods []corev1.Pod) ([]string, error) {
	var missing []string
	for i := range s.placements {
		p := &s.placements[i]
		have := 0
		for j := range pods {
			if p.matches(&pods[j]) {
				have++
			}
		}
		if have != len(p.nodes) {
			missing = append(missing, fmt.Sprintf("%s has %d of %d pods", p.title, have, len(p.nodes)))
		}
	}
	sets, err := c.typed.AppsV1().DaemonSets("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list daemon sets: %w", err)
	}
	for _, set := range sets.Items {
		if set.Status.ObservedGeneration != set.Generation ||
			set.Status.CurrentNumberScheduled != set.Status.DesiredNumberScheduled ||
			int(set.Status.DesiredNumberScheduled) < len(s.nodes) {
			missing = append(missing, fmt.Sprintf("DaemonSet %s/%s has %d of %d pods", set.Namespace, set.Name,
				set.Status.CurrentNumberScheduled, len(s.nodes)))
		}
	}
	return missing, nil
}

// unsettledBudgets compares what the disruption controller has counted with our
// own count.
func (c *cluster) unsettledBudgets(ctx context.Context, _ *scene, pods []corev1.Pod) ([]string, error) {
	budgets, err := c.typed.PolicyV1().PodDisruptionBudgets("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list budgets: %w", err)
	}
	var missing []string
	for i := range budgets.Items {
		budget := &budgets.Items[i]
		healthy, err := countHealthy(budget, pods)
		if err != nil {
			return nil, err
		}
		status := budget.Status
		if status.ObservedGeneration != budget.Generation || int(status.CurrentHealthy) != healthy ||
			len(status.DisruptedPods) > 0 {
			missing = append(missing, fmt.Sprintf("budget %s/%s counts %d healthy pods of %d", budget.Namespace,
				budget.Name, status.CurrentHealthy, healthy))
		}
	}
	return missing, nil
}

func countHealthy(budget *policyv1.PodDisruptionBudget, pods []corev1.Pod) (int, error) {
	selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
	if err != nil {
		return 0, fmt.Errorf("read the selector of budget %s/%s: %w", budget.Namespace, budget.Name, err)
	}
	count := 0
	for i := range pods {
		pod := &pods[i]
		if pod.Namespace == budget.Namespace && selector.Matches(labels.Set(pod.Labels)) &&
			pod.DeletionTimestamp == nil && ready(pod) {
			count++
		}
	}
	return count, nil
}

func (c *cluster) unsettledClaims(ctx context.Context, _ *scene, _ []corev1.Pod) ([]string, error) {
	claims, err := c.typed.CoreV1().PersistentVolumeClaims("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list claims: %w", err)
	}
	var missing []string
	for _, claim := range claims.Items {
		if claim.Status.Phase != corev1.ClaimBound {
			missing = append(missing, fmt.Sprintf("claim %s/%s is %s", claim.Namespace, claim.Name, claim.Status.Phase))
		}
	}
	return missing, nil
}

// stopKubelet lets the kubelet of a node die, and does at once what the node
// lifecycle controller does after its grace period of five minutes: the state of
// the node becomes unknown and its pods count as not ready. The taints that
// follow from that are the controller's own.
func (c *cluster) stopKubelet(ctx context.Context, name string) error {
	nodes := c.typed.CoreV1().Nodes()
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:null}}}`, kubeletLabel)
	if _, err := nodes.Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("take node %s from its kubelet: %w", name, err)
	}
	// The kubelet may have had a last word between our two writes, so say it again
	// until it stays.
	quiet := 0
	return poll(ctx, scenePatience, "node "+name+" to be lost", func(ctx context.Context) (string, error) {
		node, err := nodes.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return "", fmt.Errorf("get node %s: %w", name, err)
		}
		if nodeReady(node) == corev1.ConditionUnknown {
			if quiet++; quiet < 5 {
				return "its silence to last", nil
			}
			return c.losePods(ctx, name)
		}
		quiet = 0
		forgetNode(node)
		_, err = nodes.UpdateStatus(ctx, node, metav1.UpdateOptions{FieldManager: fieldManager})
		if err != nil && !apierrors.IsConflict(err) { // that was its last word
			return "", fmt.Errorf("make the state of node %s unknown: %w", name, err)
		}
		return "its silence to last", nil
	})
}

func forgetNode(node *corev1.Node) {
	now := metav1.Now()
	for i := range node.Status.Conditions {
		condition := &node.Status.Conditions[i]
		condition.Status = corev1.ConditionUnknown
		condition.Reason = "NodeStatusUnknown"
		condition.Message = "Kubelet stopped posting node status."
		condition.LastHeartbeatTime = metav1.NewTime(now.Add(-5 * time.Minute))
		condition.LastTransitionTime = now
	}
}

// losePods marks the pods of a node as not ready, and names the one to which somebody
// else wrote meanwhile: the node lifecycle controller marks them, too.
func (c *cluster) losePods(ctx context.Context, node string) (missing string, err error) {
	pods, err := c.typed.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
	if err != nil {
		return "", fmt.Errorf("list the pods of node %s: %w", node, err)
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		for j := range pod.Status.Conditions {
			if condition := &pod.Status.Conditions[j]; condition.Type == corev1.PodReady &&
				condition.Status == corev1.ConditionTrue {
				condition.Status = corev1.ConditionFalse
				condition.LastTransitionTime = metav1.Now()
				_, err := c.typed.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod,
					metav1.UpdateOptions{FieldManager: fieldManager})
				switch {
				case apierrors.IsConflict(err):
					missing = fmt.Sprintf("pod %s/%s to be marked", pod.Namespace, pod.Name)
				case err != nil && !apierrors.IsNotFound(err):
					return "", fmt.Errorf("mark pod %s/%s not ready: %w", pod.Namespace, pod.Name, err)
				}
			}
		}
	}
	return missing, nil
}
