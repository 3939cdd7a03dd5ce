// Package conn knows how to reach an API server: kubeconfig and flags, credentials and
// their plugins, the transport with its deadlines and --read-only, who we are there, what
// we may do, and whether the server is alive. It must not know what is read or written
// over the connection. Start reading at Connect, then Cluster.
package conn
