// Package retire carries out the steps by which the nodes that a run drained leave the cluster, after
// the end of that run and in its journal. It must not know which step is due or when it may be
// taken (that is drain/retire), nor who confirms it and how. Start at Begin, then Do.
package retire
