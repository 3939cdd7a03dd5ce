package cli

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
)

func (p *Program) versionCommand() *cobra.Command {
	f := p.newFlags()
	var clientOnly bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of this program and of the API server",
		Example: p.examples(`
# Print the versions, and warn where client and server are too far apart
version
# Print the version of this program, and ask no server
version --client -o json`),
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.version(cmd.Context(), f, clientOnly) },
	}
	cmd.Flags().BoolVar(&clientOnly, "client", false, "this program only; asks no server")
	f.bindOutput(cmd.Flags())
	return cmd
}

// BuildOf says what this binary was made of. A release stamps version and commit; go
// install, which stamps neither, fills in for them.
func BuildOf(version, commit string) Build {
	b := Build{Version: version, Commit: commit}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Go = info.GoVersion
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	if b.Version == "" || b.Version == "(devel)" {
		b.Version = "devel"
	}
	dirty := ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			if b.Commit == "" {
				b.Commit = s.Value
			}
		case "vcs.modified":
			if s.Value == "true" {
				dirty = " (modified)"
			}
		}
	}
	if commit == "" && b.Commit != "" {
		b.Commit += dirty
	}
	for _, dep := range info.Deps {
		if dep.Path == "k8s.io/client-go" {
			b.Kubernetes = dep.Version
		}
	}
	return b
}

// noArgs is cobra.NoArgs with our exit code.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("see "+cmd.CommandPath()+" --help", "%s takes no arguments", cmd.CommandPath())
	}
	return nil
}

type versionJSON struct {
	Client  Build  `json:"client"`
	Server  string `json:"server,omitempty"`
	Context string `json:"context,omitempty"`
	Warning string `json:"warning,omitempty"`
}

// versionPatience is how long a server may take to tell its version.
const versionPatience = 10 * time.Second

func (p *Program) version(ctx context.Context, f *flags, clientOnly bool) error {
	v := versionJSON{Client: p.Build}
	var failed error
	if !clientOnly {
		ctx, cancel := context.WithTimeout(ctx, versionPatience)
		defer cancel()
		session, err := p.open(ctx, app.ConnectOptions{ReadOnly: true})
		if err == nil {
			defer session.Close()
			v.Server, v.Context = session.Identity().Version, session.Identity().Context
			v.Warning = skewWarning(p.Build.Kubernetes, v.Server)
		}
		failed = err
	}
	err := p.printer(f).Value(v, func(t *print.Text) {
		printVersion(t, v)
		if v.Warning != "" {
			fmt.Fprintln(p.Err, "Warning: "+v.Warning)
		}
	})
	return cmp.Or(err, failed)
}

func printVersion(t *print.Text, v versionJSON) {
	t.Say("kdrain-tui  %s", v.Client.Version)
	if v.Client.Commit != "" {
		t.Say("commit      %s", v.Client.Commit)
	}
	t.Say("built with  %s (%s/%s), client-go %s", v.Client.Go, runtime.GOOS, runtime.GOARCH, v.Client.Kubernetes)
	if v.Server != "" {
		t.Say("server      %s (%s)", v.Server, v.Context)
	}
}

// skewWarning compares the minor versions of the client library (v0.37.2 is
// Kubernetes 1.37) and of the server: more than one apart is outside of what
// Kubernetes supports for clients.
func skewWarning(library, server string) string {
	client, ok1 := minor(library)
	other, ok2 := minor(server)
	if !ok1 || !ok2 || max(client-other, other-client) <= 1 {
		return ""
	}
	return fmt.Sprintf("version difference between client (1.%d) and server (1.%d) exceeds the supported minor version skew of +/-1",
		client, other)
}

func minor(version string) (int, bool) {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimRight(parts[1], "+"))
	return n, err == nil
}
