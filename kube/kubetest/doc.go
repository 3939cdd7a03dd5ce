// Package kubetest has what tests of several packages share: snapshots made of API objects,
// and an API server that answers as a test says. It must not know what is tested. Start
// reading at SnapshotOf and NewServer.
package kubetest
