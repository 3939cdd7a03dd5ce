// Package prompt asks a person at a terminal: how a question ends, what confirms it, and
// which typed line answers which question. It must not know what a command does with an
// answer, nor where questions are printed. Start at Keyboard.
package prompt
