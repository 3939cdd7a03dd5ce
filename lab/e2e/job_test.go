//go:build e2e

package e2e

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// The manifests of deploy and a Job that the program prints are enough for a drain
// from inside of the cluster: the Job's process, with nothing around it but what the
// image has, under the Job's service account.
func TestDrainAsAJob(t *testing.T) {
	world := ownWorld(t)
	for _, name := range []string{"operator.yaml", "job.yaml"} {
		world.kubectl(t, "apply", "-f", filepath.Join("..", "..", "deploy", "rbac", name))
	}
	person := world.operator(t)
	printed := person.run(append([]string{"job"}, with("worker-a1", "--image=kdrain-tui", "--timeout=2m", "-o", "json")...)...)
	printed.exits(t, 0)
	job := decode[batchv1.Job](t, world.kubectl(t, "create", "-o", "json", "-f", person.file("job.yaml", printed.out)))

	// The cluster's own controllers and scheduler take it.
	var pods []corev1.Pod
	defer world.logOnFailure(t, "get", "jobs,pods,events", "-n", job.Namespace)
	eventually(t, patience, "the Job has a pod with a node", func() bool {
		pods = list[corev1.Pod](t, world, "pods", "-n", job.Namespace, "-l", "job-name="+job.Name)
		return len(pods) == 1 && pods[0].Spec.NodeName != ""
	})
	if node := pods[0].Spec.NodeName; node == "worker-a1" {
		t.Errorf("the Job runs on %s, which it drains", node)
	}
	answer := world.container(t, imageOf(t, kdrainBin), pods[0]).wait(patience)
	answer.exits(t, 0)
	if _, report := readLines(t, answer.out); report.Outcome != "done" {
		t.Errorf("the report in the log says %q", report.Outcome)
	}
	world.onlyDaemonsLeft(t, "worker-a1")
	if !world.node(t, "worker-a1").Spec.Unschedulable {
		t.Error("worker-a1 is not cordoned")
	}

	// A right that the account lacks ends the Job before it writes.
	before := world.versions(t)
	pods[0].Spec.Containers[0].Args = with("drain", "worker-a2", "--yes", "--disable-eviction")
	world.container(t, imageOf(t, kdrainBin), pods[0]).wait(patience).exits(t, 5, "system:serviceaccount:kdrain-tui:kdrain-tui may not delete pods")
	world.unchanged(t, before)
}

// inImage is where an image has the program.
const inImage = "/usr/bin/kdrain-tui"

// imageOf is a root in which there is the program and nothing else.
func imageOf(t *testing.T, program string) (root string) {
	t.Helper()
	root = t.TempDir()
	content, err := os.ReadFile(program)
	put(t, filepath.Join(root, inImage), content, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func put(t *testing.T, path string, content []byte, mode os.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, mode)); err != nil {
		t.Fatal(err)
	}
}

// container runs the process of a pod's container as a kubelet would, as far as the
// pod's manifest says: its arguments, environment, user, folders and service account,
// in the root of its image.
func (w *world) container(t *testing.T, root string, pod corev1.Pod) *running {
	t.Helper()
	container := pod.Spec.Containers[0]
	account := "/var/run/secrets/kubernetes.io/serviceaccount/"
	put(t, root+account+"namespace", []byte(pod.Namespace), 0o644)
	put(t, root+account+"token", []byte(w.asMachinery(t, "create", "token", pod.Spec.ServiceAccountName, "-n", pod.Namespace,
		"--bound-object-kind=Pod", "--bound-object-name="+pod.Name, "--bound-object-uid="+string(pod.UID))), 0o644)
	cluster := func(field string) string {
		return w.kubectl(t, "config", "view", "--raw", "--flatten", "-o", "jsonpath={.clusters[0].cluster."+field+"}")
	}
	authority, err := base64.StdEncoding.DecodeString(cluster("certificate-authority-data"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, root+account+"ca.crt", authority, 0o644)
	server, err := url.Parse(cluster("server"))
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"KUBERNETES_SERVICE_HOST=" + server.Hostname(), "KUBERNETES_SERVICE_PORT=" + server.Port()}
	for _, e := range container.Env {
		env = append(env, e.Name+"="+e.Value)
	}
	for _, mount := range container.VolumeMounts {
		if mount.Name == "state" {
			folder := filepath.Join(root, mount.MountPath)
			if err := errors.Join(os.MkdirAll(folder, 0o700), os.Chown(folder, os.Getuid(), os.Getgid())); err != nil {
				t.Fatal(err)
			}
		}
	}
	user := int(*pod.Spec.SecurityContext.RunAsUser)
	r := &running{t: t, args: container.Args, ended: make(chan error, 1), cmd: &exec.Cmd{
		Path: inImage, Args: append([]string{inImage}, literal(container.Args)...), Env: env, Dir: "/",
		SysProcAttr: &syscall.SysProcAttr{
			Chroot: root, Cloneflags: syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getgid(), Size: 1}},
		},
	}}
	r.cmd.Stdout, r.cmd.Stderr, r.cmd.Stdin = &r.out, &r.err, bytes.NewReader(nil)
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { r.ended <- r.cmd.Wait() }()
	t.Cleanup(func() { _ = r.cmd.Process.Kill() }) // no longer there as a rule
	return r
}

// literal are arguments as the kubelet gives them to the process.
func literal(args []string) []string {
	given := make([]string, len(args))
	for i, arg := range args {
		given[i] = strings.ReplaceAll(arg, "$$", "$")
	}
	return given
}
