package conn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Identity says which cluster a connection leads to, and who we are there.
type Identity struct {
	Context string // of the kubeconfig, "" inside a cluster
	Server  string // URL of the API server
	// User is who the server takes us for; where it does not say, the
	// kubeconfig's name for the user in parentheses.
	User    string
	Version string // gitVersion of the server, "" if it does not say
	// ClusterID is the UID of the kube-system namespace. Where that may not be
	// read it is "server:" and a hash of server and CA, and Why says the reason.
	ClusterID string
	Why       string
}

const connectTimeout = 30 * time.Second // of silence; a plugin's prompt takes what it takes

// identify makes the first request, so that credentials are asked for now.
func (c *Cluster) identify(ctx context.Context) error {
	c.identity = Identity{Context: c.target.context, Server: kube.Clean(c.target.config.Host)}
	if err := c.login(ctx); err != nil {
		return err
	}
	var group kube.Group
	group.Go("server version", func() {
		bounded, cancel := c.Within(ctx, connectTimeout)
		defer cancel()
		c.identity.Version, _ = c.askVersion(bounded)
	})
	var lost error
	group.Go("cluster id", func() { c.identity.ClusterID, c.identity.Why, lost = c.clusterID(ctx) })
	group.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return lost
}

// lookupTime is how long the name of the API server may take to resolve.
const lookupTime = 2 * time.Second

// ServerAddresses are the host of the API server's URL and what it resolves to
// here, for finding the node that it runs on. A name that does not resolve, as
// behind a proxy, stands for itself.
func (c *Cluster) ServerAddresses(ctx context.Context) []string {
	u, err := url.Parse(c.target.config.Host)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	host := u.Hostname()
	addresses := []string{host}
	if net.ParseIP(host) != nil {
		return addresses
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	resolved, _ := net.DefaultResolver.LookupHost(ctx, host)
	return append(addresses, resolved...)
}

// login asks who we are; a server that does not know the question (before 1.28)
// is asked for its version instead.
func (c *Cluster) login(ctx context.Context) error {
	c.identity.User = "(" + kube.Clean(c.target.user) + ")"
	bounded, cancel := c.withoutPromptTime(ctx)
	defer cancel()
	review, err := c.reads.AuthenticationV1().SelfSubjectReviews().Create(bounded,
		&authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err == nil {
		c.identity.User = kube.Clean(review.Status.UserInfo.Username)
		return nil
	}
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || apierrors.IsMethodNotSupported(err) {
		_, err = c.askVersion(bounded)
	}
	return err
}

func (c *Cluster) askVersion(ctx context.Context) (string, error) {
	result := c.reads.Discovery().RESTClient().Get().AbsPath(versionPath).MaxRetries(1).Do(ctx)
	if err := result.Error(); err != nil {
		return "", err
	}
	raw, _ := result.Raw()
	return versionIn(raw)
}

// withoutPromptTime bounds the first request, unless a credential plugin takes
// part in it: somebody may have to find a phone first.
func (c *Cluster) withoutPromptTime(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.readBase.ExecProvider != nil && c.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return c.Within(ctx, connectTimeout)
}

// clusterID is the UID of kube-system, or what stands in for it where the server
// does not show it. A server that went away meanwhile has shown nothing: that is an
// error, lest the cluster be taken for another one.
func (c *Cluster) clusterID(ctx context.Context) (id, why string, err error) {
	bounded, cancel := c.Within(ctx, connectTimeout)
	defer cancel()
	ns, err := c.reads.CoreV1().Namespaces().Get(bounded, metav1.NamespaceSystem, metav1.GetOptions{})
	switch {
	case err == nil && ns.UID == "":
		err = errors.New("it has no UID")
	case err == nil:
		return kube.Visible(string(ns.UID)), "", nil
	case apierrors.IsUnexpectedServerError(err): // a gateway's
	case apierrors.IsForbidden(err), apierrors.IsNotFound(err), apierrors.IsUnauthorized(err):
		return serverID(c.target.config), kube.CleanText(fmt.Sprintf("reading the namespace kube-system: %v",
			PlainCause(err))), nil
	}
	return "", "", fmt.Errorf("read the namespace kube-system: %w", err)
}

// serverID stands in for the cluster's UID: the same server with the same
// certificate authority is taken for the same cluster.
func serverID(config *rest.Config) string {
	authority := config.CAData
	if len(authority) == 0 && config.CAFile != "" {
		// A file that is gone makes another id, which refuses a resume: safe.
		authority, _ = os.ReadFile(config.CAFile)
	}
	sum := sha256.Sum256(append([]byte(config.Host+"\n"), authority...))
	return "server:" + hex.EncodeToString(sum[:16])
}

// versionIn reads gitVersion from the answer of /version, whatever it looks
// like: builds without a stamp say v0.0.0-master+$Format:%H$. Whatever answers without it
// is no API server.
func versionIn(raw []byte) (string, error) {
	var info struct {
		GitVersion string `json:"gitVersion"`
	}
	if err := json.Unmarshal(raw, &info); err != nil || info.GitVersion == "" {
		return "", &foreignError{"what answers /version is not an API server"}
	}
	return kube.CleanText(info.GitVersion), nil
}
