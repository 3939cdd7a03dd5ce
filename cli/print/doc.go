// Package print is what the commands print: the result on standard output, as text or
// as JSON, and notes about it on standard error. A command gives facts to a Printer
// and does not know in which form they come out. It decides nothing and waits for
// nothing.
//
// Start reading in printer.go, and for a drain in drain.go.
package print
