// Package kube is the vocabulary of the cluster: records and answers as plain values, a compact
// store of records and immutable snapshots of it. It must not know the network: request says what
// is asked, conn connects, watch fills the store, write sends requests, and each imports only what
// is below it (watch, write -> conn, convert -> request -> kube). Start reading at Snapshot, then Store and tables.go.
//
// Of drains it knows only names and marks, all in marks.go. Every string that came from the
// server and may hold free text is cleaned of control sequences when the record is made, so
// nothing above this package has to think of it again.
package kube
