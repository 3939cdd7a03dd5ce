// Package gateway is a proxy between a program and the API server of a lab, for what stands
// there in the world: a log-in page, a maintenance page, a slow line, an older server. It
// knows HTTP, and nothing of the program. Start at Start.
package gateway
