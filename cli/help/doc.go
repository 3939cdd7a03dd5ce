// Package help knows how commands and flags are shown: in groups, wrapped to the
// terminal, with examples under the name that the program was called by, and with the
// nearest name where one is mistyped. It must not know what a command does. Start at
// Setup.
package help
