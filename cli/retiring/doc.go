// Package retiring takes the steps by which drained nodes leave the cluster from a command line: it asks
// for each or does as flags say, prints what a step tells, and says what is left. It must not know
// how a step is carried out. Start at Steps.
package retiring
