package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/lab/node"
)

// ownNetwork is our network namespace, that of the control plane.
const ownNetwork = "/proc/self/ns/net"

// nodePatience is for a node from the start of its machine until it is Ready: some seconds, on a host that builds
// programs meanwhile many more.
const nodePatience = 3 * time.Minute

// ensureLayers returns the file systems that real nodes share, built where they are missing; none for no nodes.
func ensureLayers(ctx context.Context, nodes int, log io.Writer) ([]string, error) {
	if nodes == 0 {
		return nil, nil
	}
	if nodes < 0 || nodes > 99 {
		return nil, usageError{"--nodes takes a number from 0 to 99"}
	}
	if missing := node.Missing(); missing != "" {
		return nil, errors.New(missing)
	}
	bin, err := nodePrograms.ensure(ctx, log)
	if err != nil {
		return nil, err
	}
	release, err := lockFile(ctx, filepath.Join(bin, ".lock"), func() {
		fmt.Fprintln(log, "lab: waiting for another build of the file system of nodes")
	})
	if err != nil {
		return nil, err
	}
	defer release()
	debian := filepath.Join(bin, "debian")
	if _, err := os.Stat(debian); err != nil {
		fmt.Fprintln(log, "lab: installing Debian for real nodes, about a minute")
	}
	if err := node.BuildDebian(ctx, debian); err != nil {
		return nil, err
	}
	stamp, err := os.ReadFile(filepath.Join(bin, nodePrograms.stamp))
	if err != nil {
		return nil, fmt.Errorf("read what was built: %w", err)
	}
	// A lab that runs keeps the layer that it began with.
	sum := sha256.Sum256(append(stamp, node.SystemVersion()...))
	system := filepath.Join(bin, "system-"+hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(system); err == nil {
		return []string{system, debian}, nil
	}
	var files []string
	for _, p := range nodePrograms.all {
		files = append(files, filepath.Join(bin, p.file))
	}
	if err := node.BuildSystem(system, debian, files); err != nil {
		return nil, err
	}
	return []string{system, debian}, nil
}

// nsenter and /proc know a process by its main thread: no goroutine of ServeNetwork that enters the network of the host
// may run on it, so it is kept for the function main.
func init() { runtime.LockOSThread() }

// serveNetwork is the component `network`; the network of the control plane was handed to it as its first file.
func serveNetwork(ctx context.Context, dir string) error {
	lab, err := runningLab(dir)
	if err != nil {
		return err
	}
	host := os.NewFile(3, ownNetwork)
	if host == nil {
		return errors.New("only `lab up` starts the network")
	}
	defer host.Close()
	return node.ServeNetwork(ctx, host, address(lab.Ports.APIServer), lab.egressSocket())
}

// machine is that of the i-th node.
func (l *Lab) machine(i int) node.Machine {
	name := l.Nodes[i].Name
	sum := sha256.Sum256([]byte(l.dir)) // labs in other folders have nodes of the same name
	return node.Machine{Name: name, Number: i + 1, Dir: l.path("nodes", name), Layers: l.Layers, Disks: l.path("disks"),
		Group: "kdrain-lab-" + hex.EncodeToString(sum[:4])}
}

// startNodes starts machines at once and waits until their nodes are Ready.
func (l *Lab) startNodes(ctx context.Context, which ...int) error {
	var group errgroup.Group
	for _, i := range which {
		group.Go(func() error { return l.startNode(ctx, i) })
	}
	err := group.Wait()
	if err := errors.Join(err, l.save()); err != nil { // what has started is to be stopped
		return err
	}
	return l.awaitNodes(ctx, which)
}

// startNode switches a machine on; whoever calls it saves the lab.
func (l *Lab) startNode(ctx context.Context, i int) error {
	network, err := l.component("network")
	if err != nil {
		return err
	}
	m, c := l.machine(i), &l.Nodes[i]
	if _, err := os.Stat(m.Dir); err != nil {
		access, err := os.ReadFile(l.machineryKubeconfig("system:node:" + c.Name))
		if err != nil {
			return fmt.Errorf("read the access of %s: %w", c.Name, err)
		}
		authority, err := os.ReadFile(l.path("pki", "ca.crt"))
		if err != nil {
			return fmt.Errorf("read the certificate of the lab: %w", err)
		}
		if err := m.Install(access, authority); err != nil {
			return err
		}
	}
	if c.PID, err = m.Start(ctx, network.PID); err != nil {
		return err
	}
	if c.Started, err = processStart(c.PID); err != nil {
		return fmt.Errorf("look at the new machine of %s: %w", c.Name, err)
	}
	return nil
}

// stopNode cuts the power of a machine. One that has ended by itself leaves only its control groups.
func (l *Lab) stopNode(ctx context.Context, i int) error {
	pid := 0
	if l.Nodes[i].alive() {
		pid = l.Nodes[i].PID
	}
	return l.machine(i).CutPower(ctx, pid)
}

func (l *Lab) awaitNodes(ctx context.Context, which []int) error {
	if len(which) == 0 {
		return nil
	}
	c, err := l.connect("system:lab")
	if err != nil {
		return err
	}
	return poll(ctx, nodePatience, "real nodes to be Ready", func(ctx context.Context) (string, error) {
		list, err := c.typed.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return "", fmt.Errorf("list nodes: %w", err)
		}
		ready := map[string]bool{}
		for i := range list.Items {
			ready[list.Items[i].Name] = nodeReady(&list.Items[i]) == corev1.ConditionTrue
		}
		var missing []string
		for _, i := range which {
			if !ready[l.Nodes[i].Name] {
				missing = append(missing, l.Nodes[i].Name)
			}
		}
		return strings.Join(missing, ", "), nil
	})
}

