// Package preflight knows what an operator must read before a plan is confirmed: findings about
// outages, quorum, volumes, Leases, rights and other drainers. It must not change a plan's actions
// but for what the operator asked to be refused. Start at Check.
package preflight
