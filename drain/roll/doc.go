// Package roll knows the rules of a rolling maintenance: which batch of nodes begins when, what each
// node waits for until it is back, and when the roll stops; each batch is a run of its own. It must not
// know how a command or a run is carried out, nor clocks and files. Start at Next, then Batches.
package roll
