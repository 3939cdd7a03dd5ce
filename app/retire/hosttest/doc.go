// Package hosttest is a host in a folder, for tests that have the script of package host run by a command of the
// operator. It must not know clusters. Start at New.
package hosttest
