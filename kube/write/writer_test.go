package write

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/conn/conntest"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

const budgetRefusal = "Cannot evict pod as it would violate the pod's disruption budget."

// The rows are those of the table of eviction answers of a real API server
// (1.36); bodies and headers are what it sends. Each is one request: client-go
// would have repeated rows 3, 4 and 12 by itself.
func TestEvictionAnswers(t *testing.T) {
	cause := func(typ, message string) string {
		encoded, _ := json.Marshal(message)
		return `{"causes":[{"reason":"` + typ + `","message":` + string(encoded) + `}]}`
	}
	for name, c := range map[string]struct {
		code    int
		headers map[string]string
		body    string
		plain   bool
		want    kube.Answer
	}{
		"1 accepted": {
			code: 201, body: `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}`, want: kube.Answer{Code: 201},
		},
		"2 budget": {
			code: 429, body: kubetest.Status(429, "TooManyRequests", budgetRefusal, cause("DisruptionBudget", "The disruption budget web needs 2 healthy pods and has 2 currently")),
			want: kube.Answer{
				Code: 429, Reason: "TooManyRequests", Message: budgetRefusal,
				Causes: []kube.Cause{{Type: "DisruptionBudget", Message: "The disruption budget web needs 2 healthy pods and has 2 currently"}},
			},
		},
		"3 syncing": {
			code: 429, headers: map[string]string{"Retry-After": "10"},
			body: kubetest.Status(429, "TooManyRequests", budgetRefusal,
				`{"retryAfterSeconds":10,"causes":[{"reason":"DisruptionBudget","message":"The disruption budget web is still being processed by the server."}]}`),
			want: kube.Answer{
				Code: 429, Reason: "TooManyRequests", Message: budgetRefusal, RetryAfter: 10 * time.Second,
				Causes: []kube.Cause{{Type: "DisruptionBudget", Message: "The disruption budget web is still being processed by the server."}},
			},
		},
		"4 flow control": {
			code: 429, headers: map[string]string{"Retry-After": "1", "X-Kubernetes-PF-FlowSchema-UID": "f-1"}, plain: true,
			body: "Too many requests, please try again later.\n",
			want: kube.Answer{
				Code: 429, Reason: "TooManyRequests", Message: "Too many requests, please try again later.", RetryAfter: time.Second,
				Causes: []kube.Cause{{Type: "UnexpectedServerResponse", Message: "Too many requests, please try again later."}},
			},
		},
		"5 webhook": {
			code: 429, body: kubetest.Status(429, "TooManyRequests", "admission webhook \"x\" denied the request: Eviction triggered evacuation of VMI\x1b[2J", ""),
			want: kube.Answer{Code: 429, Reason: "TooManyRequests", Message: `admission webhook "x" denied the request: Eviction triggered evacuation of VMI`},
		},
		"6 two budgets": {
			code: 500, body: `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.","code":500}`,
			want: kube.Answer{Code: 500, Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."},
		},
		"7 namespace": {
			code: 403, body: kubetest.Status(403, "Forbidden", "pods \"x\" is forbidden: unable to create new content in namespace n because it is being terminated",
				`{"name":"x","kind":"pods","causes":[{"reason":"NamespaceTerminating","message":"namespace n is being terminated","field":"metadata.namespace"}]}`),
			want: kube.Answer{
				Code: 403, Reason: "Forbidden", Message: "pods \"x\" is forbidden: unable to create new content in namespace n because it is being terminated",
				Causes: []kube.Cause{{Type: "NamespaceTerminating", Message: "namespace n is being terminated"}},
			},
		},
		"8 lag": {
			code: 403, body: kubetest.Status(403, "Forbidden", "poddisruptionbudgets.policy \"b\" is forbidden: pdb disruptions allowed is negative", ""),
			want: kube.Answer{Code: 403, Reason: "Forbidden", Message: "poddisruptionbudgets.policy \"b\" is forbidden: pdb disruptions allowed is negative"},
		},
		"9 not allowed": {
			code: 403, body: kubetest.Status(403, "Forbidden", "pods \"x\" is forbidden: User \"u\" cannot create resource \"pods/eviction\"", ""),
			want: kube.Answer{Code: 403, Reason: "Forbidden", Message: "pods \"x\" is forbidden: User \"u\" cannot create resource \"pods/eviction\""},
		},
		"10 gone": {
			code: 404, body: kubetest.Status(404, "NotFound", "pods \"x\" not found", ""), want: kube.Answer{Code: 404, Reason: "NotFound", Message: "pods \"x\" not found"},
		},
		"11 replaced": {
			code: 409, body: kubetest.Status(409, "Conflict", "the UID in the precondition (A) does not match the UID in record (B)", ""),
			want: kube.Answer{Code: 409, Reason: "Conflict", Message: "the UID in the precondition (A) does not match the UID in record (B)"},
		},
		"12 conflicts": {
			code: 504, headers: map[string]string{"Retry-After": "10"},
			body: kubetest.Status(504, "Timeout", "couldn't update PodDisruptionBudget \"b\" due to conflicts", `{"retryAfterSeconds":10}`),
			want: kube.Answer{Code: 504, Reason: "Timeout", Message: "couldn't update PodDisruptionBudget \"b\" due to conflicts", RetryAfter: 10 * time.Second},
		},
		"13 bad": {
			code: 400, body: kubetest.Status(400, "BadRequest", "name in URL does not match name in Eviction object", ""),
			want: kube.Answer{Code: 400, Reason: "BadRequest", Message: "name in URL does not match name in Eviction object"},
		},
		"14 broken": {
			code: 503, headers: map[string]string{"Retry-After": "5"}, plain: true, body: "<html>\x1b]0;x\a</html>",
			want: kube.Answer{
				Code: 503, Reason: "ServiceUnavailable", Message: "<html></html>", RetryAfter: 5 * time.Second,
				Causes: []kube.Cause{{Type: "UnexpectedServerResponse", Message: "<html></html>"}},
			},
		},
		"a proxy that asks for a day": {
			code: 503, headers: map[string]string{"Retry-After": "86400"},
			body: kubetest.Status(503, "ServiceUnavailable", "maintenance", ""),
			want: kube.Answer{Code: 503, Reason: "ServiceUnavailable", Message: "maintenance", RetryAfter: time.Minute},
		},
		"a day in the body": {
			code: 429, body: kubetest.Status(429, "TooManyRequests", "later", `{"retryAfterSeconds":86400}`),
			want: kube.Answer{Code: 429, Reason: "TooManyRequests", Message: "later", RetryAfter: time.Minute},
		},
		"a page instead of an answer": {
			code: 200, plain: true, body: "<html>log in</html>",
			want: kube.Answer{Failure: "the answer 200 is not an API server's: reading the Status: invalid character '<' looking for beginning of value"},
		},
		"JSON of a gateway": {
			code: 201, body: `{"error":"session expired"}`,
			want: kube.Answer{Failure: `the answer 201 is not an API server's: reading the Status: its kind is ""`},
		},
		"another object": {
			code: 201, body: `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x","uid":"u"}}`,
			want: kube.Answer{Failure: `the answer 201 is not an API server's: reading the Status: its kind is "Pod"`},
		},
		"a failure that says 201": {
			code: 201, body: kubetest.Status(201, "", "no", ""),
			want: kube.Answer{Failure: `the answer 201 is not an API server's: reading the Status: it is a Status "Failure"`},
		},
		"cut in the middle": {
			code: 201, body: `{"kind":"Status","apiVersion":"v1","status":"Succ`,
			want: kube.Answer{Failure: "the answer 201 is not an API server's: reading the Status: unexpected end of JSON input"},
		},
		"another cluster's 404": {
			code: 404, body: kubetest.Status(404, "NotFound", `clusters.management.cattle.io "x" not found`, ""),
			want: kube.Answer{Code: 404, Message: `clusters.management.cattle.io "x" not found`},
		},
		"the 404 of another pod": {
			code: 404, body: kubetest.Status(404, "NotFound", `pods "x-1" not found`, ""), want: kube.Answer{Code: 404, Message: `pods "x-1" not found`},
		},
		"the 404 of its budget": {
			code: 404, body: kubetest.Status(404, "NotFound", `poddisruptionbudgets.policy "x" not found`, ""),
			want: kube.Answer{Code: 404, Message: `poddisruptionbudgets.policy "x" not found`},
		},
		"a gateway's 404": {
			code: 404, plain: true, body: `pods "x" not found`,
			want: kube.Answer{
				Code: 404, Message: `pods "x" not found`,
				Causes: []kube.Cause{{Type: "UnexpectedServerResponse", Message: `pods "x" not found`}},
			},
		},
		"a gateway's 403": {
			code: 403, plain: true, body: "blocked", want: kube.Answer{Failure: "the answer 403 is not an API server's: blocked"},
		},
		"a gateway's 409":      {code: 409, plain: true, want: kube.Answer{Failure: "the answer 409 is not an API server's: it is empty"}},
		"15 without a message": {code: 502, plain: true, want: kube.Answer{Code: 502, Causes: []kube.Cause{{Type: "UnexpectedServerResponse", Message: "unknown"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			server := kubetest.NewServer(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Audit-Id", "audit-1")
				for k, v := range c.headers {
					w.Header().Set(k, v)
				}
				if c.plain {
					w.Header().Set("Content-Type", "text/plain; charset=utf-8")
					w.WriteHeader(c.code)
					_, _ = w.Write([]byte(c.body))
					return
				}
				kubetest.WriteJSON(w, c.code, c.body)
			})
			got := New(conntest.To(t, server)).Evict(t.Context(), request.Evict{Namespace: "n", Name: "x", UID: "u"})
			if got.AuditID != "audit-1" {
				t.Errorf("headers are missing: %+v", got)
			}
			got.AuditID = ""
			if c.code == 502 {
				if got.Message == "" {
					t.Error("no message")
				}
				got.Message, got.Reason, c.want.Causes = "", "", got.Causes
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("\n got %+v\nwant %+v", got, c.want)
			}
			if n := len(server.Seen()); n != 1 {
				t.Errorf("%d requests", n)
			}
			if got.OK() != (name == "1 accepted") || got.HasCause("DisruptionBudget") != strings.Contains(c.body, `"reason":"DisruptionBudget"`) {
				t.Error("OK or HasCause is wrong")
			}
		})
	}
}

// everyWrite is each write with the kind and the name of what it is answered with; a
// deletion and an eviction may be answered with a Status.
func everyWrite(ctx context.Context, w *Writer) map[string]func() kube.Answer {
	lease := request.WriteLease{Namespace: "n", Node: "x", NodeUID: "u", Run: "r"}
	return map[string]func() kube.Answer{
		"Status  evict": func() kube.Answer { return w.Evict(ctx, request.Evict{Namespace: "n", Name: "x", UID: "u"}) },
		"Pod x delete":  func() kube.Answer { return w.Delete(ctx, request.Delete{Namespace: "n", Name: "x", UID: "u"}) },
		"Pod x set cost": func() kube.Answer {
			return w.SetCost(ctx, request.SetCost{Namespace: "n", Name: "x", UID: "u", To: "1"})
		},
		"Pod x look": func() kube.Answer {
			_, a := w.LivePod(ctx, "n", "x")
			return a
		},
		"Node x cordon":        func() kube.Answer { return w.Cordon(ctx, request.Cordon{Node: "x"}) },
		"Node x taint":         func() kube.Answer { return w.Taint(ctx, request.SetTaints{Node: "x"}) },
		"Node x delete":        func() kube.Answer { return w.DeleteNode(ctx, request.DeleteNode{Node: "x", UID: "u"}) },
		"Scale x scale":        func() kube.Answer { return w.Scale(ctx, request.Scale{Kind: "Deployment", Namespace: "n", Name: "x"}) },
		"Deployment x restart": func() kube.Answer { return w.Restart(ctx, request.Restart{Namespace: "n", Name: "x"}) },
		"ReplicaSet x raise":   func() kube.Answer { return w.Raise(ctx, request.Raise{Kind: "ReplicaSet", Namespace: "n", Name: "x"}) },
		"ReplicaSet x lower":   func() kube.Answer { return w.Lower(ctx, request.Lower{Kind: "ReplicaSet", Namespace: "n", Name: "x"}) },
		"PodDisruptionBudget x create": func() kube.Answer {
			return w.CreateBudget(ctx, request.CreateBudget{Namespace: "n", Name: "x", Selector: "a=b"})
		},
		"PodDisruptionBudget x look":              func() kube.Answer { return w.LiveBudget(ctx, request.GetBudget{Namespace: "n", Name: "x"}) },
		"PodDisruptionBudget x delete":            func() kube.Answer { return w.DeleteBudget(ctx, request.BudgetRef{Namespace: "n", Name: "x"}) },
		"Lease " + kube.LeaseName("u") + " take":  func() kube.Answer { return w.CreateLease(ctx, lease) },
		"Lease " + kube.LeaseName("u") + " renew": func() kube.Answer { return w.UpdateLease(ctx, lease) },
		"Lease x delete":                          func() kube.Answer { return w.DeleteLease(ctx, request.DeleteLease{Namespace: "n", Name: "x"}) },
		"Event any write":                         func() kube.Answer { return w.WriteEvent(ctx, request.NodeEvent{Node: "x"}) },
	}
}

// A success is the object that was asked for, or a Status where an API server sends one. All
// else is in doubt: no answer came.
func TestAnswersThatCount(t *testing.T) {
	var body string
	server := kubetest.NewServer(t, func(w http.ResponseWriter, _ *http.Request) { kubetest.WriteJSON(w, 200, body) })
	for name, write := range everyWrite(t.Context(), New(conntest.To(t, server))) {
		parts := strings.Split(name, " ")
		object := func(kind, name, uid string) string {
			return fmt.Sprintf(`{"kind":%q,"metadata":{"name":%q,"uid":%q,"resourceVersion":"9"}}`, kind, name, uid)
		}
		deletes := parts[2] == "delete" || parts[2] == "evict"
		for _, c := range []struct {
			body   string
			counts bool
		}{
			{object(parts[0], parts[1], "u-1"), parts[2] != "evict"},
			{`{"kind":"Status","status":"Success","details":{"uid":"u-1"}}`, deletes},
			{`{"kind":"Status","status":"Failure"}`, false},
			{object(parts[0], parts[1], ""), false},
			{object(parts[0], "other", "u-1"), parts[0] == "Event"},
			{object("Namespace", parts[1], "u-1"), false},
			{object("", parts[1], "u-1"), false},
			{`{"error":"session expired"}`, false}, {`{}`, false}, {`null`, false}, {``, false}, {`<html>`, false},
		} {
			body = c.body
			a := write()
			if a.OK() != c.counts || !c.counts && (a.Code != 0 || a.Failure == "" || a.Unsent) {
				t.Errorf("%s answered with %s: %+v", name, body, a)
			}
			if c.counts && a.UID != "u-1" && name != "PodDisruptionBudget x look" {
				t.Errorf("%s answered with %s: %+v", name, body, a)
			}
		}
	}
}

// No write goes where a redirection points to, nor does the token.
func TestRedirectedWrites(t *testing.T) {
	var stolen []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stolen = append(stolen, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
		kubetest.WriteJSON(w, 200, `{"kind":"Status","status":"Success"}`)
	}))
	t.Cleanup(other.Close)
	to, code := "", 0
	server := kubetest.NewTLSServer(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, code) })
	flags := conntest.Flags(t, server.URL)
	flags.Overrides.ClusterInfo.InsecureSkipTLSVerify, flags.Overrides.AuthInfo.Token = true, "s3cret"
	c, err := conn.Connect(t.Context(), flags, "1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	for name, write := range everyWrite(t.Context(), New(c)) {
		for _, code = range []int{301, 302, 303, 307, 308} {
			for _, to = range []string{other.URL + "/login", "/login"} {
				host := strings.TrimPrefix(other.URL, "http://")
				if to == "/login" {
					host = strings.TrimPrefix(server.URL, "https://")
				}
				want := fmt.Sprintf("redirected (%d) to %s/login, which is not followed", code, host)
				if a := write(); a.Failure != want || a.Code != 0 || a.Unsent || a.Class() != kube.AnswerTransient {
					t.Errorf("%s, %d to %s: %+v", name, code, to, a)
				}
			}
		}
	}
	for _, r := range server.Seen() {
		if r.Path == "/login" {
			t.Errorf("the log-in page got %s", r.Method)
		}
	}
	if len(stolen) > 0 {
		t.Errorf("another host got %v", stolen)
	}
}

