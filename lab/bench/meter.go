package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/rig"
	"github.com/kdrain-tui/kdrain-tui/lab/gateway"
)

// meter counts what one program costs the API server. Programs reach it through a relay,
// which can be slow; its processor and memory are the process's, with whatever else asks it.
type meter struct {
	server int
	relay  *gateway.Relay
	access string // kubeconfig that leads through the relay
}

// cost is what the API server gave for a program.
type cost struct {
	read   int64         // bytes that it sent, compressed and encrypted
	cpu    time.Duration // of the API server in that time
	memory int64         // its peak in bytes
}

// startMeter sends the programs of the rig through a relay from now on.
func startMeter(r *rig.Rig) (*meter, error) {
	relay, err := gateway.StartRelay(filepath.Join(r.Dir, "kubeconfig"))
	if err != nil {
		return nil, err
	}
	m := &meter{server: r.Server, relay: relay, access: filepath.Join(r.Dir, "relay.kubeconfig")}
	if err := relay.Kubeconfig(m.access); err != nil {
		relay.Close()
		return nil, err
	}
	r.Access = m.access
	return m, nil
}

// figures are the cost by name and unit. Elsewhere than on Linux only the bytes are known.
func (c cost) figures() map[string]float64 {
	figures := map[string]float64{"read MB": megabytes(c.read)}
	if c.memory > 0 {
		figures["server-cpu s"], figures["server-memory MB"] = c.cpu.Seconds(), megabytes(c.memory)
	}
	return figures
}

func megabytes(bytes int64) float64 { return float64(bytes) / 1e6 }

// begin starts to count; the function that it returns says what came together since.
func (m *meter) begin() (since func() (cost, error), err error) {
	read := m.relay.Read()
	if runtime.GOOS != "linux" {
		return func() (cost, error) { return cost{read: m.relay.Read() - read}, nil }, nil
	}
	// The kernel forgets the peak so far.
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", m.server), []byte("5"), 0); err != nil {
		return nil, fmt.Errorf("begin to measure the memory of the API server: %w", err)
	}
	before, err := usageOf(m.server)
	return func() (cost, error) {
		now, err := usageOf(m.server)
		return cost{read: m.relay.Read() - read, cpu: now.cpu - before.cpu, memory: now.peak}, err
	}, err
}

// usage is what the kernel says of a process.
type usage struct {
	cpu  time.Duration
	peak int64 // bytes of memory
}

// tick is the unit of processor times in /proc, on every Linux that Go runs on.
const tick = 10 * time.Millisecond

func usageOf(pid int) (usage, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return usage{}, fmt.Errorf("read the processor time of a process: %w", err)
	}
	// The name of the program may have blanks; the fields after its last bracket are known.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 13 {
		return usage{}, fmt.Errorf("read the processor time of a process: %q", stat)
	}
	user, errUser := strconv.Atoi(fields[11])
	system, errSystem := strconv.Atoi(fields[12])
	if errUser != nil || errSystem != nil {
		return usage{}, fmt.Errorf("read the processor time of a process: %q", stat)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return usage{}, fmt.Errorf("read the memory of a process: %w", err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int64
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		return usage{}, fmt.Errorf("read the memory of a process: %w", err)
	}
	return usage{cpu: time.Duration(user+system) * tick, peak: kilobytes << 10}, nil
}
