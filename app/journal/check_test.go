package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// kindsIn are the kinds of events that a source file declares.
func kindsIn(t *testing.T, path string) (kinds []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\tEvent\w+ +EventKind = "(\w+)"`).FindAllStringSubmatch(string(text), -1) {
		kinds = append(kinds, m[1])
	}
	if len(kinds) < 10 {
		t.Fatalf("%s: kinds %q", path, kinds)
	}
	return kinds
}

// stageOf is how the test reads the journal of a run or a roll.
type stageOf[E numbered] struct {
	schema, events string // of the file; the source that declares the kinds
	needs          needs
	start          string
	show           func([]E) // all that is made of the events
}

var (
	runStage = stageOf[drain.Event]{journalSchema, "../../drain/event.go", ofRun,
		`{"seq":1,"kind":"RunStarted","run":{"id":"r","nodes":[{"name":"n1","uid":"u1"}],"pods":[{"namespace":"web","name":"web","uid":"u2","node":"n1"}]}}`,
		func(events []drain.Event) {
			told := report.Of(events, false)
			_ = told.Markdown()
			_, _ = Ended(events)
		}}
	rollStage = stageOf[roll.Event]{rollSchema, "../../drain/roll/event.go", ofRoll,
		`{"seq":1,"kind":"RollStarted","roll":{"run":{"id":"r","nodes":[{"name":"n1","uid":"u1"}]},"options":{"batch":1},"batches":[{"nodes":["n1"]}]}}`,
		func(events []roll.Event) {
			told := roll.ReportOf(events, false)
			_ = told.Markdown() + told.Text()
		}}
)

func (s stageOf[E]) read(t *testing.T, lines ...string) ([]E, error) {
	t.Helper()
	text := fmt.Sprintf("{\"schema\":%q}\n%s\n%s\n", s.schema, s.start, strings.Join(lines, "\n"))
	events, _, err := read[E](writeJournal(t, text), s.schema)
	return events, err
}

func TestWhatAKindNeeds(t *testing.T) {
	t.Run("run", runStage.kinds)
	t.Run("roll", rollStage.kinds)
}

// kinds goes through all kinds: each is known; what it needs is enough to be folded and shown, and each part
// of that is missed. A kind that is not known is damage.
func (s stageOf[E]) kinds(t *testing.T) {
	damaged := func(line, says string) {
		t.Helper()
		var corrupt *CorruptJournalError
		if _, err := s.read(t, line); !errors.As(err, &corrupt) || corrupt.Line != 3 || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", line, err, says)
		}
	}
	for _, kind := range kindsIn(t, s.events) {
		fields, known := s.needs[kind]
		if !known {
			t.Errorf("kind %s is not in the table", kind)
			continue
		}
		if strings.HasSuffix(kind, "Started") && len(fields) == 1 && !strings.HasPrefix(kind, "B") {
			damaged(strings.Replace(s.start, `"seq":1`, `"seq":2`, 1), "it starts once more")
			continue
		}
		line := func(without string) string {
			var e E
			v := reflect.ValueOf(&e).Elem()
			v.FieldByName("Kind").SetString(kind)
			v.FieldByName("Seq").SetUint(2)
			for _, name := range fields {
				switch f := v.FieldByName(name); {
				case name == without:
				case f.Kind() == reflect.Pointer:
					f.Set(reflect.New(f.Type().Elem()))
				case f.Kind() == reflect.Int:
					f.SetInt(1)
				default:
					f.SetString("n1")
				}
			}
			text, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		events, err := s.read(t, line(""))
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		s.show(events)
		for _, name := range fields {
			damaged(line(name), "but it has no")
		}
	}
	damaged(`{"seq":2,"kind":"FutureWrite"}`, `event 2: its kind "FutureWrite" is not known: a newer version`)
	damaged(`{"seq":2}`, "is not known")
	if _, _, err := read[E](writeJournal(t, fmt.Sprintf("{\"schema\":%q}\n{\"seq\":1,\"kind\":\"Resumed\"}\n", s.schema)), s.schema); err == nil {
		t.Error("a journal without a start")
	}
}

// A list of runs and a run that is watched see the same damage as who reads all.
func TestDamageIsSeenFromEverySide(t *testing.T) {
	text := journalStart + `{"seq":2,"kind":"FutureWrite"}` + "\n"
	path := writeJournal(t, text)
	var corrupt *CorruptJournalError
	if _, _, err := Ends(path); !errors.As(err, &corrupt) || !strings.Contains(err.Error(), "last line") {
		t.Errorf("its ends: %v", err)
	}
	if events, _, err := NewTail(path).Next(); !errors.As(err, &corrupt) || corrupt.Line != 3 || len(events) != 1 {
		t.Errorf("watched: %d events, %v", len(events), err)
	}
	if _, _, err := OpenJournal(path); !errors.As(err, &corrupt) {
		t.Errorf("opened: %v", err)
	}
	path = writeJournal(t, strings.Replace(journalStart, "RunStarted", "Gate", 1))
	if _, _, err := Ends(path); !errors.As(err, &corrupt) || corrupt.Line != 2 {
		t.Errorf("its first event: %v", err)
	}
}

// Whatever can be read can be folded and shown: no field of an event, of whatever value, is a panic.
func TestWhatIsReadIsShown(t *testing.T) {
	t.Run("run", runStage.anything)
	t.Run("roll", rollStage.anything)
}

func (s stageOf[E]) anything(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random, shown := rand.New(rand.NewPCG(seed, 0)), 0
	kinds := kindsIn(t, s.events)
	for range 200 {
		events, err := appendEvent[E](nil, []byte(s.start))
		if err != nil {
			t.Fatal(err)
		}
		lines := []string{s.start}
		for range 20 {
			var e E
			v := reflect.ValueOf(&e).Elem()
			fill(random, v, 0)
			v.FieldByName("Kind").SetString(kinds[random.IntN(len(kinds))])
			v.FieldByName("Seq").SetUint(uint64(len(events) + 1))
			text, err := json.Marshal(e)
			if err != nil {
				continue
			}
			if more, err := appendEvent(events, text); err == nil {
				events, lines = more, append(lines, string(text))
			}
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Fatalf("%v\n%s", r, strings.Join(lines, "\n"))
				}
			}()
			s.show(events)
			shown += len(events)
		}()
	}
	if shown < 1000 {
		t.Errorf("only %d events were shown", shown)
	}
}

var someWords = strings.Fields("n1 n1 n1 u1 u2 r web Planned Draining Drained Cordoned Evicting Waiting Working Returning Failed Done Made Removed " +
	"Left Raising Undone Taken Held Lost work before again done failed stop delete clean running evict cordon look pause abort Deployment")

// fill puts random values into all that a journal can hold of a value.
func fill(random *rand.Rand, v reflect.Value, depth int) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(int64(random.IntN(100)), 0)))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(random.IntN(2) == 0)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(random.IntN(6) - 2))
	case reflect.Uint64:
		v.SetUint(uint64(random.IntN(4)))
	case reflect.String:
		v.SetString(someWords[random.IntN(len(someWords))])
	case reflect.Pointer:
		if v.Set(reflect.Zero(v.Type())); random.IntN(3) > 0 && depth < 5 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(random, v.Elem(), depth+1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), random.IntN(3), 3))
		for i := range v.Len() {
			fill(random, v.Index(i), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && depth < 6 {
				fill(random, v.Field(i), depth+1)
			}
		}
	}
}

// A step out of the cluster that only another version knows is never skipped.
func TestUnknownStepsAreRefused(t *testing.T) {
	says := "is not known: a newer version of kdrain-tui may have written it"
	if _, err := runStage.read(t, `{"seq":2,"kind":"Retire","node":"n1","retire":{"step":"wipe","status":"done"}}`); err == nil ||
		!strings.Contains(err.Error(), `its step "wipe" `+says) {
		t.Error(err)
	}
	if _, err := runStage.read(t, `{"seq":2,"kind":"Retire","node":"n1","retire":{"step":"stop","status":"done"}}`); err != nil {
		t.Error(err)
	}
}
