// Package process knows by what a command that was started is recognised again from another process of this
// program, and what can be said of it then. It must not ask the system. Start at Group.
package process
