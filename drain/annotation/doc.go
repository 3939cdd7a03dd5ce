// Package annotation knows the mark that a run leaves on a node that it cordons: who, which run, when
// and why. It must not know how a cordon is asked for. Start at Mark.
package annotation
