//go:build e2e && release

package e2e

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// ociImage is what we read of an image in an OCI layout.
type ociImage struct {
	Config struct {
		User       string
		Entrypoint []string
	}
}

// descriptors are the parts of an OCI index or manifest.
type descriptors struct {
	Manifests []descriptor
	Config    descriptor
	Layers    []descriptor
}

type descriptor struct {
	Digest   string
	Platform struct{ OS, Architecture string }
}

// blob is a file of the image by its digest.
func blob(t *testing.T, digest string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dist, "image", "blobs", strings.ReplaceAll(digest, ":", string(filepath.Separator))))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// The image of this machine has a root in which the Job's process works under the
// Job's service account.
func TestReleaseImage(t *testing.T) {
	index, err := os.ReadFile(filepath.Join(dist, "image", "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	var started ociImage
	for _, d := range decode[descriptors](t, string(index)).Manifests {
		if d.Platform.OS != runtime.GOOS || d.Platform.Architecture != runtime.GOARCH {
			continue
		}
		manifest := decode[descriptors](t, string(blob(t, d.Digest)))
		started = decode[ociImage](t, string(blob(t, manifest.Config.Digest)))
		for _, layer := range manifest.Layers {
			unpackTar(t, strings.NewReader(string(blob(t, layer.Digest))), root)
		}
	}
	if len(started.Config.Entrypoint) != 1 || started.Config.Entrypoint[0] != inImage || started.Config.User != "65532:65532" {
		t.Fatalf("the image for %s/%s is started as %+v", runtime.GOOS, runtime.GOARCH, started)
	}
	world := ownWorld(t)
	for _, name := range []string{"operator.yaml", "job.yaml"} {
		world.kubectl(t, "apply", "-f", filepath.Join("..", "..", "deploy", "rbac", name))
	}
	printed := world.operator(t).run(append([]string{"job"}, with("worker-a1", "--image=kdrain-tui", "-o", "json")...)...)
	printed.exits(t, 0)
	job := decode[batchv1.Job](t, world.kubectl(t, "create", "-o", "json", "-f", world.operator(t).file("job.yaml", printed.out)))
	var pods []corev1.Pod
	eventually(t, patience, "the Job has a pod", func() bool {
		pods = list[corev1.Pod](t, world, "pods", "-n", job.Namespace, "-l", "job-name="+job.Name)
		return len(pods) == 1
	})
	answer := world.container(t, root, pods[0]).wait(patience)
	answer.exits(t, 0)
	if _, report := readLines(t, answer.out); report.Outcome != "done" {
		t.Errorf("the report in the log says %q", report.Outcome)
	}
	world.onlyDaemonsLeft(t, "worker-a1")
}
