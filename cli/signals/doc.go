// Package signals knows what the signals of the operating system mean to the program: the first one
// ends it gently, the second at once, and one of a terminal that goes away suspends its runs. It must
// not know what the program does meanwhile. Start at Watch.
package signals
