// Package kube is the cluster as this program sees and changes it: the
// connection, our own reflectors into a compact store, immutable snapshots of
// that store, and a small set of writes. It knows nothing of drains.
//
// Every string that came from the server and may hold free text (messages,
// reasons, annotations) is cleaned of control sequences when the record is
// made, so nothing above this package has to think of it again.
package kube
