package ui

import (
	"context"
	"errors"
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// Run shows the dashboard and owns the terminal from start to end. It handles
// no signals: when the context ends, so does the dashboard. Whatever happens,
// the terminal is back in order when Run returns; a panic anywhere comes back
// as a *CrashError.
//
// A run that was live when the dashboard was left is in the result; the caller
// waits for its Done. Runs are aborted where the operator said so.
func Run(ctx context.Context, d Deps) (Result, error) {
	d = d.withDefaults()
	if d.Terminal != nil {
		defer d.Terminal.take()()
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	release := d.Crash.watch(stop)
	defer release()

	m, err := newModel(ctx, d)
	if err != nil {
		return Result{}, err
	}
	err = runProgram(ctx, m)
	result := m.result(err != nil)
	if crash := d.Crash.Err(); crash != nil {
		return result, crash
	}
	if err != nil && !errors.Is(err, tea.ErrProgramKilled) {
		return result, fmt.Errorf("dashboard: %w", err)
	}
	return result, nil
}

func runProgram(ctx context.Context, m *model) error {
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler()}
	if m.d.NoColor {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	if m.d.Input != nil {
		options = append(options, tea.WithInput(m.d.Input))
	}
	if m.d.Output != nil {
		options = append(options, tea.WithOutput(m.d.Output), tea.WithWindowSize(100, 30))
	}
	restore := captureStderr(m.d.Crash.folder())
	_, err := tea.NewProgram(m, options...).Run()
	if said := restore(); said != "" {
		fmt.Fprint(os.Stderr, said)
	}
	return err
}

// result is what is left of the dashboard. The model is not touched by anybody by then.
func (m *model) result(killed bool) Result {
	r := Result{Left: m.left, Context: m.next, Theme: m.d.Theme.Name(), Run: m.lastRun}
	if r.Left == "" || killed && r.Left != LeftByForce {
		r.Left = LeftByContext
	}
	if m.d.Replay {
		return r
	}
	r.Roll = m.lastRoll
	if m.lastRun != nil {
		r.Last = m.lastRun.State()
		r.text = func(s *drain.State) string {
			seen := *m.s
			seen.State = s
			return wording.ResultText(s, seen.Undos(m.d.Source.Snapshot()), min(max(m.s.Width, 60), 120))
		}
	}
	return r
}
