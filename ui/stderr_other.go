//go:build !unix

package ui

// captureStderr does nothing where descriptors cannot be moved.
func captureStderr(string) (release func() string) { return func() string { return "" } }
