package app

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// OwnPod is the pod that the program runs in.
type OwnPod struct {
	Namespace, Name string
	// UID is known where its service account is mounted. Without it a pod of these
	// names could be one of another cluster.
	UID kube.UID
	// Service is the address of the API server of its own cluster.
	Service string
}

// ServiceAccountFolder is where a pod finds out about itself.
const ServiceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount"

// FindOwnPod finds the pod that we run in: by what the token of the service
// account in that folder says of it, else by POD_NAME and POD_NAMESPACE, which the
// downward API sets if a manifest asks for it, else by the host name, which is the
// pod's unless it uses the host's network, and the namespace of the service
// account. Outside of a cluster it is empty.
func FindOwnPod(getenv func(string) string, hostname func() (string, error), folder string) OwnPod {
	if getenv("KUBERNETES_SERVICE_HOST") == "" {
		return OwnPod{}
	}
	if own := podOfToken(folder + "/token"); own.UID != "" {
		return own
	}
	own := OwnPod{Namespace: getenv("POD_NAMESPACE"), Name: getenv("POD_NAME"),
		Service: getenv("KUBERNETES_SERVICE_HOST")}
	if own.Namespace == "" {
		text, _ := os.ReadFile(folder + "/namespace")
		own.Namespace = strings.TrimSpace(string(text))
	}
	if own.Name == "" {
		own.Name, _ = hostname()
	}
	if own.Namespace == "" || own.Name == "" {
		return OwnPod{}
	}
	return own
}

// podOfToken is the pod that a service account's token was made for, empty where
// it does not say. The token is our own and is believed as it stands; what it
// says is described by TokenRequest (bound service account tokens).
func podOfToken(path string) OwnPod {
	text, _ := os.ReadFile(path) // none is mounted: nothing is known
	parts := strings.Split(strings.TrimSpace(string(text)), ".")
	if len(parts) != 3 {
		return OwnPod{}
	}
	var claims struct {
		Kubernetes struct {
			Namespace string
			Pod       struct {
				Name string
				UID  kube.UID
			}
		} `json:"kubernetes.io"`
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(payload, &claims) != nil {
		return OwnPod{}
	}
	pod := claims.Kubernetes.Pod
	return OwnPod{Namespace: claims.Kubernetes.Namespace, Name: pod.Name, UID: pod.UID}
}

// in reports whether the pod can be one of the cluster of that API server: a UID is
// that of one pod in the world; without it the server must be that of our cluster.
func (o OwnPod) in(server string) bool {
	if o.UID != "" {
		return true
	}
	u, err := url.Parse(server)
	return err == nil && o.Service != "" && slices.Contains([]string{
		o.Service, "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
	}, u.Hostname())
}

// self is where we stand in the cluster; the address of its API server is asked
// for where a plan is made for somebody to read.
func (s *Session) self(ctx context.Context, read bool) preflight.Self {
	self := preflight.Self{Server: s.Identity().Server}
	if s.OwnPod.in(self.Server) {
		self.Namespace, self.Pod, self.UID = s.OwnPod.Namespace, s.OwnPod.Name, s.OwnPod.UID
	}
	if read {
		self.Addresses = s.ServerAddresses(ctx)
	}
	return self
}
