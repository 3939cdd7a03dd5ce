package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/pager"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/rig"
	"github.com/kdrain-tui/kdrain-tui/lab/gateway"
)

// lines are the connections on which the dashboard is measured.
var lines = []struct {
	name        string
	line        gateway.Line
	nodes, pods float64 // bars in seconds for 30,000 pods; 0 for none
}{
	{"loopback", gateway.Line{}, 0, 0},
	{"10-mbit", gateway.Slow().Line, 2, 10},
}

// screens measures the dashboard on each line, and a list of the pods before it.
func (m *meter) screens(ctx context.Context, r *rig.Rig, kdrain string, c crowd, out, log io.Writer) error {
	defer m.relay.Set(gateway.Line{})
	for _, l := range lines {
		m.relay.Set(l.line)
		listed, err := m.list(ctx, c.pods)
		if err != nil {
			return err
		}
		printFigures(out, c.name(l.name+"/list"), listed)
		shown, err := m.screen(ctx, r, kdrain, c.pods)
		if err != nil {
			return err
		}
		fmt.Fprintf(log, "bench: the dashboard among %d pods: %v; a list of them: %v\n", c.pods, shown, listed)
		printFigures(out, c.name(l.name+"/dashboard"), shown)
		bar(out, c.name(l.name+"/dashboard/time"), shown["pods s"] <= 1.2*listed["time s"])
		bar(out, c.name(l.name+"/dashboard/read"), shown["read MB"] <= 1.3*listed["read MB"])
		bar(out, c.name(l.name+"/dashboard/memory"), shown["memory MB"] <= 220)
		bar(out, c.name(l.name+"/dashboard/idle"), shown["idle %"] <= 1)
		if l.nodes > 0 && c.pods == crowds[0].pods {
			bar(out, c.name(l.name+"/dashboard/nodes"), shown["nodes s"] <= l.nodes)
			bar(out, c.name(l.name+"/dashboard/pods"), shown["pods s"] <= l.pods)
		}
	}
	return nil
}

// list reads all pods as client-go does: in pages of 500, compressed, and decoded.
func (m *meter) list(ctx context.Context, pods int) (map[string]float64, error) {
	config, err := clientcmd.BuildConfigFromFlags("", m.access)
	if err != nil {
		return nil, fmt.Errorf("read the access through the relay: %w", err)
	}
	config.QPS, config.ContentType = -1, runtime.ContentTypeProtobuf
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("prepare a connection through the relay: %w", err)
	}
	since, err := m.begin()
	if err != nil {
		return nil, err
	}
	began, count := time.Now(), 0
	list := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return client.CoreV1().Pods("").List(ctx, options)
	})
	err = list.EachListItem(ctx, metav1.ListOptions{Limit: 500}, func(object runtime.Object) error {
		if _, ok := object.(*corev1.Pod); ok {
			count++
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list all pods: %w", err)
	}
	took := time.Since(began)
	c, err := since()
	if count < pods-1000 {
		return nil, fmt.Errorf("list all pods: %d instead of some %d", count, pods)
	}
	figures := c.figures()
	figures["time s"] = took.Seconds()
	return figures, err
}

// The dashboard is left alone for a while after all is in, and then watched at rest.
const (
	calm    = 5 * time.Second
	resting = 20 * time.Second
)

// allPods is the header's number of the pods once all of them have been read.
var allPods = regexp.MustCompile(`([0-9,]+) pods`)

// screen opens the dashboard in a terminal and waits until it shows everything.
func (m *meter) screen(ctx context.Context, r *rig.Rig, kdrain string, pods int) (map[string]float64, error) {
	since, err := m.begin()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	term, err := openTerminal(ctx, r, kdrain)
	if err != nil {
		return nil, err
	}
	defer term.close()
	figures, shown := map[string]float64{}, ""
	err = until(ctx, "the dashboard to show all pods", func() (done bool, err error) {
		shown, err = term.tmux("capture-pane", "-p")
		if figures["nodes s"] == 0 && strings.Contains(shown, "crowd-0") {
			figures["nodes s"] = time.Since(began).Seconds()
		}
		return shownAll(shown, pods), err
	})
	figures["pods s"] = time.Since(began).Seconds()
	if err != nil {
		return nil, fmt.Errorf("%w; it shows:\n%s", err, shown)
	}
	c, errSince := since()
	own, errOwn := usageOf(term.pid)
	if err := errors.Join(errSince, errOwn); err != nil {
		return nil, err
	}
	maps.Copy(figures, c.figures())
	figures["cpu s"], figures["memory MB"] = own.cpu.Seconds(), megabytes(own.peak)
	figures["idle %"], err = atRest(ctx, term.pid)
	return figures, err
}

// terminal is a tmux of its own with one program in it.
type terminal struct {
	tmux   func(args ...string) (string, error)
	socket string
	pid    int // of the program
}

func openTerminal(ctx context.Context, r *rig.Rig, program string) (*terminal, error) {
	env, err := r.Environment()
	if err != nil {
		return nil, err
	}
	socket := fmt.Sprintf("kdrain-bench-%d", os.Getpid())
	term := &terminal{socket: socket, tmux: func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "tmux", append([]string{"-L", socket, "-f", "/dev/null"}, args...)...)
		cmd.Env = env
		text, err := cmd.CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("run tmux %s: %w: %s", strings.Join(args, " "), err, text)
		}
		return string(text), nil
	}}
	if _, err := term.tmux("new-session", "-d", "-x", "200", "-y", "50", program); err != nil {
		return nil, err
	}
	text, err := term.tmux("display-message", "-p", "#{pane_pid}")
	if err == nil {
		term.pid, err = strconv.Atoi(strings.TrimSpace(text))
	}
	if err != nil {
		term.close()
		return nil, fmt.Errorf("find the process of %s: %w", program, err)
	}
	return term, nil
}

// close also ends the program, and where an interrupt was the reason.
func (t *terminal) close() { _ = exec.Command("tmux", "-L", t.socket, "kill-server").Run() }

func shownAll(screen string, pods int) bool {
	count := allPods.FindStringSubmatch(screen)
	if count == nil || strings.Contains(screen, "being read") {
		return false
	}
	shown, err := strconv.Atoi(strings.ReplaceAll(count[1], ",", ""))
	return err == nil && shown > pods-1000
}

// atRest is the share of a core that a process takes while nothing happens.
func atRest(ctx context.Context, pid int) (float64, error) {
	if err := pause(ctx, calm); err != nil {
		return 0, err
	}
	before, err := usageOf(pid)
	if err != nil {
		return 0, err
	}
	if err := pause(ctx, resting); err != nil {
		return 0, err
	}
	after, err := usageOf(pid)
	return 100 * (after.cpu - before.cpu).Seconds() / resting.Seconds(), err
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
