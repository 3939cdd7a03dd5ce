// Package drain knows the rules of a run: State is the fold of its Events, and Step says what
// happens next. Below it are budgets, volumes, annotations, Leases, the plan and the words that
// they share; above it preflight, forecast and report. It must not know clocks, clients, files,
// goroutines or screens. Start at Step, then State.
package drain
