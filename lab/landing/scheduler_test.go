//go:build landing

package landing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"
)

// talkative is the lab's scheduler in a process of the test: the same program
// with the same configuration, which says how many nodes were feasible.
type talkative struct {
	mu  sync.Mutex
	log bytes.Buffer
}

// Write takes the log.
func (s *talkative) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(p)
}

// restartScheduler puts the talkative one in the place of the lab's.
func restartScheduler(t *testing.T, dir string) *talkative {
	t.Helper()
	var lab struct {
		Bin        string
		Components []struct {
			Name string
			Args []string
			PID  int
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "lab.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &lab); err != nil {
		t.Fatal(err)
	}
	s := &talkative{}
	for _, c := range lab.Components {
		if c.Name != "kube-scheduler" {
			continue
		}
		if out, err := exec.Command(labProgram(t), "stop", "kube-scheduler", "--dir", dir).CombinedOutput(); err != nil {
			t.Fatalf("stop the scheduler: %v\n%s", err, out)
		}
		cmd := exec.Command(filepath.Join(lab.Bin, c.Name), append(c.Args, "-v=2")...)
		cmd.Stdout, cmd.Stderr = s, s
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		return s
	}
	t.Fatal("the lab has no scheduler")
	return nil
}

// feasible is how many nodes the scheduler found for a pod that it bound.
func (s *talkative) feasible(namespace, name string) (int, bool) {
	line := regexp.MustCompile(fmt.Sprintf(`"Successfully bound pod to node" pod="%s/%s" .*feasibleNodes=(\d+)`, namespace, name))
	s.mu.Lock()
	defer s.mu.Unlock()
	found := line.FindSubmatch(s.log.Bytes())
	if found == nil {
		return 0, false
	}
	n, err := strconv.Atoi(string(found[1]))
	return n, err == nil
}

// forget drops the log so far.
func (s *talkative) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.Reset()
}
