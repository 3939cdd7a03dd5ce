// Package notify sends notices to a command or a URL of the operator, in bounded time and from a bounded
// queue, and never holds a run up. It must not know what is worth a notice. Start at Sender.
package notify
