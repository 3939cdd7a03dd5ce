package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A disk is attached to one node at a time, whatever the controllers ask for.
func TestADiskIsOnOneNode(t *testing.T) {
	d := disks{dir: t.TempDir()}
	for _, step := range []struct {
		do   func(handle, node string) error
		node string
		ok   bool
		at   string
	}{
		{d.attach, "real-1", true, "real-1"},
		{d.attach, "real-1", true, "real-1"},
		{d.attach, "real-2", false, "real-1"},
		{d.detach, "real-2", true, "real-1"},
		{d.detach, "real-1", true, ""},
		{d.detach, "real-1", true, ""},
		{d.attach, "real-2", true, "real-2"},
	} {
		err := step.do("disk-0", step.node)
		at, _ := os.ReadFile(d.file("disk-0"))
		if (err == nil) != step.ok || string(at) != step.at {
			t.Fatalf("%+v: %v, attached to %q", step, err, at)
		}
	}
}

// Scenes of simulated nodes have images that no real node could pull, and the other way round a scene needs its nodes.
func TestScenesKnowTheirNodes(t *testing.T) {
	for _, c := range []struct {
		nodes []Component
		scene string
	}{{nil, realScene}, {[]Component{{Name: "real-1"}}, "small"}} {
		lab := &Lab{dir: t.TempDir(), Nodes: c.nodes}
		if err := lab.save(); err != nil {
			t.Fatal(err)
		}
		err := loadScene(t.Context(), lab.dir, c.scene, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "is for real nodes") {
			t.Errorf("scene %s with %d real nodes: %v", c.scene, len(c.nodes), err)
		}
	}
}

func TestNodeCommandsThatCannotBeDone(t *testing.T) {
	dir := t.TempDir()
	lab := &Lab{dir: dir, Nodes: []Component{{Name: "real-1"}}}
	if err := lab.save(); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"reboot":             "a verb and the name of a node",
		"reboot real-2":      "no real node \"real-2\"",
		"explode real-1":     "unknown verb",
		"cut real-1 now":     "the other verbs take none",
		"exec real-1":        "takes a command",
		"exec real-1 uptime": "is switched off",
	} {
		err := changeNode(t.Context(), dir, strings.Fields(args), io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("lab node %s: %v, want %q", args, err, want)
		}
	}
	if err := changeNode(t.Context(), dir, []string{"cut", "real-1"}, io.Discard); err != nil {
		t.Errorf("the power of a machine that is off is cut: %v", err)
	}
}

// Each kubelet has an access of its own, to the address of the service that its machine reaches.
func TestKubeletsHaveTheirOwnAccess(t *testing.T) {
	lab := &Lab{dir: t.TempDir(), Nodes: []Component{{Name: "real-1"}}}
	if err := os.MkdirAll(lab.path("pki"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := lab.writeCerts(); err != nil {
		t.Fatal(err)
	}
	if err := lab.writeAccess(); err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(lab.machineryKubeconfig("system:node:real-1"))
	if err != nil || !strings.Contains(string(config), "https://10.0.0.1:443") {
		t.Errorf("%v: %s", err, config)
	}
	tokens, err := os.ReadFile(filepath.Join(lab.dir, "pki", "tokens.csv"))
	if err != nil || !strings.Contains(string(tokens), ",system:node:real-1,uid-system:node:real-1,\"system:nodes\"") {
		t.Errorf("%v: %s", err, tokens)
	}
}
