//go:build e2e && pictures

package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The size of the pictures, and how often a screen is captured for the recording.
const (
	pictureWidth, pictureHeight = 110, 28
	perFrame                    = 100 * time.Millisecond
)

// recording are the screens of a terminal, one after another.
type recording struct {
	frames strings.Builder
	end    chan struct{}
	ended  sync.WaitGroup
}

// record captures what the terminal shows until it is stopped.
func (term *terminal) record() *recording {
	r := &recording{end: make(chan struct{})}
	r.ended.Go(func() {
		for last := time.Now(); ; {
			select {
			case <-r.end:
				return
			case <-time.After(perFrame):
			}
			screen, err := exec.Command("tmux", "-L", term.socket, "capture-pane", "-e", "-p", "-N").Output()
			if err != nil {
				continue
			}
			now := time.Now()
			fmt.Fprintf(&r.frames, "\f%d\n%s", now.Sub(last).Milliseconds(), screen)
			last = now
		}
	})
	return r
}

func (r *recording) stop() string {
	close(r.end)
	r.ended.Wait()
	return r.frames.String()
}

// picture puts a capture where `make pictures` looks for it.
func picture(t *testing.T, name, captured string) {
	t.Helper()
	folder := os.Getenv("KDRAIN_PICTURES")
	if err := os.WriteFile(filepath.Join(folder, name), []byte(captured), 0o644); err != nil {
		t.Fatal(err)
	}
}

// atHome is an operator with the usual kubeconfig, so that no printed command names
// another one.
func atHome(t *testing.T, world *world) *operator {
	t.Helper()
	o := world.operator(t)
	config, err := os.ReadFile(world.kubeconfig)
	if err := errors.Join(err, os.Mkdir(filepath.Join(o.home, ".kube"), 0o700)); err != nil {
		t.Fatal(err)
	}
	o.file(filepath.Join(".kube", "config"), string(config))
	o.env = append(o.env, "KUBECONFIG=")
	return o
}

// read is the time that somebody who watches the recording needs.
func read(seconds float64) { time.Sleep(time.Duration(seconds * float64(time.Second))) }

// The recording of README: a node is chosen, its plan is read, the drain is confirmed,
// waits for a budget, and ends once the unhealthy pod is Ready.
func TestPictureOfADrain(t *testing.T) {
	world := ownWorld(t)
	term := atHome(t, world).open(pictureWidth, pictureHeight)
	term.waitFor("● live · 13 nodes", "worker-c4")
	r := term.record()
	read(2)
	for s := term.look(); ; s = term.look() {
		_, key := s.wayTo("worker-a2")
		if key == "" {
			break
		}
		term.keys(key)
		read(0.3)
	}
	term.keys("Space")
	read(1)
	term.keys("D")
	term.waitFor("a accepts them")
	read(3)
	term.keys("a")
	term.waitFor("D continue to cordon")
	read(4)
	term.keys("D")
	term.waitFor("Cordon worker-a2 and continue?")
	read(2)
	term.keys("y")
	term.waitFor("type worker-a2 and press Enter")
	read(2)
	for _, letter := range "worker-a2" {
		term.typing(string(letter))
		read(0.1)
	}
	read(1)
	term.keys("Enter")
	term.waitFor("2 blocked")
	read(5)
	world.healCart(t)
	term.waitFor("✔ Drained worker-a2")
	read(4)
	picture(t, "drain.frames", r.stop())
}

// The screenshot of README: the same run while pods take their time to end.
func TestPictureOfARun(t *testing.T) {
	term := atHome(t, pacedWorld(t, "real")).open(pictureWidth, pictureHeight)
	term.waitFor("● live · 13 nodes", "worker-c4")
	term.toEvictionOf("worker-a2")
	term.typing("worker-a2")
	term.keys("Enter")
	term.waitFor("2 blocked")
	read(7)
	picture(t, "dashboard.screen", term.tmux("capture-pane", "-e", "-p", "-N")+"\n")
}
