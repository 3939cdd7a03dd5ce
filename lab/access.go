package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kdrain-tui/kdrain-tui/lab/node"
)

// identity is a user that the API server knows by its token.
type identity struct {
	name    string
	context string // of the kubeconfig of the lab; empty for the machinery
	groups  string
}

// The people are told from the machinery by their group: the audit log keeps
// what they ask for. What they may do is said in system/rbac.yaml. The machinery
// is in system:masters, so that neither RBAC nor the fairness of the API server
// gets in the way of what the lab has to do.
var identities = []identity{
	{name: "ada", context: "lab", groups: "lab:people"},
	{name: "restricted", context: "restricted", groups: "lab:people"},
	{name: "viewer", context: "viewer", groups: "lab:people"},
	{name: "system:kube-controller-manager", groups: "system:masters"},
	{name: "system:kube-scheduler", groups: "system:masters"},
	{name: "system:kwok", groups: "system:masters"},
	{name: "system:lab", groups: "system:masters"},
}

// machineryKubeconfig is where a component, or the lab itself, finds its access.
func (l *Lab) machineryKubeconfig(user string) string {
	return l.path("pki", strings.TrimPrefix(user, "system:")+".kubeconfig")
}

// kubelets are the identities of the real nodes.
func (l *Lab) kubelets() []identity {
	var all []identity
	for i := range l.Nodes {
		all = append(all, identity{name: "system:node:" + l.Nodes[i].Name, groups: "system:nodes"})
	}
	return all
}

// writeAccess writes the tokens and the kubeconfigs that go with them.
func (l *Lab) writeAccess() error {
	authority, err := os.ReadFile(l.path("pki", "ca.crt"))
	if err != nil {
		return fmt.Errorf("read the certificate of the lab: %w", err)
	}
	people := l.emptyConfig(authority)
	people.CurrentContext = "lab"
	var tokens strings.Builder
	for _, id := range slices.Concat(identities, l.kubelets()) {
		token := rand.Text()
		fmt.Fprintf(&tokens, "%s,%s,uid-%s,\"%s\"\n", token, id.name, id.name, id.groups)
		config, name := people, id.context
		if id.context == "" {
			config, name = l.emptyConfig(authority), "lab"
			config.CurrentContext = name
			if strings.HasPrefix(id.name, "system:node:") {
				config.Clusters["lab"].Server = "https://" + node.ServiceAddress + ":443"
			}
		}
		config.AuthInfos[id.name] = &clientcmdapi.AuthInfo{Token: token}
		config.Contexts[name] = &clientcmdapi.Context{Cluster: "lab", AuthInfo: id.name}
		if id.context == "" {
			if err := clientcmd.WriteToFile(*config, l.machineryKubeconfig(id.name)); err != nil {
				return fmt.Errorf("write the kubeconfig of %s: %w", id.name, err)
			}
		}
	}
	if err := os.WriteFile(l.path("pki", "tokens.csv"), []byte(tokens.String()), 0o600); err != nil {
		return fmt.Errorf("write the tokens: %w", err)
	}
	if err := clientcmd.WriteToFile(*people, l.kubeconfig()); err != nil {
		return fmt.Errorf("write the kubeconfig: %w", err)
	}
	return nil
}

func (l *Lab) emptyConfig(authority []byte) *clientcmdapi.Config {
	config := clientcmdapi.NewConfig()
	config.Clusters["lab"] = &clientcmdapi.Cluster{
		Server:                   "https://" + address(l.Ports.APIServer),
		CertificateAuthorityData: authority,
	}
	return config
}
