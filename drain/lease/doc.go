// Package lease knows who holds the Leases over nodes. It must not know runs of this process. Start
// at Holds.
package lease
