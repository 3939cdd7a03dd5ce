package plan

// Counts sums a plan or a node of it up by what happens to the pods.
type Counts struct {
	Move    int // evicted or deleted, nothing in the way
	Wait    int // evicted when a budget allows it (Wait, Syncing)
	Never   int // Never, Deadlock or Multiple
	Unknown int
	Stay    int // skipped
	Refused int
}
