package host

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Step is a part of the end of a host.
type Step string

// The steps, in order.
const (
	StepStop  Step = "stop"  // stops and disables the kubelet
	StepClean Step = "clean" // removes pods, runtime state, configuration and certificates, then checks
)

// Steps are all steps, in order.
var Steps = []Step{StepStop, StepClean}

// Host is what a cluster tells of the machine of a node.
type Host struct {
	Node      string   `json:"node"`
	Names     []string `json:"names,omitempty"` // by which the machine may know itself; addresses do not count
	MachineID string   `json:"machineID"`       // of the node's status
	Runtime   string   `json:"runtime"`         // its containerRuntimeVersion, such as containerd://2.1.0
}

// Of is what the Node object tells of its machine.
func Of(n *kube.Node) Host {
	return Host{Node: n.Name, Names: append([]string{n.Labels[corev1.LabelHostname]}, n.Addresses...),
		MachineID: n.MachineID, Runtime: n.Runtime}
}

// runtime is how a container runtime is found on a host.
type runtime struct {
	endpoint string // of its CRI socket
	service  string // that answers
	services string // that are stopped, sockets first
}

// The container runtimes by the scheme of containerRuntimeVersion: the kubelet reports
// that of cri-dockerd as docker.
var runtimes = map[string]runtime{
	"containerd": {"unix:///run/containerd/containerd.sock", "containerd", "containerd"},
	"cri-o":      {"unix:///var/run/crio/crio.sock", "crio", "crio"},
	"docker":     {"unix:///run/cri-dockerd.sock", "docker", "cri-docker.socket cri-docker docker.socket docker containerd"},
}

// hostName is a host name as a kubelet reports it, and no IP address.
var hostName = regexp.MustCompile(`^[a-z0-9._-]*[a-z][a-z0-9._-]*$`)

//go:embed cleanup.sh
var body string

// Passed is what the script of a step prints last, once all its checks passed, and nowhere else: neither its text nor a
// dry run has it. Run is "" for a script that is printed for a person.
func Passed(run string, step Step) string {
	if run != "" {
		run = " (run " + run + ")"
	}
	return string(step) + ": all checks passed" + run
}

// Script is the POSIX shell script of one step on one host, for a run or, where that is "", for a person.
// It fails where the cluster does not tell enough to be sure of the host, or tells something that is
// not what it should be: the names come from the API server.
func Script(h Host, step Step, run string) (string, error) {
	if step != StepStop && step != StepClean {
		return "", fmt.Errorf("step %q: must be stop or clean", kube.Clean(string(step)))
	}
	scheme, _, _ := strings.Cut(h.Runtime, "://")
	r, known := runtimes[scheme]
	machine := strings.ToLower(strings.ReplaceAll(h.MachineID, "-", ""))
	switch {
	case !known:
		return "", fmt.Errorf("node %s: container runtime %q is not one of containerd, cri-o and docker",
			kube.Clean(h.Node), kube.Clean(h.Runtime))
	case machine == "" || strings.Trim(machine, "0123456789abcdef") != "":
		return "", fmt.Errorf("node %s: its status has no machine-id (%q): the script could not be sure of the host",
			kube.Clean(h.Node), kube.Clean(h.MachineID))
	case strings.ContainsFunc(h.Node, kube.Unsafe):
		return "", fmt.Errorf("node %q: its name has control characters", kube.Clean(h.Node))
	}
	var names []string
	for _, name := range append([]string{h.Node}, h.Names...) {
		if name = strings.ToLower(name); hostName.MatchString(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "", fmt.Errorf("node %q: none of its names is a host name", kube.Clean(h.Node))
	}
	var b strings.Builder
	b.WriteString("#!/bin/sh\n# Written by kdrain-tui cleanup-script. Run it as root on the host: sh -s -- --dry-run, then --yes.\nset -u\n")
	for _, setting := range [][2]string{
		{"step", string(step)}, {"node", h.Node}, {"host_names", strings.Join(names, " ")}, {"machine_id", machine},
		{"runtime", scheme}, {"runtime_endpoint", r.endpoint}, {"runtime_service", r.service},
		{"runtime_services", r.services}, {"kubelet_dir", "/var/lib/kubelet"}, {"run_id", run},
	} {
		b.WriteString(setting[0] + "='" + strings.ReplaceAll(setting[1], "'", `'\''`) + "'\n")
	}
	return b.String() + body, nil
}
