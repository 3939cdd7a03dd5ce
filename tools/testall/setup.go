package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// lab is the control plane that the integration tests run on.
type lab struct{ program, dir string }

// programs builds ours, as the Makefile does.
func programs(ctx context.Context, s *session) error {
	return s.build(ctx, []string{"build", "-ldflags=-s -w", "-o", s.program("kdrain-tui"), "."},
		[]string{"build", "-C", "lab", "-ldflags=-s -w", "-o", s.program("lab"), "."})
}

func soak(ctx context.Context, s *session) error {
	return s.build(ctx, []string{"build", "-C", "lab", "-o", s.program("soak"), "./soak"})
}

func (s *session) build(ctx context.Context, builds ...[]string) error {
	for _, build := range builds {
		if err := s.command(ctx, "go", build...).Run(); err != nil {
			return fmt.Errorf("go %v: %w", build, err)
		}
	}
	return nil
}

func (s *session) program(name string) string { return filepath.Join(s.root, "bin", name) }

// runningLab starts the lab and fills it, once.
func runningLab(ctx context.Context, s *session) error {
	if s.lab != nil {
		return nil
	}
	lab := &lab{program: s.program("lab"), dir: filepath.Join(s.scratch, "lab")}
	s.lab = lab
	if err := s.command(ctx, lab.program, "up", "--dir", lab.dir, "--pace", "fast").Run(); err != nil {
		return fmt.Errorf("lab up: %w", err)
	}
	if err := s.command(ctx, lab.program, "scene", "demo", "--dir", lab.dir).Run(); err != nil {
		return fmt.Errorf("lab scene: %w", err)
	}
	return nil
}

// stopLab takes the lab down, also one that came up only in part.
func (s *session) stopLab() {
	if s.lab == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := s.command(ctx, s.lab.program, "down", "--dir", s.lab.dir).Run(); err != nil {
		s.results = append(s.results, result{name: "lab down", tally: s.broken(err)})
	}
	s.lab = nil
}

func raceDetector(ctx context.Context, s *session) error {
	return s.install(ctx, "gcc", "the race detector needs a C compiler", "gcc", "libc6-dev")
}

func tmux(ctx context.Context, s *session) error {
	return s.install(ctx, "tmux", "the end-to-end tests drive the dashboard in tmux", "tmux")
}

// install gets a program by apt-get where we may, else says what to do.
func (s *session) install(ctx context.Context, program, why string, packages ...string) error {
	if _, err := exec.LookPath(program); err == nil {
		return nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		return fmt.Errorf("%s is missing: %s; install it and start again", program, why)
	}
	fmt.Fprintf(s.out, "installing %v: %s\n", packages, why)
	if err := s.apt(ctx, packages); err != nil {
		return fmt.Errorf("install %s (%s): %w", program, why, err)
	}
	return nil
}

// apt tries with the package lists that are there before it fetches new ones.
func (s *session) apt(ctx context.Context, packages []string) error {
	install := func() error {
		args := append([]string{"install", "-y", "-qq", "--no-install-recommends"}, packages...)
		cmd := s.command(ctx, "apt-get", args...)
		cmd.Env = append(cmd.Env, "DEBIAN_FRONTEND=noninteractive")
		return cmd.Run()
	}
	if install() == nil {
		return nil
	}
	if err := s.command(ctx, "apt-get", "update", "-qq").Run(); err != nil {
		return err
	}
	return install()
}

// command runs in the checkout and prints what it says. When its time is up it
// is interrupted with everything it started, and has a minute to clean up.
func (s *session) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = s.root
	cmd.Env = append(s.environment(), "CGO_ENABLED="+cgo(args))
	cmd.Stdout, cmd.Stderr = s.out, s.out
	// A group of its own: go test does not pass a signal on to the tests, and from
	// a terminal it would come twice.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = time.Minute
	return cmd
}

// cgo is what the race detector needs. All else is built without it, as a release is, so
// that nothing is compiled a third time.
func cgo(args []string) string {
	if slices.Contains(args, "-race") {
		return "1"
	}
	return "0"
}

// environment keeps tests away from the cluster, the runs and the settings of
// whoever calls, and tells them what we built and started.
func (s *session) environment() []string {
	env := append(os.Environ(),
		"KUBECONFIG="+filepath.Join(s.scratch, "no-kubeconfig"),
		"XDG_STATE_HOME="+filepath.Join(s.scratch, "state"),
		"XDG_CONFIG_HOME="+filepath.Join(s.scratch, "config"),
		"KDRAIN_BIN="+s.program("kdrain-tui"),
		"KDRAIN_LAB="+s.program("lab"))
	if s.lab != nil {
		env = append(env,
			"KDRAIN_LAB_DIR="+s.lab.dir,
			"KDRAIN_LAB_KUBECONFIG="+filepath.Join(s.lab.dir, "kubeconfig"))
	}
	return env
}
