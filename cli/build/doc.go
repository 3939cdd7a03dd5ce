// Package build knows what this binary was made of, and whether its client library fits a
// server. It must not know where either is shown, nor ask a server.
// Start at Of.
package build
