// Package write sends the requests of a run, each exactly once, and reads the answers into
// kube.Answer, refusals and their headers included. It must not know when a request is sent
// or what follows from an answer. Start reading at Writer; send in writer.go is where every
// request passes.
package write
