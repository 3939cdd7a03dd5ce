// Package remedy knows what can be done for one pod that a drain cannot evict: each remedy with what
// it changes, when and why it is not available, what the answer to its request means, and how it is
// taken back. It must not know phases, events or screens. Start at Of, then Record.
package remedy
