// Package nodes is the page of all nodes: what each carries, what a drain of it would do, and the
// questions about cordon and leftover budgets. It must not know the other pages. Start at Page.
package nodes
