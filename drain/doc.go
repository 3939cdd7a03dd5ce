// Package drain is the domain: what a drain would do to each pod and why

// (Classify, NewPlan), the pure core that decides what happens next (Step), the
// engine around it and the journal. It knows nothing of screens.
package drain
