package kube

import (
	"net/http"
	"strings"
	"sync/atomic"
)

// RequestCounts are the requests that a connection has sent so far.
type RequestCounts struct {
	Evictions  int64 // dry runs included
	Writes     int64 // every other change
	Gets       int64 // single objects and discovery
	Lists      int64
	Watches    int64 // watches opened
	Reviews    int64 // access and subject reviews
	Heartbeats int64
}

// requestCounter counts by what a request is for.
type requestCounter struct {
	evictions, writes, gets, lists, watches, reviews, heartbeats atomic.Int64
}

func (c *requestCounter) counts() RequestCounts {
	return RequestCounts{
		Evictions: c.evictions.Load(), Writes: c.writes.Load(), Gets: c.gets.Load(), Lists: c.lists.Load(),
		Watches: c.watches.Load(), Reviews: c.reviews.Load(), Heartbeats: c.heartbeats.Load(),
	}
}

func (c *requestCounter) count(r *http.Request) {
	switch {
	case isHeartbeat(r.Context()):
		c.heartbeats.Add(1)
	case r.Method == http.MethodGet && isWatch(r):
		c.watches.Add(1)
	case r.Method == http.MethodGet && isList(r.URL.Path):
		c.lists.Add(1)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		c.gets.Add(1)
	case isReview(r):
		c.reviews.Add(1)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/eviction"):
		c.evictions.Add(1)
	default:
		c.writes.Add(1)
	}
}

func isWatch(r *http.Request) bool {
	watch := r.URL.Query().Get("watch")
	return watch == "true" || watch == "1"
}

// isReview tells of the two POSTs that ask and change nothing.
func isReview(r *http.Request) bool {
	return r.Method == http.MethodPost &&
		(strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews") || strings.HasSuffix(r.URL.Path, "/selfsubjectreviews"))
}

// isList tells whether the path names a collection. The path may begin with
// that of a gateway in front of the API server.
func isList(path string) bool {
	var rest string
	if _, after, ok := strings.Cut(path, "/apis/"); ok {
		group, version, found := strings.Cut(after, "/")
		if !found || group == "" {
			return false // the discovery of a group
		}
		_, rest, _ = strings.Cut(version, "/")
	} else if _, after, ok := strings.Cut(path, "/api/v1/"); ok {
		rest = after
	}
	if rest == "" {
		return false // discovery, version, readyz
	}
	parts := strings.Split(rest, "/")
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	return len(parts) == 1
}
