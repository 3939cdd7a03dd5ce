// Package ui is the interactive face: one Bubble Tea program that shows the
// nodes of a cluster, what a drain would do to them, and a run while it lives.
//
// There is one tea.Model, Model. Its pages are plain structs; what they say is
// made by the pure functions of package page (no escape codes, no clock), what
// it looks like by package paint. Update is a reducer and View a projection:
// neither does input or output, everything that can wait is a command.
package ui
