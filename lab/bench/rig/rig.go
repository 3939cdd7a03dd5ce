// Package rig is what a benchmark or a soak stands on: a lab of its own with an
// audit log, access to it past the audit, and the programs that are judged.
package rig

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// Rig is a running lab.
type Rig struct {
	Dir    string
	Client kubernetes.Interface // as the lab itself: not in the audit log, no limits
	State  string               // where programs keep their state; "" is a folder of the lab
	Access string               // kubeconfig of the programs; "" is the lab's
	Server int                  // process id of the API server at the start

	program string // of the lab
	bin     string // where the lab's kubectl is
	keep    bool   // it was there before, and stays
	log     io.Writer
}

// Start starts a lab in the folder, or uses the one that runs there already. An
// empty folder name stands for a new one that Stop removes. How it starts is said by flags of `lab up`.
func Start(ctx context.Context, program, dir string, log io.Writer, flags ...string) (*Rig, error) {
	if program == "" {
		return nil, errors.New("which program starts a lab? Name it by -lab or KDRAIN_LAB (make bin/lab builds it)")
	}
	r := &Rig{program: program, log: log, keep: dir != ""}
	if dir == "" {
		made, err := os.MkdirTemp("", "kdrain-lab-")
		if err != nil {
			return nil, fmt.Errorf("make a folder for the lab: %w", err)
		}
		dir = made
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("resolve the folder of the lab: %w", err)
	}
	r.Dir = absolute
	if err := r.call(ctx, append([]string{"up", "--audit"}, flags...)...); err != nil {
		return nil, errors.Join(err, r.Stop(ctx))
	}
	if err := r.connect(); err != nil {
		return nil, errors.Join(err, r.Stop(ctx))
	}
	return r, nil
}

// Stop stops the lab unless it was there before.
func (r *Rig) Stop(ctx context.Context) error {
	if r.keep {
		return nil
	}
	// Also where an interrupt was the reason to stop.
	if err := r.call(context.WithoutCancel(ctx), "down"); err != nil {
		return err
	}
	if err := os.RemoveAll(r.Dir); err != nil {
		return fmt.Errorf("remove the folder of the lab: %w", err)
	}
	return nil
}

func (r *Rig) call(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, r.program, append(args, "--dir", r.Dir)...)
	cmd.Stderr = r.log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run lab %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

func (r *Rig) connect() error {
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(r.Dir, "pki", "lab.kubeconfig"))
	if err != nil {
		return fmt.Errorf("read the access of the lab: %w", err)
	}
	config.QPS = -1
	if r.Client, err = kubernetes.NewForConfig(config); err != nil {
		return fmt.Errorf("prepare a connection to the lab: %w", err)
	}
	data, err := os.ReadFile(filepath.Join(r.Dir, "lab.json"))
	if err != nil {
		return fmt.Errorf("read the state of the lab: %w", err)
	}
	var state struct {
		Bin        string
		Components []struct {
			Name string
			PID  int
		}
	}
	if err := json.Unmarshal(data, &state); err != nil {
		return fmt.Errorf("read the state of the lab: %w", err)
	}
	r.bin = state.Bin
	for _, component := range state.Components {
		if component.Name == "kube-apiserver" {
			r.Server = component.PID
		}
	}
	return nil
}

// Scene fills the lab with a scene.
func (r *Rig) Scene(ctx context.Context, name string) error { return r.call(ctx, "scene", name) }

// Attacher attaches and detaches CSI volumes, as a driver and the kubelets would,
// until it is stopped.
func (r *Rig) Attacher(ctx context.Context) (stop func() error, err error) {
	return r.beside(ctx, "attacher")
}

// Operators plays the controllers of the scene managed until it is stopped.
func (r *Rig) Operators(ctx context.Context) (stop func() error, err error) {
	return r.beside(ctx, "operators")
}

// beside runs a command of the lab that goes on until it is stopped, and returns when it says that it does.
func (r *Rig) beside(ctx context.Context, command string) (stop func() error, err error) {
	cmd := exec.CommandContext(ctx, r.program, command, "--dir", r.Dir)
	var said strings.Builder
	ready, ended := make(chan struct{}, 1), make(chan error, 1)
	cmd.Stderr = io.MultiWriter(&said, &lines{take: func(line []byte) {
		if bytes.HasSuffix(line, []byte("until it is interrupted")) {
			ready <- struct{}{}
		}
	}})
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("run lab %s: %w", command, err)
	}
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ready:
	case err := <-ended:
		return nil, errors.Join(fmt.Errorf("lab %s ended at once: %s", command, said.String()), err)
	}
	return func() error {
		_ = cmd.Process.Signal(os.Interrupt) // it may have ended: Wait tells
		if err := <-ended; err != nil && ctx.Err() == nil {
			return fmt.Errorf("lab %s: %w: %s", command, err, said.String())
		}
		return nil
	}, nil
}

// AuditLog is where the API server notes what people ask it.
func (r *Rig) AuditLog() string { return filepath.Join(r.Dir, "audit.log") }

// Kubectl is the lab's kubectl.
func (r *Rig) Kubectl() string { return filepath.Join(r.bin, "kubectl") }