func TestWriteRequests(t *testing.T) {
	grace := int64(5)
	server := kubetest.NewServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch {
			kubetest.WriteJSON(w, 200, `{"kind":"Node","metadata":{"name":"n1","uid":"node-uid","resourceVersion":"8"}}`)
			return
		}
		kubetest.WriteJSON(w, 200, `{"kind":"Pod","metadata":{"name":"x","namespace":"n","uid":"u","resourceVersion":"7"},"spec":{"nodeName":"n1"}}`)
	})
	c := conntest.To(t, server)
	New(c).Evict(t.Context(), request.Evict{Namespace: "n", Name: "x", UID: "u", Grace: &grace, DryRun: true})
	New(c).Delete(t.Context(), request.Delete{Namespace: "n", Name: "x", UID: "u"})
	cordon := New(c).Cordon(t.Context(), request.Cordon{Node: "n1", UID: "node-uid", ResourceVersion: "3", Unschedulable: true, Mark: "m"})
	New(c).Cordon(t.Context(), request.Cordon{Node: "n1", DryRun: true})
	pod, live := New(c).LivePod(t.Context(), "n", "x")

	want := []kubetest.Request{
		{Method: "POST", Path: "/api/v1/namespaces/n/pods/x/eviction", Query: "dryRun=All", ContentType: "application/json",
			Body: `{"apiVersion":"policy/v1","deleteOptions":{"gracePeriodSeconds":5,"preconditions":{"uid":"u"},"dryRun":["All"]},"kind":"Eviction","metadata":{"name":"x","namespace":"n"}}`},
		{Method: "DELETE", Path: "/api/v1/namespaces/n/pods/x", ContentType: "application/json",
			Body: `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u"}}`},
		{Method: "PATCH", Path: "/api/v1/nodes/n1", Query: "fieldManager=kdrain-tui", ContentType: "application/merge-patch+json",
			Body: `{"metadata":{"annotations":{"kdrain-tui.dev/cordon":"m"},"resourceVersion":"3","uid":"node-uid"},"spec":{"unschedulable":true}}`},
		{Method: "PATCH", Path: "/api/v1/nodes/n1", Query: "dryRun=All&fieldManager=kdrain-tui", ContentType: "application/merge-patch+json",
			Body: `{"metadata":{"annotations":{"kdrain-tui.dev/cordon":null}},"spec":{"unschedulable":null}}`},
		{Method: "GET", Path: "/api/v1/namespaces/n/pods/x"},
	}
	got := server.Seen()
	for i := range got {
		if !strings.HasPrefix(got[i].UserAgent, "kdrain-tui/1.2.3 (") {
			t.Errorf("user agent %q", got[i].UserAgent)
		}
		got[i].UserAgent = ""
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	if cordon.UID != "node-uid" || cordon.ResourceVersion != "8" || pod == nil || pod.Node != "n1" || live.UID != "u" {
		t.Errorf("cordon %+v, live %+v, pod %+v", cordon, live, pod)
	}
}

