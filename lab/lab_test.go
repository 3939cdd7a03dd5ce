//go:build lab

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// labProgram is the lab under test, as a process: what it starts has to outlive it.
type labProgram struct {
	t    *testing.T
	path string
	dir  string
}

func buildLab(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("KDRAIN_LAB"); path != "" {
		return path
	}
	path := filepath.Join(t.TempDir(), "lab")
	if output, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("build the lab: %v\n%s", err, output)
	}
	return path
}

// try runs a command of the lab and returns what it printed on both streams.
func (p labProgram) try(args ...string) (out, log string, err error) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 20*time.Minute) // the first one may have to build
	defer cancel()
	began := time.Now()
	defer func() { p.t.Logf("%5.1fs lab %s", time.Since(began).Seconds(), strings.Join(args, " ")) }()
	args = append([]string{args[0], "--dir", p.dir}, args[1:]...)
	cmd := exec.CommandContext(ctx, p.path, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	return stdout.String(), stderr.String(), err
}

func (p labProgram) must(args ...string) string {
	p.t.Helper()
	out, log, err := p.try(args...)
	if err != nil {
		p.t.Fatalf("lab %s: %v\n%s%s", strings.Join(args, " "), err, out, log)
	}
	return strings.TrimSpace(out)
}

// newLab starts a lab that is taken down when the test ends, whatever happens.
func newLab(t *testing.T, path string, args ...string) labProgram {
	t.Helper()
	p := labProgram{t, path, filepath.Join(t.TempDir(), "lab")}
	t.Cleanup(func() {
		// The test's own context is over by now.
		if output, err := exec.Command(path, "down", "--dir", p.dir).CombinedOutput(); err != nil {
			t.Errorf("lab down: %v\n%s", err, output)
		}
	})
	if got, want := p.must(append([]string{"up"}, args...)...), filepath.Join(p.dir, "kubeconfig"); got != want {
		t.Fatalf("up printed %q, not %q", got, want)
	}
	return p
}

func (p labProgram) state() *Lab {
	p.t.Helper()
	lab, err := readLab(p.dir)
	if err != nil {
		p.t.Fatal(err)
	}
	return lab
}

func TestTwoLabsSideBySide(t *testing.T) {
	path := buildLab(t)
	first, second := newLab(t, path), newLab(t, path, "--audit")

	first.must("scene", "small")
	first.must("scene", "small")
	if pods := second.must("kubectl", "get", "pods", "-A", "-o", "name"); pods != "" {
		t.Errorf("the scene of one lab shows up in the other: %s", pods)
	}
	if _, log, err := first.try("scene", "demo"); err == nil || !strings.Contains(log, "holds scene small") {
		t.Errorf("a second scene on top: %v: %s", err, log)
	}
	checkPeople(t, first)
	checkDrain(t, first)

	before := first.state()
	first.must("up")
	for i, c := range first.state().Components {
		if c.PID != before.Components[i].PID {
			t.Errorf("up on a live lab started %s again", c.Name)
		}
	}
	if audit, err := os.ReadFile(filepath.Join(second.dir, "audit.log")); err != nil || !bytes.Contains(audit, []byte(`"username":"ada"`)) ||
		bytes.Contains(audit, []byte(`"username":"system:kube-controller-manager"`)) {
		t.Errorf("the audit log is not about the people alone (%d bytes, %v)", len(audit), err)
	}
	checkDown(t, first)
	second.must("kubectl", "get", "nodes")
	checkDown(t, second)
}

