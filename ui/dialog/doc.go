// Package dialog asks the operator. The safe answer always has the focus, a
// typed word must match to the letter, and a dialog that opened by itself does
// not take keys that were meant for the page below it.
package dialog
