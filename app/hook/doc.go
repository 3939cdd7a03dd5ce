// Package hook runs a command line of the operator in a shell, and hands on its output as it comes:
// control sequences removed, bounded. It must not know what the command is for, nor what its exit
// code means. Start at Run.
package hook
