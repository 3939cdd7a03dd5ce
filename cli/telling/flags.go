package telling

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/metrics"
	"github.com/kdrain-tui/kdrain-tui/app/notify"
	"github.com/kdrain-tui/kdrain-tui/cli/help"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// defaultBlockedAfter is how long a pod is blocked before it is told: budgets that let go by
// themselves take about as long as a pod takes to start.
const defaultBlockedAfter = 5 * time.Minute

const group = "Notifications and metrics"

// Flags are no options of a drain: a URL can have a secret in it, and no journal may have that.
type Flags struct {
	target       string
	blockedAfter time.Duration
	metrics      string
	alert        string
}

// alerts are the values of --notifications.
var alerts = []plan.Choice{
	{Value: "off", Does: "the terminal is silent"}, {Value: "bell", Does: "the bell of the terminal"},
	{Value: "osc", Does: "a notification of the desktop, by OSC 9 or OSC 777"},
}

// Bind adds them to a command that works on runs.
func (f *Flags) Bind(fs *pflag.FlagSet) {
	plan.AddGroup(fs, group, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.target, "notify", "",
			"a `CMD|URL` that gets a JSON object at the end of phases and batches, when pods are blocked, the health gate closes, "+
				"a question stands, and at the end: a command on its standard input, a URL by POST")
		fs.DurationVar(&f.blockedAfter, "notify-blocked-after", defaultBlockedAfter,
			"how long a pod is blocked before that is told; 0: never")
		fs.StringVar(&f.metrics, "metrics", "",
			"a `FILE`.prom that is kept up to date with metrics, for the textfile collector of Prometheus' node exporter")
	})
}

// BindScreen adds how the dashboard calls the operator.
func (f *Flags) BindScreen(fs *pflag.FlagSet) {
	f.alert = alerts[0].Value
	plan.AddGroup(fs, group, func(fs *pflag.FlagSet) {
		fs.Var(help.OneOf(&f.alert, alerts), "notifications",
			"how the dashboard calls you when a question stands, pods are blocked for --notify-blocked-after, the health gate closes, or the run ends: off, bell or osc")
	})
}

// BindAll adds all of them.
func (f *Flags) BindAll(fs *pflag.FlagSet) {
	f.Bind(fs)
	f.BindScreen(fs)
}

// Alert is how the dashboard calls the operator, and how long a pod is blocked then.
type Alert struct {
	How          string // off, bell or osc
	BlockedAfter time.Duration
}

// Alert is what the flags want of the dashboard.
func (f *Flags) Alert() Alert { return Alert{f.alert, f.blockedAfter} }

// Apply has the runs of this process told as the flags want it. The error is an *app.Error.
func (f *Flags) Apply(runs *app.Runs) (err error) {
	if f.blockedAfter < 0 {
		err = fmt.Errorf("--notify-blocked-after=%s: must not be negative", f.blockedAfter)
	}
	if err == nil {
		runs.Notify, err = notify.To(f.target, f.blockedAfter)
	}
	if err == nil {
		runs.Metrics, err = metrics.At(f.metrics)
	}
	if err != nil {
		return &app.Error{Reason: app.ReasonUsage, Err: err}
	}
	return nil
}
