package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Each folder is a scene. Its files hold plain objects in the order in which
// they are made. What no object can say about itself, an annotation tells us; it
// is taken off before the object goes to the cluster:
//
//	on a workload or a bare pod:
//	  lab.kdrain-tui.dev/place: worker-a1*2 worker-b1        where its pods go, in the order of their creation
//	  lab.kdrain-tui.dev/make-sick: worker-b1=CrashLoopBackOff   one of them there never gets ready
//	  lab.kdrain-tui.dev/delete-held: worker-b4=example.com/archive   one there gets this finalizer, then is deleted
//	on a node:
//	  lab.kdrain-tui.dev/kubelet: stopped    once its pods run, its kubelet dies
//	  lab.kdrain-tui.dev/cordoned: "true"    ada runs `kubectl cordon` on it
//	on a pod, in a lab with real nodes:
//	  lab.kdrain-tui.dev/static: real-1      it is a static pod there
//
// An owner reference needs no UID.
//
//go:embed scenes/*/*.yaml
var sceneFiles embed.FS

const ours = "lab.kdrain-tui.dev/"

// scenePatience is for one step of a scene; it takes some seconds.
const scenePatience = 2 * time.Minute

// scene is a folder of scenes, read.
type scene struct {
	name       string
	objects    []*unstructured.Unstructured
	nodes      []string
	dead       []string // nodes whose kubelet stops
	cordoned   []string
	placements []placement
	static     []staticPod
}

// staticPod is one that a real node runs from a file.
type staticPod struct {
	node string
	pod  *unstructured.Unstructured
}

// realScene is the scene of real nodes; the others are of simulated kubelets, whose images no registry has.
const realScene = "real"

