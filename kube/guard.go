package kube

import (
	"runtime/debug"
	"sync"
)

// Group owns goroutines: whoever starts them through it can wait for them, and
// a panic in one of them is handed to OnPanic instead of ending the process
// with the terminal in disorder. The zero value is ready to use.
type Group struct{ wg sync.WaitGroup }

// OnPanic is called with the name of the goroutine, the panic's value and the
// stack. main sets it before anything is started; the default panics again.
var OnPanic = func(name string, value any, stack []byte) { panic(value) }

// Go runs fn in a goroutine of the group.
func (g *Group) Go(name string, fn func()) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		defer func() {
			if v := recover(); v != nil {
				OnPanic(name, v, debug.Stack())
			}
		}()
		fn()
	}()
}

// Wait blocks until every goroutine of the group has ended.
func (g *Group) Wait() { g.wg.Wait() }
