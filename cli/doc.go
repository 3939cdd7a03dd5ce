// Package cli is the headless face: the commands, their flags, and what they
// print as text and as JSON. It knows nothing of the dashboard; main hands it a
// function that opens one.
package cli