// changeNode is `lab node VERB NAME`.
func changeNode(ctx context.Context, dir string, args []string, log io.Writer) error {
	if len(args) < 2 {
		return usageError{"node takes a verb and the name of a node"}
	}
	verb, name, rest := args[0], args[1], args[2:]
	if (verb == "exec") != (len(rest) > 0) {
		return usageError{"node exec takes a command, the other verbs take none"}
	}
	lab, err := runningLab(dir)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(lab.Nodes, func(n Component) bool { return n.Name == name })
	if i < 0 {
		return usageError{fmt.Sprintf("the lab in %s has no real node %q", dir, name)}
	}
	if verb == "exec" {
		return execOn(ctx, lab, i, rest)
	}
	release, err := lockLab(ctx, dir, log)
	if err != nil {
		return err
	}
	defer release()
	m := lab.machine(i)
	switch verb {
	case "reboot":
		if err := lab.stopNode(ctx, i); err != nil {
			return err
		}
		if err := lab.startNode(ctx, i); err != nil {
			return err
		}
		return lab.save()
	case "cut":
		return lab.stopNode(ctx, i)
	case "freeze":
		return m.Freeze()
	case "thaw":
		return m.Thaw()
	case "rm":
		if err := lab.stopNode(ctx, i); err != nil {
			return err
		}
		return os.RemoveAll(m.Dir)
	}
	return usageError{fmt.Sprintf("unknown verb %q of node", verb)}
}

// writeStatic gives real nodes the static pods of a scene.
func (l *Lab) writeStatic(ctx context.Context, s *scene) error {
	for _, one := range s.static {
		name, pod := one.node, one.pod
		i := slices.IndexFunc(l.Nodes, func(n Component) bool { return n.Name == name })
		if i < 0 {
			return fmt.Errorf("write %s: there is no real node %s", title(pod), name)
		}
		data, err := pod.MarshalJSON()
		if err != nil {
			return fmt.Errorf("encode %s: %w", title(pod), err)
		}
		cmd := l.machine(i).Exec(ctx, l.Nodes[i].PID, "tee", "/etc/kubernetes/manifests/"+pod.GetName()+".yaml")
		cmd.Stdin = bytes.NewReader(data)
		if output, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("write %s: %w: %s", title(pod), err, output)
		}
	}
	return nil
}

func execOn(ctx context.Context, lab *Lab, i int, args []string) error {
	if !lab.Nodes[i].alive() {
		return fmt.Errorf("%s is switched off; start it with: lab node reboot %s", lab.Nodes[i].Name, lab.Nodes[i].Name)
	}
	cmd := lab.machine(i).Exec(ctx, lab.Nodes[i].PID, args...)
	return runHere(cmd)
}
