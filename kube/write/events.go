package write

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// longestNote is how long the message of an Event may be (validation of
// events.k8s.io, pkg/apis/core/validation/events.go noteLengthLimit).
const longestNote = 1024

// WriteEvent writes an Event about a node. Those of objects without a namespace
// are in "default"; `kubectl describe node` asks there for the UID of the node,
// and for its name in the place of the UID, as kubelets write it
// (kubectl pkg/describe/describe.go NodeDescriber).
func (w *Writer) WriteEvent(ctx context.Context, e request.NodeEvent) kube.Answer {
	return w.send(ctx, http.MethodPost, events,
		url.Values{"fieldManager": {kube.FieldManager}}, contentJSON, eventObject(e), nil)
}

// events is where Events about nodes are made; the server names them.
var events = target{root: "/api/v1", namespace: metav1.NamespaceDefault, resource: "events", kind: "Event"}

func eventObject(e request.NodeEvent) *corev1.Event {
	message, kind, at := e.Message, corev1.EventTypeNormal, metav1.NewTime(e.At)
	if e.Warning {
		kind = corev1.EventTypeWarning
	}
	if len(message) > longestNote {
		message = strings.ToValidUTF8(message[:longestNote-3], "") + "..."
	}
	return &corev1.Event{
		TypeMeta:       metav1.TypeMeta{APIVersion: "v1", Kind: "Event"},
		ObjectMeta:     metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, GenerateName: e.Node + "."},
		InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: e.Node, UID: e.UID},
		Reason:         e.Reason, Message: message, Type: kind,
		Source:         corev1.EventSource{Component: kube.FieldManager},
		FirstTimestamp: at, LastTimestamp: at, Count: 1, ReportingController: kube.FieldManager,
	}
}
