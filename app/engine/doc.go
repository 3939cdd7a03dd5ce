// Package engine runs a drain: it waits for a change, an answer, a command or the wake-up, calls
// drain.Step, journals the events and sends the requests; beside it the recorder of Events on nodes. It
// must not have rules of a drain. Start at Engine.
package engine
