// Package telling has the flags about who is told of a run besides the operator at the screen. It must not
// know what is told. Start at Flags.
package telling
