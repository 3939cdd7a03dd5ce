package cli

import (
	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
)

// printer prints the result of a command in the form that was asked for.
func (p *Program) printer(f *flags) print.Printer {
	if f.output == "json" {
		return print.JSON{W: p.Out}
	}
	return &print.Text{W: p.Out, Style: p.style(f, p.Terminal.Out)}
}

// newOutput prints a drain. To a person at a terminal it tells the time too.
func (p *Program) newOutput(f *flags, session *app.Session) *print.Drain {
	out := p.printer(f)
	if text, ok := out.(*print.Text); ok && p.Terminal.Out {
		text.Since, text.Now = p.Now(), p.Now
	}
	return &print.Drain{
		Out: out, Err: p.Err, ErrStyle: p.style(f, p.Terminal.Err), Identity: session.Identity(), Target: session.Target, Now: p.Now,
	}
}

func (p *Program) style(f *flags, terminal bool) print.Style {
	return print.Style{Color: terminal && p.Terminal.Color && !f.noColor, ASCII: f.ascii}
}
