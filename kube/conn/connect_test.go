package conn

import (
	"encoding/base64"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func WriteKubeconfig(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// kubeconfig has the contexts good and other; user and server are filled in.
func Kubeconfig(server, user string, more ...string) string {
	return `apiVersion: v1
kind: Config
current-context: good
contexts:
- {name: good, context: {cluster: c, user: u, namespace: team}}
- {name: other, context: {cluster: missing, user: u}}
clusters:
- {name: c, cluster: {server: "` + server + `"` + strings.Join(more, "") + `}}
users:
- name: u
  user: {` + user + `}
`
}

// authority is the certificate authority of a TLS server; credentials are only
// ever sent to one.
func Authority(server *httptest.Server) string {
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return `, certificate-authority-data: "` + base64.StdEncoding.EncodeToString(block) + `"`
}

func TestConnectErrors(t *testing.T) {
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	refusing := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		kubetest.WriteJSON(w, 401, kubetest.Status(401, "Unauthorized", "Unauthorized", ""))
	}))
	t.Cleanup(refusing.Close)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not see the client go
		<-r.Context().Done()
	}))
	t.Cleanup(silent.Close)
	starting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		kubetest.WriteJSON(w, 503, kubetest.Status(503, "ServiceUnavailable", "apiserver is starting", ""))
	}))
	t.Cleanup(starting.Close)
	unread := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		kubetest.WriteJSON(w, 403, kubetest.Status(403, "Forbidden", `forbidden: User "ada" cannot get path "/version"`, ""))
	}))
	t.Cleanup(unread.Close)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(418) }))
	t.Cleanup(web.Close)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close() // last, so that no server from above has its port

	for name, c := range map[string]struct {
		config, context, timeout string
		kind                     ConnectProblem
		says, hint               string
	}{
		"unknown context": {config: Kubeconfig("https://x", ""), context: "prod", kind: BadContext, says: `no context "prod"`, hint: "good, other"},
		"broken context":  {config: Kubeconfig("https://x", ""), context: "other", kind: BadKubeconfig, says: "missing"},
		"no current":      {config: strings.Replace(Kubeconfig("https://x", ""), "current-context: good", "", 1), kind: BadContext, hint: "good, other"},
		"not yaml":        {config: "{", kind: BadKubeconfig},
		"empty":           {config: "", kind: NoKubeconfig, hint: "--kubeconfig"},
		"refused":         {config: Kubeconfig("http://"+closed.Addr().String(), ""), kind: NoServer, says: "refused", hint: "Nothing listens"},
		"no such name":    {config: Kubeconfig("https://no-such-host.invalid", ""), kind: NoServer, hint: "no-such-host.invalid"},
		"silent":          {config: Kubeconfig(silent.URL, ""), timeout: "100ms", kind: NoServer, hint: "VPN"},
		"unknown CA":      {config: Kubeconfig(secure.URL, ""), kind: BadTLS, hint: "certificate-authority"},
		"http for https":  {config: Kubeconfig(strings.Replace(web.URL, "http:", "https:", 1), ""), kind: BadTLS},
		"expired token":   {config: Kubeconfig(refusing.URL, `token: secret-token`, Authority(refusing)), kind: BadCredentials, says: "Unauthorized", hint: "Log in again"},
		"starting":        {config: Kubeconfig(starting.URL, ""), kind: NotReady, says: "is starting", hint: "may be starting"},
		"roles not read":  {config: Kubeconfig(unread.URL, ""), kind: OtherProblem, says: "cannot get path", hint: "just starting"},
		"no web page":     {config: Kubeconfig(web.URL, ""), kind: OtherProblem},
		"no plugin": {
			config: Kubeconfig(refusing.URL, `exec: {apiVersion: client.authentication.k8s.io/v1, command: no-such-plugin, interactiveMode: Never}`, Authority(refusing)),
			kind:   PluginFailed, says: "no-such-plugin", hint: "credential plugin",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
			flags := &Flags{Kubeconfig: WriteKubeconfig(t, c.config)}
			flags.Overrides.CurrentContext, flags.Overrides.Timeout = c.context, c.timeout
			cluster, err := Connect(t.Context(), flags, "test")
			var problem *ConnectError
			if !errors.As(err, &problem) {
				t.Fatalf("got %v, %v", cluster, err)
			}
			if problem.Kind != c.kind || problem.Hint == "" || !strings.Contains(err.Error(), c.says) || !strings.Contains(problem.Hint, c.hint) {
				t.Errorf("%q: %v\nhint: %s", problem.Kind, err, problem.Hint)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Error("the error tells the token")
			}
		})
	}
}

