// Package host knows the scripts that take a machine out of service after its node was drained:
// stop the kubelet, clean the host up. It must not know how they reach the host, nor run anything.
// Start at Script; the text of both steps is cleanup.sh.
package host
