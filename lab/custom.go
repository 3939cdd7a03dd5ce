package main

import (
	"context"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kdrain-tui/kdrain-tui/lab/operators"
)

// define applies a definition of custom resources and returns when the API server serves them.
func (c *cluster) define(ctx context.Context, definition *unstructured.Unstructured) error {
	if err := c.apply(ctx, definition); err != nil {
		return err
	}
	field := func(path ...string) string {
		value, _, _ := unstructured.NestedString(definition.Object, append([]string{"spec"}, path...)...)
		return value
	}
	versions, _, err := unstructured.NestedSlice(definition.Object, "spec", "versions")
	if err != nil || len(versions) == 0 {
		return fmt.Errorf("read %s: no versions: %w", title(definition), err)
	}
	version, _, _ := unstructured.NestedString(versions[0].(map[string]any), "name")
	kind := &unstructured.Unstructured{}
	kind.SetGroupVersionKind(schema.GroupVersionKind{Group: field("group"), Version: version,
		Kind: field("names", "kind")})
	return poll(ctx, scenePatience, title(definition)+" to be served", func(ctx context.Context) (string, error) {
		c.mapper.Reset() // what it knows is from before
		resource, err := c.resource(kind)
		if err == nil {
			_, err = resource.List(ctx, metav1.ListOptions{Limit: 1})
		}
		if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
			return "the API server does not know it yet", nil
		}
		return "", err
	})
}

// findOwners sets the UIDs of the owners of an object, which a scene cannot know.
func (c *cluster) findOwners(ctx context.Context, object *unstructured.Unstructured) error {
	owners := object.GetOwnerReferences()
	for i := range owners {
		if owners[i].UID != "" {
			continue
		}
		reference := &unstructured.Unstructured{}
		reference.SetAPIVersion(owners[i].APIVersion)
		reference.SetKind(owners[i].Kind)
		reference.SetNamespace(object.GetNamespace())
		resource, err := c.resource(reference)
		if err != nil {
			return err
		}
		owner, err := resource.Get(ctx, owners[i].Name, metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("look up the owner of %s: %w", title(object), err)
		}
		owners[i].UID = owner.GetUID()
	}
	if len(owners) > 0 {
		object.SetOwnerReferences(owners)
	}
	return nil
}

// playOperators plays the controllers of the scene managed until the context ends.
func playOperators(ctx context.Context, dir string, log io.Writer) error {
	lab, err := runningLab(dir)
	if err != nil {
		return err
	}
	config, err := lab.access("system:lab")
	if err != nil {
		return err
	}
	return operators.Play(ctx, config, log)
}
