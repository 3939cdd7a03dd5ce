// Package pods is the page of all pods: of the cluster, of marked nodes or of one node, those that need a look
// first. It must not know the other pages, nor what a drain would do. Whatever walks over all pods is in look.go,
// and is done beside the event loop. Start at Page.
package pods
