// Package node runs real Kubernetes nodes on the machine of the lab: each has a kubelet, containerd and
// systemd as its first process, in namespaces of its own, and a file system of two shared layers and one of its own.
//
// Only Linux can do that, and only root; Missing says what else is not there.
package node

// ServiceAddress is the address of the Service kubernetes. Nodes and pods connect to the API server there, at port 443.
const ServiceAddress = "10.0.0.1"
