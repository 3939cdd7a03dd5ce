package conn

import (
	"io"
	"os"
	"strings"
	"sync"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// pluginOutput carries the standard error of credential plugins to the
// terminal, as it comes, and later to a function, line by line. There is one in
// the process, and it is never closed, because client-go keeps the standard
// error that it saw with an authenticator, and authenticators for ever.
type pluginOutput struct {
	group  kube.Group
	reader *os.File
	writer *os.File

	mu       sync.Mutex
	terminal io.Writer
	fn       func(string)
	line     strings.Builder
}

var thePluginOutput = sync.OnceValues(func() (*pluginOutput, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p := &pluginOutput{reader: reader, writer: writer, terminal: os.Stderr}
	p.group.Go("credential plugin output", p.copy)
	return p, nil
})

func (p *pluginOutput) copy() {
	buffer := make([]byte, 4096)
	for {
		n, err := p.reader.Read(buffer)
		p.write(string(buffer[:n]))
		if err != nil {
			return
		}
	}
}

func (p *pluginOutput) write(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fn == nil {
		_, _ = io.WriteString(p.terminal, text)
		return
	}
	for {
		line, rest, complete := strings.Cut(text, "\n")
		p.line.WriteString(line)
		if !complete {
			return
		}
		if line := kube.Clean(strings.TrimRight(p.line.String(), "\r")); line != "" {
			p.fn(line)
		}
		p.line.Reset()
		text = rest
	}
}

func (p *pluginOutput) redirect(fn func(string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fn = fn
}
