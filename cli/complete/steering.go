package complete

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/control"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
)

// Steering offers live runs, the verbs of ctl, and what the run knows of pods and nodes; runs are
// asked for when Tab is pressed.
func (c Completion) Steering(runs func() *app.Runs) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		switch len(args) {
		case 0:
			return c.RunsOf(func(b live.Brief) bool { return b.Live })(cmd, args, typed)
		case 1:
			var verbs []string
			for _, v := range control.Verbs {
				verbs = append(verbs, v.Name+"\t"+v.Does)
			}
			return verbs, Offers
		case 2:
			verb, known := control.VerbNamed(args[1])
			state := stateFor(runs(), args[0])
			if !known || state == nil {
				return nil, Offers
			}
			return verb.Objects(state), Offers
		}
		return nil, Offers
	}
}

// quickRead is how large a journal may be that is read while somebody waits for a Tab.
const quickRead = 4 << 20

// stateFor is what a run is known to be like for completion, nil where it is not known
// without reading a long journal.
func stateFor(runs *app.Runs, id string) *drain.State {
	if runs.Known(id) != nil {
		return nil
	}
	info, err := os.Stat(runs.Path(id))
	if err != nil || info.Size() > quickRead {
		return nil
	}
	r, err := runs.Record(id)
	if err != nil {
		return nil
	}
	return r.State
}
