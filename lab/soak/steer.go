package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/rig"
)

// word is what the operator tells the live run, by ctl.
type word struct {
	After time.Duration // since the run began, or since the word before
	Verb  string        // pause, continue, skip, last or scale; abort for a roll
	App   app           // of the pod that it is about
}

// addWords lets the operator steer some runs.
func (w *world) addWords(rng *rand.Rand) {
	if !chance(rng, 40) {
		return
	}
	for range 1 + rng.IntN(3) {
		word := word{After: time.Duration(rng.IntN(900)) * time.Millisecond,
			Verb: pick(rng, "pause", "pause", "skip", "skip", "last", "scale"), App: pick(rng, w.Apps...)}
		w.Words = append(w.Words, word)
		switch {
		case word.Verb == "pause":
			word.After, word.Verb = time.Duration(200+rng.IntN(1300))*time.Millisecond, "continue"
			w.Words = append(w.Words, word)
		case word.Verb == "scale" && !w.has(allowScale) && chance(rng, 80):
			w.Flags = append(w.Flags, allowScale)
			if !w.forces() && chance(rng, 40) {
				w.Flags = append(w.Flags, "--force-after="+forceAfter.String())
			}
		}
	}
}

// allowScale lets a run take the remedies that change workloads.
const allowScale = "--allow-scale"

// spoken is a word as it was said, and what came back.
type spoken struct {
	Verb, Namespace, Pod, App string
	UID                       types.UID
	Asked, Answered           time.Time
	Code                      int
	Err                       string
}

// steering says the words of a world to its run, whichever process works on it.
type steering struct {
	rig     *rig.Rig
	builder builder
	kdrain  string
	world   world
	run     chan string // its id, once
	once    sync.Once
	said    []spoken
	done    chan struct{}
}

// steer begins to listen for the run. It says no more once the context ends.
func steer(ctx context.Context, r *rig.Rig, b builder, kdrain string, w world) *steering {
	s := &steering{rig: r, builder: b, kdrain: kdrain, world: w, run: make(chan string, 1), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		select {
		case run := <-s.run:
			s.speak(ctx, run)
		case <-ctx.Done():
		}
	}()
	return s
}

// line takes a line of the output: the first one tells the id of the run.
func (s *steering) line(text []byte) {
	s.once.Do(func() {
		var e struct {
			Run  struct{ ID string }
			Roll struct{ Run struct{ ID string } }
		}
		if id := &e.Run.ID; json.Unmarshal(text, &e) == nil && *id+e.Roll.Run.ID != "" {
			s.run <- *id + e.Roll.Run.ID
		}
	})
}

// end is everything that was said, once nothing more is.
func (s *steering) end() []spoken {
	<-s.done
	return s.said
}

func (s *steering) speak(ctx context.Context, run string) {
	for _, w := range s.world.Words {
		select {
		case <-ctx.Done():
			return
		case <-time.After(w.After):
		}
		for !s.say(ctx, run, w) {
			select { // a pause is to end, whichever process hears it
			case <-ctx.Done():
				return
			case <-time.After(500 * time.Millisecond):
			}
		}
	}
}

// answerTime is how long an answer of ctl may take.
const answerTime = beginAndEnd

// say says one word, and tells whether that is all that is to be done about it.
func (s *steering) say(ctx context.Context, run string, w word) bool {
	said := spoken{Verb: w.Verb, App: w.App.Name, Asked: time.Now()}
	args := []string{"ctl", run, w.Verb}
	if !slices.Contains([]string{"pause", "continue", "abort"}, w.Verb) {
		if !s.choose(ctx, w.App, &said) {
			return true // it no longer has a pod on a target
		}
		args = append(args, said.Namespace+"/"+said.Pod)
	}
	if w.Verb == "scale" {
		args = append(args, "--confirm", "scale "+w.App.Name)
	}
	// Also what is said at the end of the run is answered.
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	result, err := s.rig.Call(asking, s.kdrain, args...)
	if err != nil {
		result.Code, result.Err = -1, err.Error()
	}
	said.Answered, said.Code, said.Err = time.Now(), result.Code, result.Err
	s.said = append(s.said, said)
	return w.Verb != "continue" || said.Code == 0 || strings.Contains(said.Err, "is not paused")
}

// choose finds a pod of the app that is to be drained.
func (s *steering) choose(ctx context.Context, a app, said *spoken) bool {
	pods, err := s.builder.podsOf(ctx, a)
	if err != nil {
		return false
	}
	for _, p := range pods {
		if slices.Contains(s.world.Targets, p.Spec.NodeName) && p.DeletionTimestamp == nil {
			said.Namespace, said.Pod, said.UID = p.Namespace, p.Name, p.UID
			return true
		}
	}
	return false
}

func (s spoken) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s/%s at %s", s.Verb, s.Namespace, s.Pod, clock(s.Asked)))
}
