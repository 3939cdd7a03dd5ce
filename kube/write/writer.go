package write

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// writeTimeout bounds each write. The server retries conflicts over a budget by
// itself for up to 10 s, so an answer can take that long.
const writeTimeout = 20 * time.Second

// maxAnswer bounds what is read of an answer.
const maxAnswer = 8 << 20

// Writer is the writes of one user to one cluster. Each call is one request that writes.
type Writer struct{ c *conn.Cluster }

var (
	_ request.Writer      = (*Writer)(nil)
	_ request.LeaseWriter = (*Writer)(nil)
	_ request.EventWriter = (*Writer)(nil)
	_ request.NodeDeleter = (*Writer)(nil)
)

// New writes on a connection.
func New(c *conn.Cluster) *Writer { return &Writer{c} }

// Evict asks for the eviction of one pod.
func (w *Writer) Evict(ctx context.Context, r request.Evict) kube.Answer {
	eviction := pod(r.Namespace, r.Name).under("eviction", statusKind)
	return w.send(ctx, http.MethodPost, eviction, dryRunQuery(r.DryRun), contentJSON,
		map[string]any{
			"apiVersion": w.c.EvictionVersion(), "kind": "Eviction",
			"metadata":      map[string]any{"name": r.Name, "namespace": r.Namespace},
			"deleteOptions": deleteOptions(r.UID, r.Grace, r.DryRun),
		}, nil)
}

// Delete deletes one pod, past all budgets.
func (w *Writer) Delete(ctx context.Context, r request.Delete) kube.Answer {
	options := deleteOptions(r.UID, r.Grace, r.DryRun)
	options.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"}
	return w.send(ctx, http.MethodDelete, pod(r.Namespace, r.Name), dryRunQuery(r.DryRun), contentJSON, options,
		nil)
}

// Cordon makes a node unschedulable or schedulable again, and writes or removes
// our mark, in one patch.
func (w *Writer) Cordon(ctx context.Context, r request.Cordon) kube.Answer {
	metadata := map[string]any{"annotations": map[string]any{kube.CordonAnnotation: orNull(r.Mark, r.Mark != "")}}
	if r.UID != "" {
		metadata["uid"] = r.UID
	}
	if r.ResourceVersion != "" {
		metadata["resourceVersion"] = r.ResourceVersion
	}
	if r.ExcludeFromLB != nil {
		metadata["labels"] = map[string]any{kube.LoadBalancerLabel: orNull("", *r.ExcludeFromLB)}
	}
	query := dryRunQuery(r.DryRun)
	query.Set("fieldManager", kube.FieldManager)
	return w.send(ctx, http.MethodPatch, node(r.Node), query, contentMergePatch,
		map[string]any{"metadata": metadata, "spec": map[string]any{"unschedulable": orNull(true, r.Unschedulable)}},
		nil)
}

// DeleteNode deletes one Node object.
func (w *Writer) DeleteNode(ctx context.Context, r request.DeleteNode) kube.Answer {
	options := deleteOptions(r.UID, nil, false)
	options.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"}
	return w.send(ctx, http.MethodDelete, node(r.Node), url.Values{}, contentJSON, options,
		nil)
}

// LivePod reads a pod from the server, not from the store.
func (w *Writer) LivePod(ctx context.Context, namespace, name string) (*kube.Pod, kube.Answer) {
	var live corev1.Pod
	answer := w.send(ctx, http.MethodGet, pod(namespace, name), url.Values{}, "", nil, &live)
	if !answer.OK() {
		return nil, answer
	}
	return convert.Pod(&live), answer
}

const (
	contentJSON       = "application/json"
	contentMergePatch = "application/merge-patch+json"
)

// dryRunQuery says it in the query too, where the read-only transport looks.
func dryRunQuery(dry request.DryRun) url.Values {
	query := url.Values{}
	if dry {
		query.Set("dryRun", metav1.DryRunAll)
	}
	return query
}

func deleteOptions(uid kube.UID, grace *int64, dry request.DryRun) *metav1.DeleteOptions {
	options := &metav1.DeleteOptions{GracePeriodSeconds: grace}
	if uid != "" {
		options.Preconditions = &metav1.Preconditions{UID: &uid}
	}
	if dry {
		options.DryRun = []string{metav1.DryRunAll}
	}
	return options
}

// orNull is a value of a merge patch, or the null that removes the field.
func orNull(value any, keep bool) any {
	if keep {
		return value
	}
	return nil
}

// send makes exactly one request. It goes past client-go's REST client, which
// would sleep and repeat a 429 with Retry-After by itself and keep the headers
// of refusals; credentials, user agent and read-only guard are in the transport
// and apply all the same. object takes the body of a success, if not nil.
func (w *Writer) send(ctx context.Context, method string, t target, query url.Values, content string, body,
	object any) kube.Answer {
	ctx, cancel := w.c.Within(ctx, writeTimeout)
	defer cancel()
	var payload io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return kube.Answer{Failure: "encoding the request: " + err.Error(), Unsent: true}
		}
		payload = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, "/", payload)
	if err != nil {
		return kube.Answer{Failure: kube.Clean(err.Error()), Unsent: true}
	}
	request.Header.Set("Accept", contentJSON)
	if content != "" {
		request.Header.Set("Content-Type", content)
	}
	response, err := w.c.Do(request, t.path(method), query)
	if err != nil {
		return failure(err)
	}
	defer func() { _ = response.Body.Close() }()
	return readAnswer(response, method, t, object)
}
