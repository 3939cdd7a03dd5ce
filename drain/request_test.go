package drain

import "github.com/kdrain-tui/kdrain-tui/kube/request"

// sent is the request of a write, empty where it is of another kind.
func sent[R request.Request](w Write) R {
	r, _ := w.Request.(R)
	return r
}

// sends reports whether the request of a write is of that kind.
func sends[R request.Request](w Write) bool {
	_, ok := w.Request.(R)
	return ok
}
