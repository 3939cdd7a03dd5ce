//go:build e2e

package e2e

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The programs under test.
var kdrainBin, labBin string

func TestMain(m *testing.M) {
	flag.Parse()
	if err := findPrograms(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	go func() {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		end := make(<-chan time.Time)
		if limit := flag.Lookup("test.timeout").Value.(flag.Getter).Get().(time.Duration); limit > time.Minute {
			// Before go test ends us in a panic, which would leave the labs behind.
			end = time.After(limit - 20*time.Second)
		}
		why := "out of time"
		select {
		case s := <-signals:
			why = s.String()
		case <-end:
		}
		fmt.Fprintf(os.Stderr, "e2e: %s: taking the labs down\n", why)
		leftovers.clear()
		os.Exit(1)
	}()
	code := m.Run()
	leftovers.clear()
	os.Exit(code)
}

func findPrograms() (err error) {
	for _, program := range []struct {
		name string
		path *string
	}{{"KDRAIN_BIN", &kdrainBin}, {"KDRAIN_LAB", &labBin}} {
		given := os.Getenv(program.name)
		if given == "" {
			return fmt.Errorf("%s is not set: it has to name the built program (make test does all of that)", program.name)
		}
		if *program.path, err = filepath.Abs(given); err != nil {
			return err
		}
		if _, err := exec.LookPath(*program.path); err != nil {
			return fmt.Errorf("%s: %w", program.name, err)
		}
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		return errors.New("tmux is not installed, and the dashboard is tested in it")
	}
	return nil
}

// leftovers is what must be ended whatever becomes of the tests: labs and
// terminals.
var leftovers remains

type remains struct {
	mu   sync.Mutex
	ends []*func()
	busy sync.WaitGroup
}

// add remembers an end; the function that it returns begins it, once, and lets
// the next test go on meanwhile.
func (r *remains) add(end func()) (done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	entry := &end
	r.ends = append(r.ends, entry)
	return func() {
		r.mu.Lock()
		at := slices.Index(r.ends, entry)
		if at >= 0 {
			r.ends = slices.Delete(r.ends, at, at+1)
		}
		r.mu.Unlock()
		if at >= 0 {
			r.busy.Go(end)
		}
	}
}

func (r *remains) clear() {
	r.mu.Lock()
	ends := r.ends
	r.ends = nil
	r.mu.Unlock()
	for _, end := range slices.Backward(ends) {
		(*end)()
	}
	r.busy.Wait()
}
