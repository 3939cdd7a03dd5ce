// Package ui is the interactive frontend: one Bubble Tea program that shows the
// nodes of a cluster, what a drain would do to them, and a run while it lives.
//
// There is one tea.Model, the frame around the pages, which are packages below this one
// (frame.Page). Update is a reducer and View a projection: neither does input or output,
// everything that can wait is a command. Start at model.go.
package ui
