package cli

import (
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/cli/print"
)

func TestColours(t *testing.T) {
	for env, want := range map[string][2]bool{
		"TERM=xterm":                                {true, false},
		"":                                          {false, false},
		"TERM=dumb":                                 {false, false},
		"TERM=xterm NO_COLOR=1":                     {false, false},
		"TERM=xterm NO_COLOR=0":                     {false, false}, // any value: no-color.org
		"TERM=xterm CLICOLOR=0":                     {false, false},
		"TERM=xterm CLICOLOR=1":                     {true, false},
		"TERM=dumb CLICOLOR_FORCE=1":                {true, true},
		"FORCE_COLOR=1":                             {true, true},
		"TERM=xterm CLICOLOR_FORCE=0":               {true, false},
		"TERM=xterm CLICOLOR=0 CLICOLOR_FORCE=1":    {true, true},
		"TERM=xterm NO_COLOR=1 CLICOLOR_FORCE=1":    {false, false},
		"TERM=xterm FORCE_COLOR=false CLICOLOR=yes": {true, false},
	} {
		vars := map[string]string{}
		for _, pair := range strings.Fields(env) {
			name, value, _ := strings.Cut(pair, "=")
			vars[name] = value
		}
		if may, must := print.ColorsOf(func(name string) string { return vars[name] }); may != want[0] || must != want[1] {
			t.Errorf("%s: %v %v, want %v", env, may, must, want)
		}
	}
}

// A pipeline that shows colours gets them, --no-color takes them back.
func TestForcedColours(t *testing.T) {
	for args, want := range map[string]bool{"plan worker-1": true, "plan worker-1 --no-color": false} {
		b := newBench(t, smallCluster())
		b.Terminal = Terminal{Color: true, ForceColor: true}
		b.run(strings.Fields(args)...)
		if got := strings.Contains(b.out.String(), "\x1b["); got != want {
			t.Errorf("%s: colours %v\n%s", args, got, b.out)
		}
	}
}

// -v logs requests beside the result, or into the log file under a screen.
func TestWhereRequestsAreLogged(t *testing.T) {
	b := newBench(t, smallCluster())
	b.Log = &strings.Builder{}
	b.run("plan", "worker-1", "-v=6")
	if len(b.opened) != 1 || b.opened[0].RequestLog != b.Err {
		t.Errorf("%+v", b.opened)
	}
	b.Terminal = Terminal{In: true, Out: true, Err: true}
	b.run("-v")
	if len(b.opened) != 2 || b.opened[1].RequestLog != b.Log {
		t.Errorf("%+v", b.opened)
	}
}
