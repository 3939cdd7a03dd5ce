package rolls

import (
	"context"
	"slices"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// carryOut begins what the roll wants.
func (r *Roll) carryOut(ctx context.Context, a roll.Action) {
	switch a := a.(type) {
	case roll.Drain:
		r.mu.Lock()
		// It may have been begun since it was wanted.
		wanted := r.opening == "" && (r.drain == nil || r.drain.State().Run.ID != a.Run)
		if wanted {
			r.opening = a.Run
		}
		r.mu.Unlock()
		if wanted {
			r.work.Go("run "+a.Run, func() { r.drainBatch(ctx, a) })
		}
	case roll.RunHook:
		r.work.Go("hook of "+a.Node, func() { r.Send(r.run(a)) })
	case roll.WriteLease:
		r.work.Go(string(a.Verb)+" the Lease of "+a.Node, func() {
			r.Send(roll.LeaseAnswered{WriteLease: a, Answer: a.Request.Send(ctx, r.config.Writer)})
		})
	case roll.Uncordon:
		r.uncordon(ctx, a)
	}
}

// drainBatch has the run of a batch begun or gone on with, and watches it until it is over.
func (r *Roll) drainBatch(ctx context.Context, a roll.Drain) {
	opens := r.hooks
	if a.Ends { // the abort ended those
		opens = ctx
	}
	run, begun, err := r.config.Drains(opens, a)
	if err != nil {
		r.Send(roll.DrainFailed{Run: a.Run, Message: err.Error(), Begun: begun})
	}
	r.mu.Lock()
	r.opening = ""
	if err == nil {
		r.drain, r.drains = run, append(r.drains, run)
	}
	r.mu.Unlock()
	live.Signal(r.inbox)
	if err != nil {
		return
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for changed := run.Changed(ctx); ; {
		over := false
		select {
		case <-changed:
		case <-run.Done():
			over = true
		}
		r.mu.Lock()
		r.notify()
		r.mu.Unlock()
		live.Signal(r.inbox)
		if over {
			return
		}
	}
}

// uncordon sends the request once for each version of the node, until it is refused.
func (r *Roll) uncordon(ctx context.Context, a roll.Uncordon) {
	version := ""
	if c, ok := a.Request.(request.Cordon); ok {
		version = c.ResourceVersion
	}
	r.mu.Lock()
	known, again := r.sent[a.Node]
	r.sent[a.Node] = version
	r.mu.Unlock()
	if again && known == version {
		return
	}
	r.work.Go("uncordon "+a.Node, func() {
		answer := a.Request.Send(ctx, r.config.Writer)
		if answer.OK() || version != "" && answer.Class() == kube.AnswerConflict {
			return // after a conflict it is sent again once the watch shows the other version
		}
		r.mu.Lock()
		delete(r.sent, a.Node)
		r.mu.Unlock()
		r.Send(roll.UncordonFailed{Node: a.Node, Message: attempt.AnswerWords(answer)})
	})
}

// lookAgain gives up the commands that waited for the journal and are not to be run any longer.
func (r *Roll) lookAgain(s *roll.State, v roll.View) {
	r.due = slices.DeleteFunc(r.due, func(h roll.RunHook) bool {
		why := h.Again(s, v)
		if why != "" {
			r.Send(roll.HookEnded{Node: h.Node, Hook: h.Hook, ExitCode: -1, Message: "not run: " + why})
		}
		return why != ""
	})
}
