// Package order knows which of the pods that could be evicted is asked for first. It must not know
// whether one can be (that is for budgets, volumes and slots), nor events. Start at Before.
package order
