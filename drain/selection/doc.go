// Package selection reads which nodes arguments or a label selector mean, with the rules and errors of kubectl.
// It must not know what is done with the nodes. Start at Nodes.
package selection
