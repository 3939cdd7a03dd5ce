// Package rolls carries a rolling maintenance out: it calls roll.Next, keeps the roll's journal, runs the
// operator's commands and has a session carry out the run of each batch. It must not know the rules of a
// roll, nor how it is shown. Start at Begin, then Roll.loop.
package rolls
