package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/rig"
	"github.com/kdrain-tui/kdrain-tui/lab/node"
)

// The outage benchmark moves the pods of a StatefulSet between real nodes, each with its disk: by their deletion alone,
// and by a roll that power cycles the nodes. A disk is out of use from the end of its old pod to the start of its new
// one.

// outageName is its name for -only.
const outageName = "outage"

// outageOver is by how much the roll may exceed the deletion: the kubelets look at their volumes every second or so.
const outageOver = 2 * time.Second

func measureOutage(ctx context.Context, settings settings, out, log io.Writer) (err error) {
	if missing := node.Missing(); missing != "" && settings.only == "" {
		fmt.Fprintf(log, "bench: %s is left out: %s\n", outageName, missing)
		return nil
	}
	r, err := rig.Start(ctx, settings.lab, "", log, "--nodes", "2")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Stop(ctx)) }()
	if err := r.Scene(ctx, "real"); err != nil {
		return err
	}
	disks := []*disk{{name: "disk-0"}, {name: "disk-1"}}
	reading, stop := context.WithCancel(ctx)
	var readers sync.WaitGroup
	defer readers.Wait()
	defer stop()
	for _, d := range disks {
		readers.Go(func() { d.follow(reading, filepath.Join(r.Dir, "disks", d.name, "data", "log")) })
	}
	begun := func() bool { return disks[0].begun() > 0 && disks[1].begun() > 0 }
	if err := await(ctx, "both disks to be written", begun); err != nil {
		return err
	}
	if err := movePods(ctx, r, disks); err != nil {
		return err
	}
	moved := outages(disks)
	began := time.Now()
	result, err := r.Call(ctx, settings.kdrain, "roll", "real-1", "real-2", "--ignore-daemonsets", "--yes",
		"--expect-reboot", "--work", fmt.Sprintf("%s node --dir %s reboot $NODE", settings.lab, r.Dir))
	if err == nil && result.Code != 0 {
		err = fmt.Errorf("roll both nodes: exit code %d: %s%s", result.Code, result.Out, result.Err)
	}
	if err != nil {
		return err
	}
	took, rolled := time.Since(began), outages(disks)
	if len(moved) == 0 || len(rolled) == 0 {
		return fmt.Errorf("%d pods were moved by their deletion, %d by the roll", len(moved), len(rolled))
	}
	for name, all := range map[string][]time.Duration{"move": moved, "roll": rolled} {
		fmt.Fprintf(out, "%s/%s/longest %s s\n", outageName, name, number(slices.Max(all).Seconds()))
		fmt.Fprintf(out, "%s/%s/moves %d moves\n", outageName, name, len(all))
	}
	fmt.Fprintf(out, "%s/roll/time %s s\n", outageName, number(took.Seconds()))
	bar(out, outageName, slices.Max(rolled) <= slices.Max(moved)+outageOver)
	return nil
}

// movePods moves the pod of real-1 to real-2 and, as both are there then, both back.
func movePods(ctx context.Context, r *rig.Rig, disks []*disk) error {
	for _, from := range []string{"real-1", "real-2"} {
		if _, err := r.Call(ctx, r.Kubectl(), "cordon", from); err != nil {
			return err
		}
		pods, err := r.Client.CoreV1().Pods("shop").List(ctx,
			metav1.ListOptions{LabelSelector: "app=db", FieldSelector: "spec.nodeName=" + from})
		if err != nil {
			return fmt.Errorf("list the pods on %s: %w", from, err)
		}
		want := disks[0].begun() + disks[1].begun() + len(pods.Items)
		for i := range pods.Items {
			pod := pods.Items[i].Name
			if err := r.Client.CoreV1().Pods("shop").Delete(ctx, pod, metav1.DeleteOptions{}); err != nil {
				return fmt.Errorf("delete pod %s: %w", pod, err)
			}
		}
		moved := func() bool { return disks[0].begun()+disks[1].begun() == want }
		if err := await(ctx, "the pods of "+from+" to start elsewhere", moved); err != nil {
			return err
		}
		if _, err := r.Call(ctx, r.Kubectl(), "uncordon", from); err != nil {
			return err
		}
	}
	return nil
}

// disk is what the pods of the scene write to a volume, and when: a line "begin NODE", one each second, and one as they
// end.
type disk struct {
	name string

	mu      sync.Mutex
	starts  int
	last    time.Time       // of its last line
	outages []time.Duration // from the last line of a pod to the first one of the next
}

// follow reads what is written until the context ends.
func (d *disk) follow(ctx context.Context, path string) {
	const every = 10 * time.Millisecond
	var file *os.File
	var lines *bufio.Reader
	partial := ""
	for ctx.Err() == nil {
		if file == nil {
			if opened, err := os.Open(path); err == nil {
				file, lines = opened, bufio.NewReader(opened)
				defer opened.Close()
			}
		}
		for file != nil {
			text, err := lines.ReadString('\n')
			if partial += text; err != nil {
				break
			}
			d.read(strings.TrimSpace(partial), time.Now())
			partial = ""
		}
		select {
		case <-ctx.Done():
		case <-time.After(every):
		}
	}
}

func (d *disk) read(line string, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if strings.HasPrefix(line, "begin ") {
		if d.starts++; d.starts > 1 {
			d.outages = append(d.outages, at.Sub(d.last))
		}
	}
	d.last = at
}

func (d *disk) begun() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.starts
}

// outages are those since it was called last.
func outages(disks []*disk) (all []time.Duration) {
	for _, d := range disks {
		d.mu.Lock()
		all, d.outages = append(all, d.outages...), nil
		d.mu.Unlock()
	}
	return all
}

func await(ctx context.Context, what string, done func() bool) error {
	deadline := time.Now().Add(2 * time.Minute)
	for !done() {
		if time.Now().After(deadline) {
			return fmt.Errorf("waited in vain for %s", what)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}
