package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockFile takes an exclusive lock that ends with our process at the latest.
// It calls waiting once if somebody else holds it.
func lockFile(ctx context.Context, name string, waiting func()) (release func(), err error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock %s: %w", name, err)
	}
	for told := false; ; told = true {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { file.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			file.Close()
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
		if !told {
			waiting()
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			file.Close()
			return nil, fmt.Errorf("wait for the lock %s: %w", name, err)
		}
	}
}

// pause sleeps, but no longer than the context lives.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
