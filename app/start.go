package app

import (
	"context"
	"crypto/rand"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/engine"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Start opens a journal and begins the run of a plan. It goes on when the context
// ends: whoever started it aborts it by a command, and waits.
func (s *Session) Start(ctx context.Context, plan plan.Plan) (Run, error) {
	return s.StartAs(ctx, NewRunID(), plan)
}

// StartAs is Start with an id of the caller, which no run has yet.
func (s *Session) StartAs(ctx context.Context, id string, plan plan.Plan) (Run, error) {
	if plan.Options.RulesUnread() {
		return nil, &Error{Text: "the MachineDrainRules were not read when the plan was made; nothing was changed",
			Hint: "make the plan again"}
	}
	var uids []kube.UID
	for i := range plan.Nodes {
		uids = append(uids, plan.Nodes[i].UID)
	}
	if err := s.Runs.CheckCommands(func(node kube.UID) bool { return slices.Contains(uids, node) }); err != nil {
		return nil, err
	}
	journal, err := journal.CreateJournal(s.Runs.Dir, id)
	if err != nil {
		return nil, &Error{
			Text: "cannot write the journal of the run in " + s.Runs.Dir + "; nothing was changed",
			Err:  err, Hint: "the folder must be writable, with free space; or choose another folder with XDG_STATE_HOME",
		}
	}
	identity := s.Identity()
	run, err := s.launch(context.WithoutCancel(ctx), s.engine(journal), plan, drain.RunFacts{
		ID: id, Context: identity.Context, Kubeconfig: s.Target.Kubeconfig, Program: s.Target.Program,
		Connection: s.Target.Others,
		Server:     identity.Server, ClusterUID: identity.ClusterID, User: identity.User, Version: s.Version,
		Retire: s.Retires,
	})
	if err != nil {
		return nil, &Error{Text: "cannot start the run; nothing was changed", Err: err}
	}
	s.Runs.own(run, nil, s.CheckAccess)
	s.followOwners(context.WithoutCancel(ctx), run, plan.Options, plan.Names())
	keep, now := s.Runs.Keep, s.Now()
	s.Runs.group.Go("prune journals", func() { s.Runs.prune(keep, now) })
	return run, nil
}

func (s *Session) launch(ctx context.Context, c engine.EngineConfig, plan plan.Plan,
	facts drain.RunFacts) (Run, error) {
	if s.Launch != nil {
		return s.Launch(ctx, c, plan, facts)
	}
	return engine.Start(ctx, c, plan, facts)
}

// ownersPause is how often the owners that are not watched are read again.
const ownersPause = 10 * time.Second

// followOwners reads owners that no watch shows, every ownersPause while a run is live. Owners of budgets: their status
// tells what their controllers do. Owners of pods, for a guard: without a new scale it would hold the pods of an owner
// that was scaled down until the run ends.
func (s *Session) followOwners(ctx context.Context, run live.Run, o plan.Options, nodes []string) {
	ctx, cancel := context.WithCancel(ctx)
	s.Runs.group.Go("end of a run", func() { // a read must not hold up the end
		defer cancel()
		<-run.Done()
	})
	s.Runs.group.Go("owners that are not watched", func() {
		for ctx.Err() == nil {
			s.ReadStatuses(ctx, s.Source, nodes)
			if o.Guard != "" {
				s.ReadScales(ctx, s.Source, nodes)
			}
			select {
			case <-ctx.Done():
			case <-time.After(ownersPause):
			}
		}
	})
}

func (s *Session) engine(journal *journal.Journal) engine.EngineConfig {
	return engine.EngineConfig{Source: s.Source, Writer: s.Writer(), Journal: journal, Now: s.Now}
}

// NewRunID makes a short id for a run: easy to read aloud, with no letters that
// are taken for digits, and enough of them never to meet twice on one machine.
func NewRunID() string {
	const alphabet = "23456789abcdefghjkmnpqrstvwxyz"
	var raw [6]byte
	_, _ = rand.Read(raw[:]) // never fails (crypto/rand, Go 1.24)
	id := make([]byte, len(raw))
	for i, b := range raw {
		id[i] = alphabet[int(b)%len(alphabet)]
	}
	return string(id)
}