// timeUp is a context whose time is up at a moment of the test's.
type timeUp struct {
	context.Context
	now chan struct{}
}

func (c timeUp) Done() <-chan struct{} { return c.now }

func (c timeUp) Err() error {
	select {
	case <-c.now:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func TestNoAnswer(t *testing.T) {
	asked := timeUp{context.Background(), make(chan struct{})}
	server := kubetest.NewServer(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			close(asked.now)
			<-r.Context().Done()
			return
		}
		panic(http.ErrAbortHandler) // the connection breaks off
	})
	c := conntest.To(t, server)
	if a := New(c).Evict(t.Context(), request.Evict{Namespace: "n", Name: "x", UID: "u"}); a.Code != 0 || a.Failure == "" || a.Unsent {
		t.Errorf("broken off: %+v", a)
	}
	if a := New(c).Delete(asked, request.Delete{Namespace: "n", Name: "x", UID: "u"}); a.Failure != "no answer in time" || a.Unsent {
		t.Errorf("timeout: %+v", a)
	}
	server.Close()
	c.Close()
	if a := New(c).Evict(t.Context(), request.Evict{Namespace: "n", Name: "x", UID: "u"}); !a.Unsent || !strings.Contains(a.Failure, "refused") {
		t.Errorf("refused: %+v", a)
	}
}

