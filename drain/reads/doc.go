// Package reads knows which objects of a cluster the drain of some nodes is judged from:
// never all pods. It must not know who reads them, nor what is decided by them. Start at Of.
package reads
