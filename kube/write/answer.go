package write

import (
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

// readAnswer reads what the server said, success or refusal.
func readAnswer(response *http.Response, object any) kube.Answer {
	header := response.Header
	a := kube.Answer{
		Code: response.StatusCode, AuditID: kube.Clean(header.Get("Audit-Id")),
		RetryAfter: retryAfter(header.Get("Retry-After")),
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil && !a.OK() {
		a.Message = "the answer broke off: " + kube.Clean(conn.PlainCause(err).Error())
	}
	if a.OK() {
		return readSuccess(a, body, err, object)
	}
	return readRefusal(a, response.Request, body)
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

func readSuccess(a kube.Answer, body []byte, broken error, object any) kube.Answer {
	var result struct {
		Kind     string `json:"kind"`
		Message  string `json:"message"`
		Metadata struct {
			UID             kube.UID `json:"uid"`
			ResourceVersion string   `json:"resourceVersion"`
		} `json:"metadata"`
		Details *metav1.StatusDetails `json:"details"`
	}
	if broken == nil {
		broken = json.Unmarshal(body, &result)
	}
	if broken == nil && object != nil {
		broken = json.Unmarshal(body, object)
	}
	if broken != nil {
		if object != nil {
			// Asked for an object and got none: not a success.
			return kube.Answer{Failure: "reading the answer: " + kube.Clean(broken.Error()), AuditID: a.AuditID}
		}
		return a // accepted; the body adds nothing that is needed
	}
	a.UID, a.ResourceVersion = kube.UID(kube.Visible(string(result.Metadata.UID))),
		kube.Visible(result.Metadata.ResourceVersion)
	if result.Kind == "Status" {
		a.Message = kube.CleanText(result.Message)
		if result.Details != nil {
			a.UID = kube.UID(kube.Visible(string(result.Details.UID)))
		}
	}
	return a
}

// readRefusal reads a metav1.Status. What is none (priority and fairness and
// proxies answer in plain text) becomes the status that client-go makes of it.
func readRefusal(a kube.Answer, request *http.Request, body []byte) kube.Answer {
	var status metav1.Status
	if json.Unmarshal(body, &status) != nil || status.Kind != "Status" {
		text := kube.CleanText(strings.TrimSpace(string(body)))
		status = apierrors.NewGenericServerResponse(a.Code, strings.ToLower(request.Method),
			schema.GroupResource{}, "", text, int(a.RetryAfter/time.Second), true).Status()
		if text != "" && a.Message == "" {
			a.Message = text
		}
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
