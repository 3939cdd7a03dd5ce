// Package audit reads what the API server noted of the requests of a person.
package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// Request is one request that the API server has answered.
type Request struct {
	ID, User, Agent, URI, Verb       string
	Resource, Subresource, Namespace string
	Name                             string
	Code                             int
	Message                          string
	Received, Answered               time.Time
}

// line is as much of an audit event as we read.
type line struct {
	AuditID, Stage, RequestURI, Verb, UserAgent string
	User                                        struct{ Username string }
	ObjectRef                                   struct{ Resource, Subresource, Namespace, Name string }
	ResponseStatus                              struct {
		Code    int
		Message string
	}
	RequestReceivedTimestamp, StageTimestamp time.Time
}

// Read returns the requests noted after the offset, in the order in which they
// came in, and the offset at which to go on. A watch counts from its start.
func Read(path string, offset int64) ([]Request, int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, offset, fmt.Errorf("open the audit log: %w", err)
	}
	defer file.Close()
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return nil, offset, fmt.Errorf("go on in the audit log: %w", err)
	}
	var requests []Request
	seen := map[string]bool{}
	for reader := bufio.NewReader(file); ; {
		text, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break // what is half written is read the next time
		}
		if err != nil {
			return nil, offset, fmt.Errorf("read the audit log: %w", err)
		}
		offset += int64(len(text))
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			// A server that was killed leaves a line half written, and the next one
			// goes on behind it.
			whole := bytes.LastIndex(text, []byte(`{"kind":"Event"`))
			if whole <= 0 || json.Unmarshal(text[whole:], &l) != nil {
				return nil, offset, fmt.Errorf("read a line of the audit log: %w", err)
			}
		}
		// A watch is noted when it starts and when it ends.
		if seen[l.AuditID] {
			continue
		}
		seen[l.AuditID] = true
		requests = append(requests, l.request())
	}
	slices.SortStableFunc(requests, func(a, b Request) int { return a.Received.Compare(b.Received) })
	return requests, offset, nil
}

func (l line) request() Request {
	return Request{
		ID: l.AuditID, User: l.User.Username, Agent: l.UserAgent, URI: l.RequestURI, Verb: l.Verb,
		Resource: l.ObjectRef.Resource, Subresource: l.ObjectRef.Subresource,
		Namespace: l.ObjectRef.Namespace, Name: l.ObjectRef.Name,
		Code: l.ResponseStatus.Code, Message: l.ResponseStatus.Message,
		Received: l.RequestReceivedTimestamp, Answered: l.StageTimestamp,
	}
}

// End is the offset behind the last whole line: the server may be writing the next one.
func End(path string) (int64, error) {
	log, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil // the server has not answered a request yet
	}
	if err != nil {
		return 0, fmt.Errorf("find the end of the audit log: %w", err)
	}
	return int64(bytes.LastIndexByte(log, '\n') + 1), nil
}

// Of keeps the requests of a program, which is told by the first word of its
// user agent.
func Of(requests []Request, program string) []Request {
	return slices.DeleteFunc(slices.Clone(requests), func(r Request) bool {
		return !strings.HasPrefix(r.Agent, program+"/")
	})
}

// Kind sorts requests by what is expected of them.
type Kind string

// The kinds of requests. Heartbeats, renewals of leases and watches have limits of their own.
const (
	Eviction  Kind = "eviction"
	Deletion  Kind = "deletion" // of a pod
	Watch     Kind = "watch"
	Heartbeat Kind = "heartbeat"
	Lease     Kind = "lease"
	Other     Kind = "other"
)

// Kind tells what a request is.
func (r Request) Kind() Kind {
	path, query, _ := strings.Cut(r.URI, "?")
	switch {
	case r.Resource == "pods" && r.Subresource == "eviction":
		return Eviction
	case r.Resource == "pods" && r.Verb == "delete":
		return Deletion
	case r.Verb == "watch" || strings.Contains(query, "watch=true"):
		return Watch
	case r.Resource == "leases" && r.Verb == "update": // taking and giving back count as any other
		return Lease
	case path == "/readyz" || path == "/livez":
		return Heartbeat
	}
	return Other
}

// Accepted tells whether the server did what it was asked.
func (r Request) Accepted() bool { return r.Code >= 200 && r.Code < 300 }

// Refused tells whether it was asked for an eviction too early, or too often.
func (r Request) Refused() bool { return r.Code == 429 }

// Label names the request for a statistic.
func (r Request) Label() string {
	what := r.Resource
	if what == "" {
		what, _, _ = strings.Cut(r.URI, "?")
		what = strings.Trim(strings.ReplaceAll(what, "/", "."), ".")
	}
	if r.Subresource != "" {
		what += "." + r.Subresource
	}
	return r.Verb + "/" + what
}
