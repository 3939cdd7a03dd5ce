// Package past opens the runs and rolls of this machine for a screen on their cluster: shown as they ended,
// watched, gone on with, taken back. It must not know what a page looks like. Start at Runs.
package past
