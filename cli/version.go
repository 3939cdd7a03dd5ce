package cli

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/cli/build"
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

// versionPatience is how long a server may take to tell its version.
const versionPatience = 10 * time.Second

func (p *Program) version(ctx context.Context, f *flags, clientOnly bool) error {
	v := print.Version{Client: p.Build}
	var failed error
	if !clientOnly {
		ctx, cancel := context.WithTimeout(ctx, versionPatience)
		defer cancel()
		session, err := p.open(ctx, app.ConnectOptions{ReadOnly: true})
		if err == nil {
			defer session.Close()
			v.Server, v.Context = session.Identity().Version, session.Identity().Context
			v.Warning = build.SkewWarning(p.Build.Kubernetes, v.Server)
		}
		failed = err
	}
	err := p.printer(f).Value(v, func(t *print.Text) {
		v.Text(t)
		if v.Warning != "" {
			fmt.Fprintln(p.Err, "Warning: "+v.Warning)
		}
	})
	return cmp.Or(err, failed)
}
