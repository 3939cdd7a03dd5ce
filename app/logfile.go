package app

import (
	"io"
	"os"
	"path/filepath"
	"sync"
)

// maxLog is the size at which a log file makes room for a new one.
const maxLog = 4 << 20

// logFile is where the words of the Kubernetes libraries go, so that neither a
// screen nor a pipe sees them. It is opened by the first write, so that --help
// leaves no file behind; without it the words are lost, and nothing else.
type logFile struct {
	path string
	mu   sync.Mutex
	file *os.File
	lost bool
}

// NewLogFile is a log that is written to a file, whose folder need not be there.
func NewLogFile(path string) io.Writer { return &logFile{path: path} }

func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if file := l.opened(); file != nil {
		return file.Write(p)
	}
	return len(p), nil
}

func (l *logFile) opened() *os.File {
	if l.file != nil || l.lost {
		return l.file
	}
	if info, err := os.Stat(l.path); err == nil && info.Size() > maxLog {
		_ = os.Rename(l.path, l.path+".old")
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err == nil {
		l.file, _ = os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	}
	l.lost = l.file == nil
	return l.file
}
