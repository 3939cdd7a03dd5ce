package watch

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"

	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// readTimeout bounds what is read for one screen or plan.
const readTimeout = 20 * time.Second

// kubectl drain needs no more than the right to get the nodes that it is given
// and the DaemonSets of their pods. Where nothing may be listed, so do we.

// nodesByName lists nodes, or reads those of the names one by one where they may
// not be listed.
func nodesByName(cs kubernetes.Interface, names []string, list listFunc) listFunc {
	return func(ctx context.Context, o listOptions) (runtime.Object, error) {
		all, err := list(ctx, o)
		if len(names) == 0 || !apierrors.IsForbidden(err) {
			return all, err
		}
		found := &corev1.NodeList{}
		for _, name := range names {
			n, getErr := cs.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
			switch {
			case conn.IsGone(getErr):
				continue
			case apierrors.IsForbidden(getErr):
				return nil, err
			case getErr != nil:
				return nil, getErr
			}
			found.Items = append(found.Items, *n)
			found.ResourceVersion = n.ResourceVersion
		}
		return found, nil
	}
}

// NodeNames are the names of the nodes that a label selector selects.
func NodeNames(ctx context.Context, c *conn.Cluster, selector string) ([]string, error) {
	ctx, cancel := c.Within(ctx, readTimeout)
	defer cancel()
	nodes, err := c.Reads().CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err == nil {
		err = complete(nodes)
	}
	if err != nil {
		return nil, fmt.Errorf("listing nodes: %w", conn.PlainCause(err))
	}
	names := make([]string, len(nodes.Items))
	for i := range nodes.Items {
		names[i] = nodes.Items[i].Name
	}
	return names, nil
}
