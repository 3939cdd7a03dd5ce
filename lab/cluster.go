package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
)

//go:embed system/rbac.yaml
var rbacYAML []byte

//go:embed system/metrics.yaml
var metricsYAML []byte

// fieldManager is under what name the lab writes.
const fieldManager = "kdrain-tui-lab"

// cluster is our access to the API server of a lab.
type cluster struct {
	typed   kubernetes.Interface
	dynamic dynamic.Interface
	rest    rest.Interface
	mapper  *restmapper.DeferredDiscoveryRESTMapper
}

// access is how the lab itself, or a component, reaches the API server.
func (l *Lab) access(user string) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", l.machineryKubeconfig(user))
	if err != nil {
		return nil, fmt.Errorf("read the access of the lab: %w", err)
	}
	config.QPS = -1 // no limit of our own
	return config, nil
}

func (l *Lab) connect(user string) (*cluster, error) {
	config, err := l.access(user)
	if err != nil {
		return nil, err
	}
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("prepare a connection: %w", err)
	}
	dyn, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("prepare a connection: %w", err)
	}
	return &cluster{
		typed: typed, dynamic: dyn, rest: typed.Discovery().RESTClient(),
		mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(typed.Discovery())),
	}, nil
}

// installBasics is what every lab has before the first scene: the rights of its
// people and the kinds that stand in for the metrics server.
func (l *Lab) installBasics(ctx context.Context) error {
	c, err := l.connect("system:lab")
	if err != nil {
		return err
	}
	for _, data := range [][]byte{rbacYAML, metricsYAML} {
		objects, err := decodeObjects(data)
		if err != nil {
			return err
		}
		for _, object := range objects {
			if err := c.apply(ctx, object); err != nil {
				return err
			}
		}
	}
	usage := schema.GroupVersionResource{Group: "metrics.k8s.io", Version: "v1beta1", Resource: "pods"}
	return poll(ctx, startPatience, "metrics.k8s.io to be served", func(ctx context.Context) (string, error) {
		_, err := c.dynamic.Resource(usage).List(ctx, metav1.ListOptions{})
		if apierrors.IsNotFound(err) {
			return "the API server does not know it yet", nil
		}
		return "", err
	})
}

// decodeObjects reads the documents of a YAML file.
func decodeObjects(data []byte) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		var document runtime.RawExtension
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read objects from YAML: %w", err)
		}
		if len(document.Raw) == 0 || string(document.Raw) == "null" {
			continue // comments only
		}
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(document.Raw); err != nil {
			return nil, fmt.Errorf("read objects from YAML: %w", err)
		}
		if object.IsList() {
			list, err := object.ToList()
			if err != nil {
				return nil, fmt.Errorf("read a list from YAML: %w", err)
			}
			for i := range list.Items {
				objects = append(objects, &list.Items[i])
			}
			continue
		}
		objects = append(objects, object)
	}
}

func (c *cluster) resource(object *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	kind := object.GroupVersionKind()
	mapping, err := c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, fmt.Errorf("find the resource of %s: %w", kind.Kind, err)
	}
	resource := c.dynamic.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return resource.Namespace(object.GetNamespace()), nil
	}
	return resource, nil
}

// apply makes an object what it is said to be. Kinds with a status of their own
// do not get one this way.
func (c *cluster) apply(ctx context.Context, object *unstructured.Unstructured) error {
	resource, err := c.resource(object)
	if err != nil {
		return err
	}
	_, err = resource.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
	if err != nil {
		return fmt.Errorf("apply %s: %w", title(object), err)
	}
	return nil
}

// create makes an object unless it is there, status included where its kind
// allows that (nodes do).
func (c *cluster) create(ctx context.Context, object *unstructured.Unstructured) error {
	resource, err := c.resource(object)
	if err != nil {
		return err
	}
	_, err = resource.Create(ctx, object, metav1.CreateOptions{FieldManager: fieldManager})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create %s: %w", title(object), err)
	}
	return nil
}

func title(object *unstructured.Unstructured) string {
	if object.GetNamespace() == "" {
		return object.GetKind() + " " + object.GetName()
	}
	return object.GetKind() + " " + object.GetNamespace() + "/" + object.GetName()
}

// poll asks again and again until nothing is missing. What is missing
// last is what the error says when the patience is over.
func poll(ctx context.Context, patience time.Duration, goal string,
	ask func(context.Context) (missing string, err error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	last := "nothing was answered"
	for {
		missing, err := ask(ctx)
		switch {
		case err == nil && missing == "":
			return nil
		case err == nil:
			last = missing
		case ctx.Err() == nil:
			return err
		}
		if err := pause(ctx, 150*time.Millisecond); err != nil {
			return fmt.Errorf("wait for %s: %w; still missing: %s", goal, err, last)
		}
	}
}
