package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"time"
)

// stopPatience is how long a component may take to end by itself. An API server
// with open watches takes half a minute, which need not be waited for here.
const stopPatience = 3 * time.Second

// killPatience is how long one may take that was killed: as long as the system needs
// to take its memory back.
const killPatience = 30 * time.Second

func down(ctx context.Context, dir string, log io.Writer) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(log, "lab: no lab in "+dir)
		return nil
	}
	release, err := lockLab(ctx, dir, log)
	if err != nil {
		return err
	}
	defer release()
	lab, err := readLab(dir)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(log, "lab: no lab in "+dir)
		return nil
	}
	if err != nil {
		return err
	}
	if err := lab.stopAll(ctx, log); err != nil {
		return err
	}
	// The folder stays, with the logs; what would let somebody in, or make the next
	// command believe in a lab, goes.
	for _, name := range []string{"kubeconfig", "pki", "etcd", "nodes", "disks", "egress.sock", "lab.json"} {
		if err := os.RemoveAll(lab.path(name)); err != nil {
			return fmt.Errorf("clear the folder of the lab: %w", err)
		}
	}
	fmt.Fprintln(log, "lab: down")
	return nil
}

// stopAll stops what runs, those that write first and etcd last, and waits until
// the ports are free.
func (l *Lab) stopAll(ctx context.Context, log io.Writer) error {
	for i := range l.Nodes {
		if err := l.stopNode(ctx, i); err != nil {
			return err
		}
	}
	for _, names := range [][]string{{"attacher", "kwok", "kube-scheduler", "kube-controller-manager"},
		{"kube-apiserver"}, {"etcd", "network"}} {
		var group []*Component
		for i := range l.Components {
			if slices.Contains(names, l.Components[i].Name) {
				group = append(group, &l.Components[i])
			}
		}
		if err := stopGroup(ctx, group); err != nil {
			return err
		}
	}
	return l.waitPortsFree(ctx, log)
}

func stopGroup(ctx context.Context, group []*Component) error {
	for _, c := range group {
		// A frozen process takes the signal when it goes on.
		if err := c.signal(syscall.SIGTERM, syscall.SIGCONT); err != nil {
			return err
		}
	}
	deadline := time.Now().Add(stopPatience)
	for _, c := range group {
		if c.waitEnd(ctx, time.Until(deadline)) {
			continue
		}
		if err := c.signal(syscall.SIGKILL); err != nil {
			return err
		}
		if !c.waitEnd(ctx, killPatience) {
			return fmt.Errorf("%s (process %d) does not end", c.Name, c.PID)
		}
	}
	return ctx.Err()
}

// waitPortsFree waits for our ports. Where one of ours was never bound and
// somebody else has taken it since, waiting longer would not free it.
func (l *Lab) waitPortsFree(ctx context.Context, log io.Writer) error {
	deadline := time.Now().Add(5 * time.Second)
	for _, port := range l.Ports.all() {
		for *port != 0 && !portFree(*port) {
			if time.Now().After(deadline) {
				fmt.Fprintf(log, "lab: port %d is in use by another program\n", *port)
				break
			}
			if err := pause(ctx, 50*time.Millisecond); err != nil {
				return fmt.Errorf("wait for the ports: %w", err)
			}
		}
	}
	return nil
}
