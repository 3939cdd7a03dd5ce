// Package notice knows what of a run or a roll is worth telling those who are not looking: what is told,
// when, and how often. It must not know how that gets to them. Start at Watch.
package notice
