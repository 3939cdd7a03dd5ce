// Package request is what is asked of a cluster: each request of a run as a plain value that knows
// how to send itself, the writers that take them, and the rights that they need. It must not know
// the network nor why something is asked. Start reading at Request, then at Writer.
package request
