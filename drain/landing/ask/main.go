// Ask reads clusters and questions as JSON, one to a line, and prints what
// landing says of each: for lab/landing, which asks the real scheduler too.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// question is a whole cluster, as its API server lists it, and a pod of it.
type question struct {
	Nodes       corev1.NodeList                  `json:"nodes"`
	Pods        corev1.PodList                   `json:"pods"`
	Namespaces  corev1.NamespaceList             `json:"namespaces"`
	Claims      corev1.PersistentVolumeClaimList `json:"claims"`
	Volumes     corev1.PersistentVolumeList      `json:"volumes"`
	Classes     storagev1.StorageClassList       `json:"classes"`
	CSINodes    storagev1.CSINodeList            `json:"csiNodes"`
	CSIDrivers  storagev1.CSIDriverList          `json:"csiDrivers"`
	Attachments storagev1.VolumeAttachmentList   `json:"attachments"`
	Pod         string                           `json:"pod"` // namespace/name
	Planned     []string                         `json:"planned"`
}

// answer is the verdict and the nodes that could take the pod.
type answer struct {
	Answer landing.Answer `json:"answer"`
	Why    string         `json:"why"`
	Nodes  []string       `json:"nodes"`
}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "ask: %v\n", err)
		os.Exit(1)
	}
}

func serve(in io.Reader, out io.Writer) error {
	lines, results := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	for {
		var q question
		switch err := lines.Decode(&q); err {
		case nil:
		case io.EOF:
			return nil
		default:
			return fmt.Errorf("read a question: %w", err)
		}
		a, err := q.answer()
		if err != nil {
			return err
		}
		if err := results.Encode(a); err != nil {
			return fmt.Errorf("print an answer: %w", err)
		}
	}
}

func (q *question) answer() (answer, error) {
	s := kubetest.SnapshotOf(time.Now(), &q.Nodes, &q.Pods, &q.Namespaces, &q.Claims, &q.Volumes,
		&q.Classes, &q.CSINodes, &q.CSIDrivers, &q.Attachments)
	namespace, name, _ := strings.Cut(q.Pod, "/")
	p := s.PodNamed(namespace, name)
	if p == nil {
		return answer{}, fmt.Errorf("there is no pod %s", q.Pod)
	}
	c := landing.New(s, q.Planned)
	v := c.Alone(p)
	return answer{Answer: v.Answer, Why: v.Why, Nodes: c.Feasible(p)}, nil
}
