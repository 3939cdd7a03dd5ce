// Package history is the pages about what happened in a run: the event log and the timeline, live, of a
// result and in a replay. It must not have rules of a run: it shows what drain/report tells of its events.
// Start at reader.
package history
