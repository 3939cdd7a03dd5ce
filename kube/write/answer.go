package write

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// failure is the answer when none came.
func failure(err error) kube.Answer {
	a := kube.Answer{Failure: kube.Clean(conn.PlainCause(err).Error()), Unsent: conn.Unsent(err)}
	if errors.Is(err, context.DeadlineExceeded) && !conn.IsPluginError(err) {
		a.Failure = "no answer in time"
	}
	return a
}

// readAnswer reads what the server said to a request, success or refusal. It decides
// whether an API server said it: gateways answer too, with any code and any page.
func readAnswer(response *http.Response, method string, t target, object any) kube.Answer {
	header := response.Header
	a := kube.Answer{
		Code: response.StatusCode, AuditID: kube.Clean(header.Get("Audit-Id")),
		RetryAfter: retryAfter(header.Get("Retry-After")),
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if a.OK() {
		return readSuccess(a, body, err, method, t, object)
	}
	if err != nil {
		a.Message = "the answer broke off: " + kube.Clean(conn.PlainCause(err).Error())
	}
	return readRefusal(a, body, method, t)
}

// unread is the answer where what came is no API server's: the request may have been done.
func unread(a kube.Answer, why string) kube.Answer {
	return kube.Answer{AuditID: a.AuditID, Failure: kube.CleanText(fmt.Sprintf(
		"the answer %d is not an API server's: %s", a.Code, why))}
}

// retryAfter reads the header, which API servers send in seconds.
func retryAfter(value string) time.Duration {
	seconds, err := strconv.Atoi(value)
	if err != nil || seconds < 0 {
		return 0
	}
	return bounded(seconds)
}

func bounded(seconds int) time.Duration {
	return time.Duration(min(seconds, int(conn.MaxRetryAfter/time.Second))) * time.Second
}

// readSuccess accepts the object that was asked for, or a Status that says Success.
func readSuccess(a kube.Answer, body []byte, broken error, method string, t target, object any) kube.Answer {
	var r result
	if broken == nil {
		broken = json.Unmarshal(body, &r)
	}
	if broken == nil {
		broken = t.check(method, &r)
	}
	if broken == nil && object != nil {
		broken = json.Unmarshal(body, object)
	}
	if broken != nil {
		return unread(a, fmt.Sprintf("reading the %s: %v", t.kind, broken))
	}
	if r.Kind == t.kind && t.kind != statusKind {
		a.UID = kube.UID(kube.Visible(string(r.Metadata.UID)))
		a.ResourceVersion = kube.Visible(r.Metadata.ResourceVersion)
		return a
	}
	a.UID, a.Message = kube.UID(kube.Visible(string(r.Details.UID))), kube.CleanText(r.Message)
	return a
}

// readRefusal reads a metav1.Status. What is none (priority and fairness and
// proxies answer in plain text) becomes the status that client-go makes of it, unless
// it would say something of the object: that is a Status always.
func readRefusal(a kube.Answer, body []byte, method string, t target) kube.Answer {
	var status metav1.Status
	if json.Unmarshal(body, &status) != nil || status.Kind != statusKind {
		text := kube.CleanText(strings.TrimSpace(string(body)))
		if a.Class() != kube.AnswerTransient {
			return unread(a, cmp.Or(text, a.Message, "it is empty"))
		}
		status = apierrors.NewGenericServerResponse(a.Code, strings.ToLower(method),
			schema.GroupResource{}, "", text, int(a.RetryAfter/time.Second), true).Status()
		if text != "" && a.Message == "" {
			a.Message = text
		}
	}
	if a.Code == http.StatusNotFound && !t.missing(method, status.Message) {
		status.Reason = "" // it is about something else
	}
	a.Reason = metav1.StatusReason(kube.CleanText(string(status.Reason)))
	if a.Message == "" {
		a.Message = kube.CleanText(status.Message)
	}
	if a.Message == "" {
		a.Message = fmt.Sprintf("the server answered %d without a message", a.Code)
	}
	if status.Details != nil {
		for _, cause := range status.Details.Causes {
			a.Causes = append(a.Causes, kube.Cause{
				Type: kube.CleanText(string(cause.Type)), Message: kube.CleanText(cause.Message),
			})
		}
		if a.RetryAfter == 0 && status.Details.RetryAfterSeconds > 0 {
			a.RetryAfter = bounded(int(status.Details.RetryAfterSeconds))
		}
	}
	return a
}
