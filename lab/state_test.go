package main

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func TestStateIsReadAsItWasSaved(t *testing.T) {
	lab := newFolder(t)
	lab.planComponents()
	lab.Scene, lab.Settled, lab.Audit = "demo", true, true
	lab.Components[1].PID, lab.Components[1].Started = 4711, "123"
	if err := lab.save(); err != nil {
		t.Fatal(err)
	}
	again, err := readLab(lab.dir)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(lab, again) {
		t.Errorf("saved %+v, read %+v", lab, again)
	}
}

func TestNoStateMeansNoLab(t *testing.T) {
	if _, err := readLab(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := runningLab(t.TempDir()); err == nil || !strings.Contains(err.Error(), "lab up") {
		t.Errorf("%v does not say what to do", err)
	}
}

func TestAProcessIsOursOnlyIfItsStartMatches(t *testing.T) {
	started, err := processStart(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		c    Component
		want bool
	}{
		{"never started", Component{}, false},
		{"ours", Component{PID: os.Getpid(), Started: started}, true},
		{"the id went to another program", Component{PID: os.Getpid(), Started: started + "0"}, false},
		{"gone", Component{PID: 1 << 30, Started: started}, false},
	} {
		if got := test.c.alive(); got != test.want {
			t.Errorf("%s: alive is %t", test.name, got)
		}
	}
}

func TestWhatUpReplacesIsNamed(t *testing.T) {
	started, err := processStart(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	up, gone := Component{Name: "etcd", PID: os.Getpid(), Started: started}, Component{Name: "kwok", PID: 1 << 30, Started: started}
	other := gone
	other.Name = "kube-apiserver"
	for want, components := range map[string][]Component{
		"": {up, {Name: "kwok"}},
		"kwok of d is not running: starting an empty cluster; `lab start kwok` would have continued the old one": {up, gone},
		"kube-apiserver, kwok of d are not running: starting an empty cluster; " +
			"`lab start kube-apiserver`, `lab start kwok` would have continued the old one": {up, other, gone},
	} {
		if got := (&Lab{dir: "d", Components: components}).abandoned(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

func TestPortsAreFreeAndDifferent(t *testing.T) {
	taken := map[int]bool{}
	for range 20 {
		ports, err := choosePorts()
		if err != nil {
			t.Fatal(err)
		}
		seen := map[int]bool{}
		for _, port := range ports.all() {
			switch {
			case *port < lowestPort || *port >= highestPort:
				t.Errorf("port %d is out of range", *port)
			case seen[*port]:
				t.Errorf("port %d is given twice", *port)
			case taken[*port]:
				t.Errorf("port %d is taken", *port)
			}
			seen[*port] = true
		}
		listener, err := net.Listen("tcp", address(ports.APIServer))
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		taken[ports.APIServer] = true
	}
}

func TestCommandLinesUseThePortsAndTheFolderOfTheLab(t *testing.T) {
	lab := newFolder(t)
	lab.Ports = Ports{20001, 20002, 20003, 20004, 20005, 20006}
	lab.Audit = true
	lab.planComponents()
	var all []string
	for _, c := range lab.Components {
		all = append(all, c.Args...)
	}
	text := strings.Join(all, "\n")
	for port := 20001; port <= 20006; port++ {
		if !strings.Contains(text, strconv.Itoa(port)) {
			t.Errorf("nobody uses port %d", port)
		}
	}
	for _, want := range []string{"--authorization-mode=RBAC", "--anonymous-auth=false", "--audit-log-path=" + lab.path("audit.log")} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(text, "enable-priority-and-fairness=false") || strings.Contains(text, "insecure") {
		t.Error("something is switched off that has to be on")
	}
}