func TestConnectWithoutKubeconfig(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	t.Setenv("KUBECONFIG", missing)
	for name, flags := range map[string]*Flags{"by environment": {}, "by flag": {Kubeconfig: missing}} {
		_, err := Connect(t.Context(), flags, "test")
		var problem *ConnectError
		if !errors.As(err, &problem) || problem.Kind != NoKubeconfig || !strings.Contains(err.Error(), missing) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestConnectIdentity(t *testing.T) {
	server := kubetest.NewServer(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	t.Setenv("KUBECONFIG", WriteKubeconfig(t, Kubeconfig(server.URL, "token: x")))
	c, err := Connect(t.Context(), &Flags{}, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	want := Identity{Context: "good", Server: server.URL, User: "ada", Version: "v0.0.0-master+$Format:%H$", ClusterID: "cluster-uid"}
	if c.Identity() != want || c.Namespace() != "team" {
		t.Errorf("got %+v in %q, want %+v", c.Identity(), c.Namespace(), want)
	}
}

// A server before 1.28 does not know who we are, and may keep kube-system to
// itself.
func TestConnectIdentityOfLittle(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/version":
			kubetest.WriteJSON(w, 200, `{"gitVersion":"v1.25.0"}`)
		case "/api/v1/namespaces/kube-system":
			kubetest.WriteJSON(w, 403, kubetest.Status(403, "Forbidden", "namespaces \"kube-system\" is forbidden", ""))
		default:
			kubetest.WriteJSON(w, 404, kubetest.Status(404, "NotFound", "the server could not find the requested resource", ""))
		}
	}))
	t.Cleanup(server.Close)
	t.Setenv("KUBECONFIG", WriteKubeconfig(t, Kubeconfig(server.URL, "token: x")))
	var ids [2]Identity
	for i := range ids {
		c, err := Connect(t.Context(), &Flags{}, "test")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		ids[i] = c.Identity()
	}
	if ids[0] != ids[1] || ids[0].User != "(u)" || !strings.HasPrefix(ids[0].ClusterID, "server:") || !strings.Contains(ids[0].Why, "forbidden") {
		t.Errorf("%+v", ids)
	}
}

// A server that goes away between the first question and the next is not taken for
// another cluster.
func TestConnectToAServerThatGoesAway(t *testing.T) {
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		server.Listener.Close() // no further connection
		w.Header().Set("Connection", "close")
		kubetest.WriteJSON(w, 201, `{"kind":"SelfSubjectReview","status":{"userInfo":{"username":"ada"}}}`)
	}))
	t.Cleanup(server.Close)
	t.Setenv("KUBECONFIG", WriteKubeconfig(t, Kubeconfig(server.URL, "token: x")))
	c, err := Connect(t.Context(), &Flags{}, "test")
	if err == nil {
		c.Close()
		t.Fatalf("connected as %+v", c.Identity())
	}
	var failed *ConnectError
	if !errors.As(err, &failed) || failed.Kind != NoServer {
		t.Errorf("%v", err)
	}
}

