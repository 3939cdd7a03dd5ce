// Package run is the pages of a run: progress, questions of its phases, what can be done about a blocked
// pod, and the result. It must not have rules of a run: it asks drain.State. Start at Page.
package run
