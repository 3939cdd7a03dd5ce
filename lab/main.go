// Lab runs a real Kubernetes control plane on loopback, with simulated kubelets,
// for the demo, the end-to-end tests and the benchmarks.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

const usage = `usage: lab COMMAND [--dir DIR]

  up [--pace fast|real] [--audit]    build what is missing, start a lab, print the path of its kubeconfig
     [--nodes N]                     with N real nodes, real-1 to real-N (Linux, root)
     [--kubernetes VERSION]          of another Kubernetes, such as 1.34 (or LAB_KUBERNETES=1.34)
  scene NAME                         fill the cluster with a scene (%s) and wait until it has settled
  down                               stop what up started
  status                             say what runs
  attacher                           attach and detach CSI volumes as a driver and the kubelets would, until it is interrupted
  operators                          play the controllers of the scene managed, which move their pods, until it is interrupted
  kubectl ARGS...                    run the lab's kubectl against it
  build                              only build what is missing

For tests of faults, with COMPONENT one of %s:

  stop COMPONENT                     kill it at once
  start COMPONENT                    start it again, same ports and data
  freeze COMPONENT, thaw COMPONENT   stop and continue its process where it stands

For real nodes:

  node reboot NAME                   switch its machine off at once, and on again
  node cut NAME                      switch it off at once
  node freeze NAME, node thaw NAME   stop and continue all its processes where they stand
  node rm NAME                       switch it off and take away what is on its disk
  node exec NAME COMMAND ARGS...     run a command on it

DIR is .lab below the lab's source by default; labs in different folders run side by side.
`

// command is what the arguments of one call come down to.
type command struct {
	name  string
	dir   string
	pace  string
	audit bool
	nodes int
	// kubernetes is its minor version, "" for the one in go.mod.
	kubernetes string
	set        map[string]bool // flags that were given, not defaulted
	args       []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, out, log io.Writer) int {
	cmd, err := parse(args)
	if err == nil {
		err = dispatch(ctx, cmd, out, log)
	}
	var bad usageError
	var child exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &child):
		return child.code
	case errors.As(err, &bad):
		fmt.Fprintf(log, "lab: %v\n\n", err)
		fmt.Fprintf(log, usage, strings.Join(sceneNames(), ", "), strings.Join(componentNames(), ", "))
		return 2
	}
	fmt.Fprintf(log, "lab: %v\n", err)
	return 1
}

// usageError is a call that cannot be understood.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// exitError hands on the exit code of a program that we only passed arguments to.
type exitError struct{ code int }

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// parse takes flags before and after the other arguments.
func parse(args []string) (command, error) {
	if len(args) == 0 {
		return command{}, usageError{"no command"}
	}
	cmd := command{name: args[0], set: map[string]bool{}}
	if cmd.name == "kubectl" || cmd.name == "node" {
		return parseForeign(cmd, args[1:])
	}
	flags := flag.NewFlagSet(cmd.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&cmd.dir, "dir", "", "")
	if cmd.name == "up" {
		flags.StringVar(&cmd.pace, "pace", "fast", "")
		flags.BoolVar(&cmd.audit, "audit", false, "")
		flags.IntVar(&cmd.nodes, "nodes", 0, "")
	}
	if cmd.name == "up" || cmd.name == "build" {
		flags.StringVar(&cmd.kubernetes, "kubernetes", os.Getenv("LAB_KUBERNETES"), "")
	}
	for rest := args[1:]; len(rest) > 0; {
		if err := flags.Parse(rest); err != nil {
			return command{}, usageError{err.Error()}
		}
		if rest = flags.Args(); len(rest) > 0 {
			cmd.args, rest = append(cmd.args, rest[0]), rest[1:]
		}
	}
	flags.Visit(func(f *flag.Flag) { cmd.set[f.Name] = true })
	return cmd, nil
}

// parseForeign takes --dir if it comes first; everything else is kubectl's, or the command's on a node.
func parseForeign(cmd command, args []string) (command, error) {
	if len(args) > 0 {
		dir, joined := strings.CutPrefix(args[0], "--dir=")
		switch {
		case joined:
			cmd.dir, args = dir, args[1:]
		case args[0] == "--dir" && len(args) > 1:
			cmd.dir, args = args[1], args[2:]
		}
	}
	cmd.args = args
	return cmd, nil
}

func dispatch(ctx context.Context, cmd command, out, log io.Writer) error {
	wantArgs := map[string]int{"up": 0, "down": 0, "status": 0, "build": 0, "attacher": 0, "operators": 0,
		"network": 0, "node": -1, "kubectl": -1, "scene": 1, "stop": 1, "start": 1, "freeze": 1, "thaw": 1}
	want, known := wantArgs[cmd.name]
	if !known {
		return usageError{fmt.Sprintf("unknown command %q", cmd.name)}
	}
	if want >= 0 && len(cmd.args) != want {
		return usageError{fmt.Sprintf("%s takes %d argument(s), not %q", cmd.name, want, cmd.args)}
	}
	if cmd.dir == "" {
		source, err := findSource()
		if err != nil {
			return err
		}
		cmd.dir = filepath.Join(source, ".lab")
	}
	dir, err := filepath.Abs(cmd.dir)
	if err != nil {
		return fmt.Errorf("resolve %s: %w", cmd.dir, err)
	}
	switch cmd.name {
	case "build":
		programs, err := controlPlaneOf(cmd.kubernetes)
		if err == nil {
			_, err = programs.ensure(ctx, log)
		}
		return err
	case "up":
		return up(ctx, dir, cmd, out, log)
	case "scene":
		return loadScene(ctx, dir, cmd.args[0], log)
	case "down":
		return down(ctx, dir, log)
	case "status":
		return status(dir, out)
	case "attacher":
		return playAttacher(ctx, dir, log)
	case "operators":
		return playOperators(ctx, dir, log)
	case "network":
		return serveNetwork(ctx, dir)
	case "node":
		return changeNode(ctx, dir, cmd.args, log)
	case "kubectl":
		return runKubectl(ctx, dir, cmd.args)
	}
	return fault(ctx, dir, cmd.name, cmd.args[0])
}
