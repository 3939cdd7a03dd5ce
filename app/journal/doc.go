// Package journal knows the file of a run: written while the run lives, read to resume, report and
// replay it. It must not know what an event means. Start at OpenJournal.
package journal
