// Package budget knows PodDisruptionBudgets as the API server applies them: whether an
// eviction would be let through (Predict), what holds it if not, and what an operator can do.
// It must not know plans, runs or requests. Start at Predict, then Tracker.Judge.
package budget
