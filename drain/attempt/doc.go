// Package attempt knows what a run asked of the server about one object, how often, and what the
// answer says: who refused it, and when the next try is due. It must not know what the object is
// to the run. Start at Attempt.
package attempt
