package conn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// RouteLogs sends what client-go would print to standard error, over any screen,
// elsewhere: its log to a logger, the warnings of servers to a writer, cleaned and
// each once, and panics of its goroutines to OnPanic, as those of ours. Call it
// once, before Connect.
func RouteLogs(logger *slog.Logger, warnings io.Writer) {
	klog.SetSlogLogger(logger)
	writer := rest.NewWarningWriter(warnings, rest.WarningWriterOptions{Deduplicate: true})
	countWarnings = writer.WarningCount
	rest.SetDefaultWarningHandlerWithContext(serverWarnings{writer})
	utilruntime.PanicHandlers = append(utilruntime.PanicHandlers, func(_ context.Context, value any) {
		kube.OnPanic("client-go", value, debug.Stack())
	})
	// Else client-go panics once more, before OnPanic has put the terminal in order.
	utilruntime.ReallyCrash = false
}

// countWarnings counts the warnings of servers so far, each once.
var countWarnings = func() int { return 0 }

// Warned is an error where a server warned, and the flags make an error of that, as kubectl's
// --warnings-as-errors does (kubectl pkg/cmd/cmd.go).
func (f *Flags) Warned() error {
	switch n := countWarnings(); {
	case !f.warningsAsErrors || n == 0:
		return nil
	case n == 1:
		return errors.New("1 warning received (--warnings-as-errors)")
	default:
		return fmt.Errorf("%d warnings received (--warnings-as-errors)", n)
	}
}

// serverWarnings cleans the Warning headers of API servers.
type serverWarnings struct{ next rest.WarningHandler }

func (w serverWarnings) HandleWarningHeaderWithContext(_ context.Context, code int, agent string, text string) {
	w.next.HandleWarningHeader(code, agent, kube.Clean(text))
}
