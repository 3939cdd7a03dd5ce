package conn

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// target is what a kubeconfig and the flags say where to connect, and as whom.
type target struct {
	config    *rest.Config
	context   string // "" when there is none, as inside a cluster
	user      string // the kubeconfig's name for the user
	namespace string // of the context or the flag
}

// resolve reads the kubeconfig as kubectl would.
func (f *Flags) resolve() (*target, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = f.Kubeconfig
	// The warner would print to the terminal; a missing file is told as an error.
	rules.Warner = func(error) {}
	overrides := f.Overrides
	if err := f.impersonate(&overrides); err != nil {
		return nil, err
	}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &overrides)
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, f.kubeconfigError(rules, err)
	}
	t := &target{context: raw.CurrentContext}
	if overrides.CurrentContext != "" {
		t.context = overrides.CurrentContext
	}
	if err := knownContext(&raw, t.context); err != nil {
		return nil, err
	}
	if err := wholeContext(&raw, t.context, &overrides); err != nil {
		return nil, err
	}
	if t.config, err = loader.ClientConfig(); err != nil {
		return nil, f.configError(rules, &raw, t.context, err)
	}
	withoutUser(t.config)
	t.namespace, _, _ = loader.Namespace()
	if c := raw.Contexts[t.context]; c != nil {
		t.user = c.AuthInfo
	}
	if overrides.Context.AuthInfo != "" {
		t.user = overrides.Context.AuthInfo
	}
	return t, nil
}

// impersonate adds the --as-user-extra values, key=value each, as kubectl
// reads them.
func (f *Flags) impersonate(overrides *clientcmd.ConfigOverrides) error {
	if len(f.asUserExtra) == 0 {
		return nil
	}
	extra := map[string][]string{}
	for _, pair := range f.asUserExtra {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return &ConnectError{
				Kind: BadKubeconfig, Tried: "reading --as-user-extra", Hint: "Write it as --as-user-extra=key=value.",
				Reason: fmt.Errorf("%q is not key=value", pair),
			}
		}
		extra[key] = append(extra[key], value)
	}
	overrides.AuthInfo.ImpersonateUserExtra = extra
	return nil
}

// kubeconfigError is for files that cannot be read or parsed.
func (f *Flags) kubeconfigError(rules *clientcmd.ClientConfigLoadingRules, err error) error {
	tried := "reading the kubeconfig " + paths(rules)
	if isMissingFile(err) {
		return &ConnectError{
			Kind: NoKubeconfig, Tried: tried, Reason: err,
			Hint: "Name an existing file with --kubeconfig or in KUBECONFIG.",
		}
	}
	return &ConnectError{
		Kind: BadKubeconfig, Tried: tried, Reason: err,
		Hint: "Repair the file; `kubectl config view` reads it the same way.",
	}
}

func knownContext(raw *clientcmdapi.Config, name string) error {
	if name == "" || raw.Contexts[name] != nil {
		return nil
	}
	hint := "The kubeconfig has no contexts."
	if known := slices.Sorted(maps.Keys(raw.Contexts)); len(known) > 0 {
		hint = "Known contexts: " + strings.Join(known, ", ") + "."
	}
	return &ConnectError{
		Kind: BadContext, Tried: "choosing the context", Hint: hint,
		Reason: fmt.Errorf("there is no context %q", name),
	}
}

// wholeContext finds a context that names a cluster or user that is not there;
// client-go would take it for no configuration at all.
func wholeContext(raw *clientcmdapi.Config, name string, overrides *clientcmd.ConfigOverrides) error {
	c := raw.Contexts[name]
	if c == nil {
		return nil
	}
	var reason error
	cluster, user := c.Cluster, c.AuthInfo
	if overrides.Context.Cluster != "" {
		cluster = overrides.Context.Cluster
	}
	if overrides.Context.AuthInfo != "" {
		user = overrides.Context.AuthInfo
	}
	switch {
	case raw.Clusters[cluster] == nil && overrides.ClusterInfo.Server == "":
		reason = fmt.Errorf("the kubeconfig has no cluster %q", cluster)
	case user != "" && raw.AuthInfos[user] == nil:
		reason = fmt.Errorf("the kubeconfig has no user %q", user)
	default:
		return nil
	}
	return &ConnectError{
		Kind: BadKubeconfig, Tried: fmt.Sprintf("using context %q", name), Reason: reason,
		Hint: "Add it, or choose another with --context, --cluster or --user; `kubectl config view` shows what there is.",
	}
}

// configError is for a kubeconfig that can be read and does not hold together.
func (f *Flags) configError(rules *clientcmd.ClientConfigLoadingRules, raw *clientcmdapi.Config, name string,
	err error) error {
	if clientcmd.IsEmptyConfig(err) {
		if name == "" && len(raw.Contexts) > 0 {
			return &ConnectError{
				Kind: BadContext, Tried: "choosing the context", Reason: errors.New("the kubeconfig names no current context"),
				Hint: "Choose one with --context: " + strings.Join(slices.Sorted(maps.Keys(raw.Contexts)), ", ") + ".",
			}
		}
		return &ConnectError{
			Kind: NoKubeconfig, Tried: "reading the kubeconfig " + paths(rules),
			Reason: errors.New("it is missing or empty"),
			Hint:   "Name a kubeconfig with --kubeconfig or in KUBECONFIG, or a server with --server.",
		}
	}
	return &ConnectError{
		Kind: BadKubeconfig, Tried: fmt.Sprintf("using context %q of the kubeconfig %s", name, paths(rules)),
		Reason: err,
		Hint:   "The context names a cluster, user or file that is not there; `kubectl config view` shows them.",
	}
}

// withoutUser takes a user and password out of the server's URL, where they would be shown
// with the address, and keeps them as what they are: credentials, where there are no others.
func withoutUser(config *rest.Config) {
	server, user := splitUser(config.Host)
	if user == nil {
		return
	}
	config.Host = server
	if config.BearerToken+config.BearerTokenFile+config.Username == "" && config.ExecProvider == nil &&
		config.AuthProvider == nil {
		config.Username = user.Username()
		config.Password, _ = user.Password()
	}
}

// splitUser splits the user info off a URL, also off one that cannot be parsed; nil where
// there is none.
func splitUser(server string) (address string, user *url.Userinfo) {
	scheme, rest, found := strings.Cut(server, "://")
	if !found {
		scheme, rest = "", server
	} else {
		scheme += "://"
	}
	authority, path := rest, ""
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority, path = rest[:end], rest[end:]
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return server, nil
	}
	name, password, _ := strings.Cut(authority[:at], ":")
	return scheme + authority[at+1:] + path, url.UserPassword(unescaped(name), unescaped(password))
}

func unescaped(part string) string {
	if plain, err := url.PathUnescape(part); err == nil {
		return plain
	}
	return part
}

func paths(rules *clientcmd.ClientConfigLoadingRules) string {
	return strings.Join(rules.GetLoadingPrecedence(), ", ")
}