// A password in the server's URL is a credential, and is shown with no address.
func TestPasswordInTheAddress(t *testing.T) {
	var user, password string
	server := kubetest.NewServer(t, func(w http.ResponseWriter, r *http.Request) {
		user, password, _ = r.BasicAuth()
		w.WriteHeader(404)
	})
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	secret := func(address string) string { return strings.Replace(address, "://", "://ada:s3cr%2Fet@", 1) }
	flags := &Flags{}
	flags.Overrides.ClusterInfo.Server = secret(server.URL)
	c, err := Connect(t.Context(), flags, "1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	_, _ = c.Reads().CoreV1().Pods("n").Get(t.Context(), "x", metav1.GetOptions{})
	if user != "ada" || password != "s3cr/et" || c.Identity().Server != server.URL ||
		strings.Join(flags.Given(), " ") != "--server="+server.URL {
		t.Errorf("%q %q, %+v, %v", user, password, c.Identity(), flags.Given())
	}
	for _, address := range []string{"https://127.0.0.1:1", "https://127.0.0.1:port", "https://[x", "https://127.0.0.1:1?a=b@c"} {
		flags.Overrides.ClusterInfo.Server = secret(address)
		if _, err := Connect(t.Context(), flags, "1"); err == nil || strings.Contains(err.Error(), "s3cr") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestFlags(t *testing.T) {
	var f Flags
	set := pflag.NewFlagSet("test", pflag.ContinueOnError)
	f.Bind(set)
	// What cli-runtime's ConfigFlags has, by name.
	for _, name := range []string{
		"kubeconfig", "cache-dir", "certificate-authority", "client-certificate", "client-key", "token", "as", "as-uid", "as-group",
		"as-user-extra", "username", "password", "cluster", "user", "namespace", "context", "server", "tls-server-name",
		"insecure-skip-tls-verify", "request-timeout", "disable-compression", "proxy-url", "read-only",
	} {
		if set.Lookup(name) == nil {
			t.Errorf("no flag --%s", name)
		}
	}
	args := []string{"-n", "team", "-s", "https://x", "--as-user-extra", "a=1", "--as-user-extra=a=2", "--as=ada", "--request-timeout=3s", "--cache-dir=/x", "--read-only"}
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	target, err := f.resolve()
	if err != nil {
		t.Fatal(err)
	}
	if target.config.Host != "https://x" || target.namespace != "team" || f.Overrides.Context.Namespace != "team" || target.config.Timeout != 3*time.Second ||
		target.config.Impersonate.UserName != "ada" || len(target.config.Impersonate.Extra["a"]) != 2 || !f.ReadOnly {
		t.Errorf("%+v", target.config.Impersonate)
	}
	f.asUserExtra = []string{"nonsense"}
	if _, err := f.resolve(); err == nil {
		t.Error("--as-user-extra=nonsense was taken")
	}
}

// A plugin runs once for both connections, may print while it logs in, and is
// not run for a prompt later.
func TestCredentialPlugin(t *testing.T) {
	count := filepath.Join(t.TempDir(), "count")
	plugin := filepath.Join(t.TempDir(), "plugin")
	script := "#!/bin/sh\necho run >> " + count + "\necho 'open the browser' >&2\n" +
		`echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t"}}'` + "\n"
	if err := os.WriteFile(plugin, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	server := kubetest.NewTLSServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t" {
			w.WriteHeader(401)
			return
		}
		kubetest.WriteJSON(w, 200, `{"kind":"Pod","metadata":{"uid":"u"}}`)
	})
	t.Setenv("KUBECONFIG", WriteKubeconfig(t, Kubeconfig(server.URL, `exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: IfAvailable, command: "`+plugin+`"}`, Authority(server.Server))))
	stderr := os.Stderr
	for range 2 {
		c, err := Connect(t.Context(), &Flags{}, "test")
		if err != nil {
			t.Fatal(err)
		}
		c.OnPluginOutput(func(string) {})
		if _, err := c.Reads().CoreV1().Pods("n").Get(t.Context(), "x", metav1.GetOptions{}); err != nil {
			t.Error(err)
		}
		if !c.readBase.ExecProvider.StdinUnavailable {
			t.Error("a plugin may prompt over the screen")
		}
		c.Close()
	}
	if os.Stderr != stderr {
		t.Error("standard error was not given back")
	}
	if runs, _ := os.ReadFile(count); strings.Count(string(runs), "run") != 1 {
		t.Errorf("the plugin ran %d times", strings.Count(string(runs), "run"))
	}
}

func TestPluginOutput(t *testing.T) {
	var terminal strings.Builder
	p := &pluginOutput{terminal: &terminal}
	p.write("code: \x1b[1mABCD\x1b[0m\n")
	var lines []string
	p.redirect(func(line string) { lines = append(lines, line) })
	p.write("half")
	p.write(" a line\x1b[2J\r\n\nnext\n")
	if terminal.String() != "code: \x1b[1mABCD\x1b[0m\n" {
		t.Errorf("the terminal got %q", terminal.String())
	}
	if strings.Join(lines, "|") != "half a line|next" {
		t.Errorf("lines: %q", lines)
	}
}