// checkPeople asks who may do what, and whether the versions can be read.
func checkPeople(t *testing.T, p labProgram) {
	t.Helper()
	var versions struct {
		ServerVersion struct{ GitVersion, Major, Minor string }
	}
	if err := json.Unmarshal([]byte(p.must("kubectl", "version", "-o", "json")), &versions); err != nil {
		t.Fatal(err)
	}
	if v := versions.ServerVersion; v.Major != "1" || v.Minor == "" || !strings.HasPrefix(v.GitVersion, "v1."+v.Minor+".") {
		t.Errorf("the server says its version is %+v", v)
	}
	if top := p.must("kubectl", "top", "nodes"); !strings.Contains(top, "worker-1") {
		t.Errorf("kubectl top nodes: %s", top)
	}
	for _, test := range []struct {
		user, verb, what string
		want             bool
	}{
		{"lab", "create", "pods/eviction", true},
		{"restricted", "list", "pods", true}, {"restricted", "list", "replicasets.apps", true},
		{"restricted", "list", "poddisruptionbudgets.policy", false}, {"restricted", "patch", "nodes", false},
		{"restricted", "create", "pods/eviction", false},
		{"viewer", "list", "poddisruptionbudgets.policy", true}, {"viewer", "list", "nodes.metrics.k8s.io", true},
		{"viewer", "patch", "nodes", false}, {"viewer", "delete", "pods", false}, {"viewer", "list", "secrets", false},
	} {
		_, log, err := p.try("kubectl", "--context", test.user, "auth", "can-i", test.verb, test.what, "-n", "shop")
		if (err == nil) != test.want {
			t.Errorf("%s may %s %s: %t; %s", test.user, test.verb, test.what, err == nil, log)
		}
	}
}

// checkDrain drains the node whose pods are held up, heals the reason, and drains
// it again.
func checkDrain(t *testing.T, p labProgram) {
	t.Helper()
	drain := []string{"kubectl", "drain", "worker-1", "--ignore-daemonsets"}
	if _, log, err := p.try(append(drain, "--timeout=4s")...); err == nil || !strings.Contains(log, "disruption budget") {
		t.Errorf("the drain is not held up by the budget: %v: %s", err, log)
	}
	p.must("stop", "kube-apiserver")
	if out, _, err := p.try("kubectl", "get", "nodes"); err == nil {
		t.Errorf("the API server answers although it was stopped: %s", out)
	}
	p.must("start", "kube-apiserver")
	p.must("kubectl", "delete", "pod", "-n", "shop", "-l", "app=web", "--field-selector=spec.nodeName=worker-2")
	p.must(append(drain, "--timeout=180s")...)
	p.must("kubectl", "rollout", "status", "-n", "shop", "deployment/web", "--timeout=180s")
	left := p.must("kubectl", "get", "pods", "-A", "--field-selector=spec.nodeName=worker-1", "-o", "jsonpath={.items[*].metadata.ownerReferences[0].kind}")
	if left != "DaemonSet" {
		t.Errorf("left on the drained node: %s", left)
	}
}

func checkDown(t *testing.T, p labProgram) {
	t.Helper()
	lab := p.state()
	p.must("down")
	for i := range lab.Components {
		if lab.Components[i].alive() {
			t.Errorf("%s still runs", lab.Components[i].Name)
		}
	}
	for _, port := range lab.Ports.all() {
		if !portFree(*port) {
			t.Errorf("port %d is still taken", *port)
		}
	}
	if _, err := os.Stat(filepath.Join(p.dir, "kubeconfig")); err == nil {
		t.Error("the kubeconfig is still there")
	}
	p.must("down") // nothing to do is no error
}

func TestAComponentThatCannotStartIsNamedWithItsLog(t *testing.T) {
	p := newLab(t, buildLab(t))
	lab := p.state()
	lab.Components[4].Args = append(lab.Components[4].Args, "--no-such-flag")
	if err := lab.save(); err != nil {
		t.Fatal(err)
	}
	p.must("stop", "kwok")
	_, log, err := p.try("start", "kwok")
	if err == nil || !strings.Contains(log, "kwok ended") || !strings.Contains(log, "no-such-flag") {
		t.Errorf("%v: %s", err, log)
	}
}

func TestUpSaysThatItReplacesACluster(t *testing.T) {
	p := newLab(t, buildLab(t))
	if _, log, err := p.try("up"); err != nil || strings.Contains(log, "empty cluster") {
		t.Errorf("up on a live lab: %v: %s", err, log)
	}
	p.must("stop", "kube-scheduler")
	_, log, err := p.try("up")
	if err != nil || !strings.HasPrefix(log, "lab: kube-scheduler of "+p.dir+" is not running: starting an empty cluster; `lab start kube-scheduler` would") {
		t.Errorf("%v: %s", err, log)
	}
}
