package rolls

import (
	"context"
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/app/hook"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/process"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// Check says which command of a roll would not start here, nil for none.
func Check(o roll.Options) error {
	if err := hook.Check(o.Before); err != nil {
		return fmt.Errorf("--before: %w", err)
	}
	if err := hook.Check(o.Work); err != nil {
		return fmt.Errorf("--work: %w", err)
	}
	return nil
}

// run runs a command of the operator for a node, and says how it ended.
func (r *Roll) run(a roll.RunHook) roll.Input {
	code, err := r.config.Hooks(r.hooks, hook.Command{
		Line: a.Command, Env: []string{"NODE=" + a.Node, "RUN=" + r.State().Facts.Run.ID},
		Began: func(g process.Group) error {
			return r.noted(roll.HookBegan{Node: a.Node, Hook: a.Hook, Process: g})
		},
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

// noted returns when the journal has the processes of a command: another process of the roll then knows whether it
// runs. It fails where the command is no longer to begin.
func (r *Roll) noted(in roll.HookBegan) error {
	written := make(chan struct{})
	r.mu.Lock()
	r.inputs, r.notes = append(r.inputs, in), append(r.notes, written)
	r.mu.Unlock()
	live.Signal(r.inbox)
	select {
	case <-written:
		return nil
	case <-r.hooks.Done():
		return context.Cause(r.hooks)
	}
}

// left looks at the commands that another process of the roll has left.
func (r *Roll) left(s *roll.State) map[string]process.Seen {
	seen := map[string]process.Seen{}
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Command != nil && n.CutOff() {
			seen[n.Name] = r.config.Look(n.Command.Group)
		}
	}
	return seen
}
