package watch

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn/conntest"
	"github.com/kdrain-tui/kdrain-tui/kube/hostile"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// unsafeTexts are the lines of all texts in a value that a terminal must not get.
func unsafeTexts(v reflect.Value) (found []string) {
	switch v.Kind() {
	case reflect.String:
		for line := range strings.SplitSeq(v.String(), "\n") {
			if strings.ContainsFunc(line, kube.Unsafe) {
				found = append(found, line)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			found = append(found, unsafeTexts(v.Index(i))...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				found = append(found, unsafeTexts(v.Field(i))...)
			}
		}
	}
	return found
}

// Escape sequences in every field of a pod and of the Events about it, in its logs and in
// what the server says instead of them, come through to no part of what is read of it.
func TestDetailsOfAHostilePod(t *testing.T) {
	words := strings.Join(hostile.Texts, " ")
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 4))
		all := hostile.Objects(r, []string{corev1.LastAppliedConfigAnnotation})
		pod := all[0].(*corev1.Pod)
		pod.TypeMeta, pod.Name, pod.Namespace, pod.UID = metav1.TypeMeta{}, "x", "shop", "uid"
		events := &corev1.EventList{Items: []corev1.Event{{}, {}}}
		for i := range events.Items {
			hostile.Fill(r, &events.Items[i])
			events.Items[i].TypeMeta = metav1.TypeMeta{}
		}
		server := kubetest.NewServer(t, func(w http.ResponseWriter, r *http.Request) {
			var answer any = pod
			switch {
			case strings.HasSuffix(r.URL.Path, "/log") && seed%2 == 0:
				w.Header().Set("Content-Type", "text/plain")
				_, _ = w.Write([]byte(words + "\n" + words))
				return
			case strings.HasSuffix(r.URL.Path, "/log"), strings.HasSuffix(r.URL.Path, "/events") && seed%5 == 0:
				kubetest.WriteJSON(w, 403, asJSON(t, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
					Status: metav1.StatusFailure, Code: 403, Reason: metav1.StatusReasonForbidden, Message: words}))
				return
			case strings.HasSuffix(r.URL.Path, "/events"):
				answer = events
			}
			kubetest.WriteJSON(w, 200, asJSON(t, answer))
		})
		d, err := ReadPod(t.Context(), conntest.To(t, server), "shop", "x", "uid", "")
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(d.Events) == 0 && seed%5 != 0 || len(d.Logs) == 0 && len(d.Missing) == 0 {
			t.Errorf("seed %d: little was read: %+v", seed, d)
		}
		for _, text := range unsafeTexts(reflect.ValueOf(d)) {
			t.Errorf("seed %d: %q", seed, text)
		}
	}
}

func asJSON(t *testing.T, o any) string {
	t.Helper()
	if object, ok := o.(runtime.Object); ok { // with its kind, as an API server sends it
		kinds, _, err := scheme.Scheme.ObjectKinds(object)
		if err != nil {
			t.Fatal(err)
		}
		object = object.DeepCopyObject()
		object.GetObjectKind().SetGroupVersionKind(kinds[0])
		o = object
	}
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Nor does what the metrics API says: its versions, its errors, its nodes.
func TestHostileUsage(t *testing.T) {
	words := strings.Join(hostile.Texts, " ")
	for name, c := range map[string]struct {
		group, nodes string
		code         int
	}{
		"version": {group: asJSON(t, metav1.APIGroup{TypeMeta: metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}, Name: "metrics.k8s.io",
			Versions: []metav1.GroupVersionForDiscovery{{GroupVersion: words, Version: words}}})},
		"refused": {`{"kind":"APIGroup","apiVersion":"v1","name":"metrics.k8s.io","versions":[{"version":"v1"}]}`,
			asJSON(t, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: 403, Reason: "Forbidden", Message: words}), 403},
		"no JSON": {`{"kind":"APIGroup","apiVersion":"v1","name":"metrics.k8s.io","versions":[{"version":"v1"}]}`, words, 200},
	} {
		t.Run(name, func(t *testing.T) {
			server := kubetest.NewServer(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/nodes") {
					kubetest.WriteJSON(w, c.code, c.nodes)
					return
				}
				kubetest.WriteJSON(w, 200, c.group)
			})
			w := Start(t.Context(), conntest.To(t, server), Options{Needs: Whole(kube.KindUsage)})
			defer w.Close()
			if err := kubetest.WaitSynced(t.Context(), w, kube.KindUsage); err != nil {
				t.Fatal(err)
			}
			state := w.Snapshot().Sync(kube.KindUsage)
			if texts := unsafeTexts(reflect.ValueOf(state.Reason)); state.Reason == "" || len(texts) > 0 {
				t.Errorf("%q", state.Reason)
			}
		})
	}
}
