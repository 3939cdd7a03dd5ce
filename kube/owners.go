package kube

import (
	"maps"
	"strings"
)

// Owner is the controller of a pod or of a workload. One value is shared by
// all pods of the owner.
type Owner struct {
	APIVersion string `json:"apiVersion"` // as in the reference, e.g. "apps/v1"
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	UID        UID    `json:"uid"`
}

// Group is the API group of the owner, its version for the core group.
func (o *Owner) Group() string {
	group, _, _ := strings.Cut(o.APIVersion, "/")
	return group
}

// OwnerGroup is the API group of the custom resource that owns a budget, "" if none does. A built-in owner, like a
// Deployment, only makes the garbage collector delete the budget with it.
func (b *Budget) OwnerGroup() string {
	if b.Owner == nil {
		return ""
	}
	group := b.Owner.Group()
	if !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") {
		return ""
	}
	return group
}

// OwnerStatus is what a custom resource reports that owns a budget.
type OwnerStatus struct {
	// Fields are the scalars of its status by path, like "phase" and "ceph.health", and of each condition
	// "conditions.TYPE" and "conditions.TYPE.message"; those of its spec have "spec." before them. Of an instance
	// manager of Longhorn they are "nodeDrainPolicy", the setting, "lastReplicaOf", the volumes whose last healthy
	// replica is on its node, and "node.uid" and the spec of the node of Longhorn.
	Fields map[string]string
	Hidden string // why the status is not known, "" where it is
}

// Equal reports whether both say the same.
func (s OwnerStatus) Equal(of OwnerStatus) bool {
	return s.Hidden == of.Hidden && maps.Equal(s.Fields, of.Fields)
}
