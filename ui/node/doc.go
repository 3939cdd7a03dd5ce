// Package node is the page of one node: its conditions, taints, resources, volumes and labels, who cordoned it, and
// the runs of this machine on it. It must not know the other pages. Start at Page.
package node
