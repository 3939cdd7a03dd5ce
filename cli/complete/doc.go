// Package complete knows what a pressed Tab is offered: nodes and namespaces of the cluster, runs of this
// machine, names of the kubeconfig, values of flags. It never prompts, and says nothing on failure. Start
// at Completion.
package complete
