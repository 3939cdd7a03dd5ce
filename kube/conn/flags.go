package conn

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/tools/clientcmd"
)

// Flags are the connection flags of kubectl, with the same names and meaning,
// and our own --read-only. The zero value is ready for Bind.
type Flags struct {
	Kubeconfig string
	Overrides  clientcmd.ConfigOverrides
	// ReadOnly makes the transport refuse whatever could change the cluster.
	ReadOnly bool
	// RequestLog gets a line for each request where -v asks for them; nil for none.
	RequestLog io.Writer

	verbosity        int
	warningsAsErrors bool
	asUserExtra      []string
	cacheDir         string
}

// Bind defines the flags in a flag set.
func (f *Flags) Bind(set *pflag.FlagSet) {
	set.StringVar(&f.Kubeconfig, "kubeconfig", f.Kubeconfig, "Path to the kubeconfig file to use for CLI requests.")
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.ClusterOverrideFlags.APIServer.ShortName = "s"
	clientcmd.BindOverrideFlags(&f.Overrides, set, names)
	set.StringArrayVar(&f.asUserExtra, "as-user-extra", nil,
		"User extras to impersonate for the operation, this flag can be repeated to specify multiple values for the same key.")
	set.StringVar(&f.cacheDir, "cache-dir", "", "Accepted as kubectl's flag and ignored: nothing is cached on disk.")
	set.BoolVar(&f.warningsAsErrors, "warnings-as-errors", false,
		"Treat warnings received from the server as errors and exit with a non-zero exit code")
	set.IntVarP(&f.verbosity, "v", "v", 0,
		"Above 0: log each request, its method, URL, status and duration, to standard error, "+
			"or to the log file while the dashboard is open. Never headers or bodies.")
	set.Lookup("v").NoOptDefVal = "6" // where kubectl begins to log requests
	set.BoolVar(&f.ReadOnly, "read-only", f.ReadOnly, "Refuse every request that could change the cluster.")
}

// Given are the connection flags that were given, as --name=value: without
// --kubeconfig and --context, and without those that hold secrets.
func (f *Flags) Given() []string {
	var given []string
	add := func(name string, values ...string) {
		for _, v := range values {
			if v != "" {
				given = append(given, "--"+name+"="+v)
			}
		}
	}
	o := &f.Overrides
	add("cluster", o.Context.Cluster)
	add("user", o.Context.AuthInfo)
	server, _ := splitUser(o.ClusterInfo.Server)
	add("server", server)
	add("tls-server-name", o.ClusterInfo.TLSServerName)
	add("certificate-authority", o.ClusterInfo.CertificateAuthority)
	if o.ClusterInfo.InsecureSkipTLSVerify {
		add("insecure-skip-tls-verify", "true")
	}
	add("client-certificate", o.AuthInfo.ClientCertificate)
	add("client-key", o.AuthInfo.ClientKey)
	add("as", o.AuthInfo.Impersonate)
	add("as-uid", o.AuthInfo.ImpersonateUID)
	add("as-group", o.AuthInfo.ImpersonateGroups...)
	add("as-user-extra", f.asUserExtra...)
	return given
}

// Names are the contexts, clusters and users of the kubeconfig, by name; none where it
// cannot be read.
func (f *Flags) Names() (contexts, clusters, users []string) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = f.Kubeconfig
	rules.Warner = func(error) {}
	raw, err := rules.Load()
	if err != nil {
		return nil, nil, nil
	}
	return slices.Sorted(maps.Keys(raw.Contexts)), slices.Sorted(maps.Keys(raw.Clusters)),
		slices.Sorted(maps.Keys(raw.AuthInfos))
}

// Contexts are those that can take the place of the one in use: none where a flag says more of the connection
// than its context, for that would be about another cluster then.
func (f *Flags) Contexts() []string {
	rest := f.Overrides
	rest.CurrentContext, rest.Timeout, rest.Context.Namespace = "", "", ""
	if !equality.Semantic.DeepEqual(rest, clientcmd.ConfigOverrides{}) || len(f.asUserExtra) > 0 {
		return nil
	}
	contexts, _, _ := f.Names()
	return contexts
}

// File is the one kubeconfig that was chosen: by flag, or by a KUBECONFIG that names
// one file; "" where kubectl's own rules find it, or put several together.
func (f *Flags) File() string {
	file := f.Kubeconfig
	if file == "" {
		file = os.Getenv(clientcmd.RecommendedConfigPathEnvVar)
	}
	if file == "" || file == clientcmd.RecommendedHomeFile || f.Kubeconfig == "" && len(filepath.SplitList(file)) > 1 {
		return ""
	}
	if whole, err := filepath.Abs(file); err == nil {
		return whole
	}
	return file
}

// JoinVerbosity makes one argument of -v and a number after it, which kubectl takes so. The
// number of our -v may be left out: without that it would be a name.
func JoinVerbosity(args []string) []string {
	var joined []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(joined, args[i:]...)
		}
		if (args[i] == "-v" || args[i] == "--v") && i+1 < len(args) {
			if _, err := strconv.ParseUint(args[i+1], 10, 8); err == nil {
				joined = append(joined, args[i]+"="+args[i+1])
				i++
				continue
			}
		}
		joined = append(joined, args[i])
	}
	return joined
}
