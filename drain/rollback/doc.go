// Package rollback knows what of a run can be taken back, and how: each record's own rule (Undo) over
// a State, or over what the annotations in the cluster tell of it. It must not know how requests are
// sent. Start at Plan.
package rollback
