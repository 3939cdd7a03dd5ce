// Package app is the application: a session on a cluster, which plans, starts,
// resumes and rolls back drains, cordons nodes, and knows the runs of this machine.
// Both frontends call it, so that they know the same; each declares the interface
// that it uses. It knows neither of them: it prints nothing and asks nothing. What is
// to be confirmed is a value in what it returns, what takes long is reported to
// View.Progress, and what it refuses is an *Error. It holds no rule of a drain
// either: those are in drain.
//
// Start reading in session.go.
package app
