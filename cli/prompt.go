package cli

import (
	"context"
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/cli/prompt"
)

// canAsk reports whether there is somebody to ask: prompts go to standard error.
func (p *Program) canAsk() bool { return p.Terminal.In && p.Terminal.Err }

// listen begins to read standard input, where the command will ask.
func (p *Program) listen(yes bool) {
	if !yes && p.canAsk() {
		p.keyboard.Listen(p.In)
	}
}

// ask puts a question and returns where its answer comes from.
func (p *Program) ask(put func()) <-chan string {
	p.keyboard.Listen(p.In)
	answer := p.keyboard.Question()
	put()
	return answer
}

// askFor asks a plain question on standard error.
func (p *Program) askFor(ctx context.Context, question string) error {
	select {
	case line, ok := <-p.ask(func() { fmt.Fprint(p.Err, question+prompt.Ending(p.typed)) }):
		if ok && prompt.Accepts(line, p.typed) {
			return nil
		}
		return &failure{code: ExitAborted, text: "not confirmed; nothing was changed"}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
