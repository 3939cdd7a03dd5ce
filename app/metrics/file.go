package metrics

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/metrics"
)

// File is a file of metrics. It shows the run that was shown last, and the roll that it is of. A nil
// File shows nothing.
type File struct {
	path string

	mu    sync.Mutex
	shown metrics.Shown
}

// At is the file of that path, nil for none. The collector reads only names that end in .prom.
func At(path string) (*File, error) {
	if path == "" {
		return nil, nil
	}
	if !strings.HasSuffix(path, ".prom") {
		return nil, fmt.Errorf("--metrics=%s: the textfile collector reads files that end in .prom", path)
	}
	if dir, err := os.Stat(filepath.Dir(path)); err != nil || !dir.IsDir() {
		return nil, fmt.Errorf("--metrics=%s: there is no folder %s", path, filepath.Dir(path))
	}
	return &File{path: path}, nil
}

const (
	// writeGap is how far apart two versions of the file are at least; it is scraped less often.
	writeGap = time.Second
	// writeEvery is how old the file gets where nothing changes: who reads it can tell a run that
	// waits from a process that died.
	writeEvery = 15 * time.Second
)

// Follow shows a run until it is over, or the context ends. failed gets the first failure.
func (f *File) Follow(ctx context.Context, of live.Followed, show func(*metrics.Shown), failed func(why string)) {
	said := false
	of.Follow(ctx, writeGap, func() time.Time {
		now := time.Now()
		f.mu.Lock()
		show(&f.shown)
		err := write(f.path, f.shown.Text(now))
		f.mu.Unlock()
		if err != nil && !said {
			said = true
			failed(fmt.Sprintf("the metrics were not written: %s; the run continues without, and further failures are not told", err))
		}
		return now.Add(writeEvery)
	})
}

// everyone may read the file: the node exporter is another user.
const everyone = 0o644

// write replaces the file as a whole: whoever reads it sees the one version or the other.
func write(path, text string) (err error) {
	next, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return bare(err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(next.Name())
		}
	}()
	_, err = next.WriteString(text)
	err = errors.Join(err, next.Chmod(everyone), next.Close())
	if err == nil {
		err = os.Rename(next.Name(), path)
	}
	return bare(err)
}

// bare is the error without the name of the file that was to become the other one.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