func TestLivePodNeedsAnObject(t *testing.T) {
	server := kubetest.NewServer(t, func(w http.ResponseWriter, _ *http.Request) { kubetest.WriteJSON(w, 200, `<html>`) })
	if pod, a := New(conntest.To(t, server)).LivePod(t.Context(), "n", "x"); pod != nil || a.OK() || a.Failure == "" {
		t.Errorf("a page of a proxy became a pod: %+v %+v", pod, a)
	}
}

func TestEvictionSupport(t *testing.T) {
	for name, c := range map[string]struct {
		resource string
		want     conn.EvictionVersion
	}{
		"v1":      {`{"name":"pods/eviction","kind":"Eviction","group":"policy","version":"v1"}`, conn.EvictionV1},
		"v1beta1": {`{"name":"pods/eviction","kind":"Eviction","group":"policy","version":"v1beta1"}`, conn.EvictionV1beta1},
		"none":    {`{"name":"pods","kind":"Pod"}`, conn.NoEviction},
	} {
		server := kubetest.NewServer(t, func(w http.ResponseWriter, _ *http.Request) {
			kubetest.WriteJSON(w, 200, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[`+c.resource+`]}`)
		})
		cluster := conntest.To(t, server)
		for range 2 {
			if got, err := cluster.EvictionSupport(t.Context()); got != c.want || err != nil {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
		if n := len(server.Seen()); n != 1 {
			t.Errorf("%s: asked %d times", name, n)
		}
	}
}

func TestCheckAccess(t *testing.T) {
	server := kubetest.NewServer(t, func(w http.ResponseWriter, r *http.Request) {
		kubetest.WriteJSON(w, 201, `{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","status":{"allowed":true,"reason":"because\u001b[2J"}}`)
	})
	c := conntest.To(t, server)
	permission := request.Permission{Verb: "create", Resource: "pods", Subresource: "eviction", Namespace: "n"}
	results, err := c.CheckAccess(t.Context(), []request.Permission{permission, {Verb: "list", Group: "policy", Resource: "poddisruptionbudgets"}})
	if err != nil || len(results) != 2 || !results[0].Allowed || results[0].Reason != "because" || results[0].Permission != permission {
		t.Errorf("%+v, %v", results, err)
	}
	if got := permission.String(); got != "create pods/eviction in namespace n" {
		t.Errorf("%q", got)
	}
	if got := results[1].Permission.String(); got != "list poddisruptionbudgets.policy in all namespaces" {
		t.Errorf("%q", got)
	}
}
