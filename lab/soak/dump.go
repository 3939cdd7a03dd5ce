package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// dump is everything in a cluster that a run may change and a rollback must
// bring back, as text by object.
type dump map[string]string

// dump reads it: spec, labels and annotations of nodes, Leases of them,
// budgets, scales of workloads.
func (b builder) dump(ctx context.Context, w world) (dump, error) {
	d := dump{}
	nodes, err := b.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes to compare: %w", err)
	}
	for _, n := range nodes.Items {
		// The condition of a node is not what a run changes.
		n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool {
			return t.Key == corev1.TaintNodeNotReady || t.Key == corev1.TaintNodeUnreachable
		})
		for i := range n.Spec.Taints {
			n.Spec.Taints[i].TimeAdded = nil
		}
		slices.SortFunc(n.Spec.Taints, func(a, b corev1.Taint) int { return len(a.Key) - len(b.Key) })
		d.add("node "+n.Name, n.UID, n.Labels, n.Annotations, n.Spec)
	}
	leases, err := b.leases(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range leases {
		d.add("lease "+name, "")
	}
	for _, namespace := range w.Namespaces {
		if err := b.dumpNamespace(ctx, d, namespace); err != nil {
			return nil, err
		}
		if err := b.dumpCosts(ctx, d, w, namespace); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// dumpCosts reads the deletion costs that pods do not have from their templates.
func (b builder) dumpCosts(ctx context.Context, d dump, w world, namespace string) error {
	pods, err := b.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list pods to compare: %w", err)
	}
	for _, p := range pods.Items {
		cost := p.Annotations[deletionCost]
		if cost != w.costOf(namespace, p.Labels["own"]) && p.DeletionTimestamp == nil {
			d.add("cost "+namespace+"/"+p.Name, cost)
		}
	}
	return nil
}

// leases are the names of all Leases of nodes.
func (b builder) leases(ctx context.Context) ([]string, error) {
	list, err := b.client.CoordinationV1().Leases("kube-system").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list leases to compare: %w", err)
	}
	var names []string
	for _, l := range list.Items {
		if strings.HasPrefix(l.Name, nodeLease) {
			names = append(names, l.Name)
		}
	}
	return names, nil
}

func (b builder) dumpNamespace(ctx context.Context, d dump, namespace string) error {
	budgets, err := b.client.PolicyV1().PodDisruptionBudgets(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list budgets to compare: %w", err)
	}
	for _, o := range budgets.Items {
		d.add("budget "+namespace+"/"+o.Name, o.UID, o.Labels, o.Annotations, o.Spec)
	}
	apps := b.client.AppsV1()
	deployments, err := apps.Deployments(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list deployments to compare: %w", err)
	}
	for _, o := range deployments.Items {
		d.add("deployment "+namespace+"/"+o.Name, o.UID, o.Spec.Replicas, o.Spec)
		d.add("annotations deployment "+namespace+"/"+o.Name, withoutKubernetes(o.Annotations))
	}
	replicaSets, err := apps.ReplicaSets(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list replica sets to compare: %w", err)
	}
	for _, o := range replicaSets.Items {
		d.add("replicaset "+namespace+"/"+o.Name, o.UID, o.Spec.Replicas)
		d.add("annotations replicaset "+namespace+"/"+o.Name, withoutKubernetes(o.Annotations))
	}
	statefulSets, err := apps.StatefulSets(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list stateful sets to compare: %w", err)
	}
	for _, o := range statefulSets.Items {
		d.add("statefulset "+namespace+"/"+o.Name, o.UID, o.Spec.Replicas)
	}
	return nil
}

func (d dump) add(name string, values ...any) {
	text, err := json.Marshal(values)
	if err != nil {
		panic(err) // of what came as JSON a moment ago
	}
	d[name] = string(text)
}

// differences says what is not as it was before.
func (d dump) differences(after dump) []string {
	var texts []string
	names := maps.Clone(d)
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		was, before := d[name]
		is, there := after[name]
		switch {
		case !before:
			texts = append(texts, name+" was not there before: "+is)
		case !there:
			texts = append(texts, name+" is gone: "+was)
		case was != is:
			texts = append(texts, fmt.Sprintf("%s was %s, is %s", name, was, is))
		}
	}
	return texts
}

// settleTime is how long controllers may take to follow: the taint of a cordoned
// node is theirs.
const settleTime = time.Minute

// whole is all of it.
func whole(d dump) dump { return d }

// compare says what is not as it was of that part, once that does not change any
// more.
func (b builder) compare(ctx context.Context, w world, before dump, part func(dump) dump) ([]string, error) {
	settle := settleTime
	if w.Killing != nil && w.Killing.Fault != nil {
		settle = patience // the controllers may be slow to find the server again
	}
	for deadline := time.Now().Add(settle); ; {
		now, err := b.dump(ctx, w)
		if err != nil {
			return nil, err
		}
		different := part(before).differences(part(now))
		if len(different) == 0 || time.Now().After(deadline) {
			return different, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
}
