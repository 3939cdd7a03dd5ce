package rolls

import (
	"github.com/kdrain-tui/kdrain-tui/app/hook"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// run runs a command of the operator for a node, and says how it ended.
func (r *Roll) run(a roll.RunHook) roll.Input {
	code, err := r.config.Hooks(r.hooks, hook.Command{
		Line: a.Command, Env: []string{"NODE=" + a.Node, "RUN=" + r.State().Facts.Run.ID},
		Tell: func(lines []string) {
			for _, line := range lines {
				r.Send(roll.HookOutput{Node: a.Node, Hook: a.Hook, Text: line})
			}
		},
	})
	ended := roll.HookEnded{Node: a.Node, Hook: a.Hook, ExitCode: code}
	if err != nil {
		ended.ExitCode, ended.Message = -1, err.Error()
	}
	return ended
}
