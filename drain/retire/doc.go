// Package retire knows how a node leaves its cluster after its drain: which step is due (stop the
// kubelet, delete the Node object, clean the host up), when it may be taken and what is typed for it.
// It must not know how a step is carried out, nor what a run is. Start at Record, then Objection.
package retire