func sceneNames() []string {
	entries, err := fs.ReadDir(sceneFiles, "scenes")
	if err != nil {
		panic(err) // embedded: cannot be missing
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func readScene(name string) (*scene, error) {
	entries, err := fs.ReadDir(sceneFiles, "scenes/"+name)
	if err != nil {
		return nil, usageError{fmt.Sprintf("unknown scene %q: %s", name, strings.Join(sceneNames(), ", "))}
	}
	s := &scene{name: name}
	for _, entry := range entries {
		data, err := sceneFiles.ReadFile("scenes/" + name + "/" + entry.Name())
		if err != nil {
			return nil, fmt.Errorf("read scene %s: %w", name, err)
		}
		objects, err := decodeObjects(data)
		if err != nil {
			return nil, fmt.Errorf("read scene %s, %s: %w", name, entry.Name(), err)
		}
		for _, object := range objects {
			if err := s.add(object); err != nil {
				return nil, fmt.Errorf("read scene %s, %s: %s: %w", name, entry.Name(), title(object), err)
			}
		}
	}
	return s, nil
}

// add takes our annotations off an object and keeps what they say.
func (s *scene) add(object *unstructured.Unstructured) error {
	said := map[string]string{}
	kept := map[string]string{}
	for key, value := range object.GetAnnotations() {
		if what, mine := strings.CutPrefix(key, ours); mine {
			said[what] = value
		} else {
			kept[key] = value
		}
	}
	if len(said) > 0 {
		object.SetAnnotations(kept)
	}
	if isNode(object) {
		s.nodes = append(s.nodes, object.GetName())
		if said["kubelet"] == "stopped" {
			s.dead = append(s.dead, object.GetName())
		}
		if said["cordoned"] == "true" {
			s.cordoned = append(s.cordoned, object.GetName())
		}
	} else if on := said["static"]; on != "" {
		s.static = append(s.static, staticPod{on, object})
		return nil
	} else if said["place"] != "" {
		placement, err := newPlacement(object, said)
		if err != nil {
			return err
		}
		s.placements = append(s.placements, placement)
	}
	s.objects = append(s.objects, object)
	return nil
}

func loadScene(ctx context.Context, dir, name string, log io.Writer) error {
	s, err := readScene(name)
	if err != nil {
		return err
	}
	release, err := lockLab(ctx, dir, log)
	if err != nil {
		return err
	}
	defer release()
	lab, err := runningLab(dir)
	if err != nil {
		return err
	}
	switch {
	case (name == realScene) != (len(lab.Nodes) > 0):
		return fmt.Errorf("the scene %s is for real nodes (lab up --nodes=2), all others are for simulated ones",
			realScene)
	case lab.Scene == name && lab.Settled:
		fmt.Fprintf(log, "lab: scene %s is loaded already\n", name)
		return nil
	case lab.Scene != "" && lab.Scene != name:
		return fmt.Errorf("the lab in %s holds scene %s; scenes do not mix, so start a fresh one: lab down, lab up",
			dir, lab.Scene)
	}
	lab.Scene = name
	if err := lab.save(); err != nil {
		return err
	}
	began := time.Now()
	if err := lab.stage(ctx, s, log); err != nil {
		return fmt.Errorf("load scene %s: %w", name, err)
	}
	lab.Settled = true
	if err := lab.save(); err != nil {
		return err
	}
	fmt.Fprintf(log, "lab: scene %s has settled in %s\n", name, time.Since(began).Round(100*time.Millisecond))
	return nil
}

// stage builds the scene step by step. Every step can be done again, so that a
// call that was interrupted is simply repeated.
func (l *Lab) stage(ctx context.Context, s *scene, log io.Writer) error {
	c, err := l.connect("system:lab")
	if err != nil {
		return err
	}
	fmt.Fprintf(log, "lab: scene %s: %d objects\n", s.name, len(s.objects))
	if err := l.withScheduler(syscall.SIGSTOP, func() error {
		if err := c.makeObjects(ctx, s, func(kind string) bool { return kind != "PodDisruptionBudget" }); err != nil {
			return err
		}
		if err := l.writeStatic(ctx, s); err != nil {
			return err
		}
		return c.arrange(ctx, s)
	}); err != nil {
		return err
	}
	fmt.Fprintln(log, "lab: pods are placed, waiting until they run")
	living := *s
	living.dead = nil
	if err := c.settle(ctx, &living); err != nil {
		return err
	}
	// Budgets come last. Where two of them select a pod, the disruption controller
	// follows only one of the two once they exist; the other keeps its first count.
	if err := c.makeObjects(ctx, s, func(kind string) bool { return kind == "PodDisruptionBudget" }); err != nil {
		return err
	}
	for _, node := range s.cordoned {
		if output, err := l.kubectl(ctx, "cordon", node).CombinedOutput(); err != nil {
			return fmt.Errorf("cordon %s: %w: %s", node, err, output)
		}
	}
	for _, node := range s.dead {
		if err := c.stopKubelet(ctx, node); err != nil {
			return err
		}
	}
	if err := c.settle(ctx, s); err != nil {
		return err
	}
	return c.writeUsage(ctx, s)
}

// withScheduler holds the scheduler still while pods are bound by hand, so that
// a scene looks the same each time. Afterwards it is the real one that places.
func (l *Lab) withScheduler(still syscall.Signal, work func() error) error {
	scheduler, err := l.component("kube-scheduler")
	if err != nil {
		return err
	}
	if !scheduler.alive() {
		return errors.New("kube-scheduler is not running; start it with: lab start kube-scheduler")
	}
	if err := scheduler.signal(still); err != nil {
		return err
	}
	return errors.Join(work(), scheduler.signal(syscall.SIGCONT))
}

// isNode reports whether an object is a node of the cluster. Longhorn has a kind of that name too.
func isNode(object *unstructured.Unstructured) bool {
	return object.GetKind() == "Node" && object.GetAPIVersion() == "v1"
}

func (c *cluster) makeObjects(ctx context.Context, s *scene, wanted func(kind string) bool) error {
	for _, object := range s.objects {
		object := object.DeepCopy()
		switch {
		case !wanted(object.GetKind()):
			continue
		case isNode(object):
			labels := object.GetLabels()
			labels[kubeletLabel] = "simulated"
			object.SetLabels(labels)
			if err := c.create(ctx, object); err != nil {
				return err
			}
			continue
		case object.GetKind() == "CustomResourceDefinition":
			if err := c.define(ctx, object); err != nil {
				return err
			}
			continue
		case object.GetAnnotations()["kubernetes.io/config.mirror"] != "":
			if err := c.ownByNode(ctx, object); err != nil {
				return err
			}
		}
		if err := c.findOwners(ctx, object); err != nil {
			return err
		}
		if err := c.apply(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// ownByNode does what a kubelet does to the mirror of a static pod.
func (c *cluster) ownByNode(ctx context.Context, pod *unstructured.Unstructured) error {
	name, _, err := unstructured.NestedString(pod.Object, "spec", "nodeName")
	if err != nil {
		return fmt.Errorf("read the node of %s: %w", title(pod), err)
	}
	node, err := c.typed.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("look up the node of %s: %w", title(pod), err)
	}
	controls := true
	pod.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID, Controller: &controls,
	}})
	return nil
}
