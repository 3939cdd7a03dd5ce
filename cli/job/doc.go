// Package job knows the Kubernetes Job that runs one of our drains inside of the
// cluster: where it may run, as whom, and what it needs around it. It knows no flags
// and asks no server: the command line that the Job has is given. Begin at New.
package job
