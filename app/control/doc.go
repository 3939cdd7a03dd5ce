// Package control steers a live run from another process of the same user: a
// unix socket beside the run's journal, served by the process that owns the run.
// A request is one line of JSON, and so is its answer, which comes once the
// engine took the control (or says why it changed nothing).
package control
