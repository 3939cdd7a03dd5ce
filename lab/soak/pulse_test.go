package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// The longest wait for the server counts, and a server that is away is none.
func TestThePulseIsTheLongestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		p := feel(t.Context(), func(context.Context) error {
			switch asked++; asked {
			case 2:
				time.Sleep(2 * time.Second)
			case 3:
				time.Sleep(time.Hour)
				return errors.New("connection refused")
			}
			return nil
		})
		time.Sleep(2 * time.Hour)
		if worst := p.end(); worst != 2*time.Second {
			t.Errorf("the longest wait is %s, want 2s", worst)
		}
	})
}

// What a quiet machine would be accused of, a busy one is not.
func TestABusyMachineIsAllowedFor(t *testing.T) {
	e := story()
	e.said.report.EndedAt = second(7) // the report says Gone, and the film shows it five seconds later
	expectWrong(t, wrongOf(e, (*evidence).checkReport), "the report says Gone")
	e.stall = 2 * time.Second
	expectWrong(t, wrongOf(e, (*evidence).checkReport), "")
}
