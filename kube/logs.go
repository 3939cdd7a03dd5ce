package kube

import (
	"context"
	"log/slog"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// RouteLogs sends what client-go would print to standard error, over any
// screen, to a logger instead: its log, warnings of the server, and panics of
// its goroutines (which go on to end the process; OnPanic may restore the
// terminal first). Call it once, before Connect.
func RouteLogs(logger *slog.Logger) {
	klog.SetSlogLogger(logger)
	rest.SetDefaultWarningHandlerWithContext(serverWarnings{logger})
	utilruntime.PanicHandlers = append(utilruntime.PanicHandlers, func(_ context.Context, value any) {
		logger.Error("panic in client-go", "value", value)
	})
}

// serverWarnings logs the Warning headers of API servers.
type serverWarnings struct{ logger *slog.Logger }

func (w serverWarnings) HandleWarningHeaderWithContext(_ context.Context, code int, _ string, text string) {
	if code == 299 && text != "" { // the only code that API servers use
		w.logger.Warn("the server warns", "text", Clean(text))
	}
}

// silent is a context in which client-go's reflectors log nothing: all that they
// would say is in the sync states.
func silent(ctx context.Context) context.Context { return klog.NewContext(ctx, klog.Logger{}) }
