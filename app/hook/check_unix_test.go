//go:build unix

package hook

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for line, want := range map[string]string{
		"":                          "",
		"true":                      "",
		"exit 3":                    "",
		"if true; then nowhere; fi": "",
		"A=1 nowhere":               "",
		"f() { true; }; f":          "",
		`"$NODE"/nowhere`:           "",
		"nowhere-to-be-found --yes": "there is no command nowhere-to-be-found here",
		" ./nowhere.sh {node}":      "there is no command ./nowhere.sh here",
		"echo 'no end":              "the shell cannot read it: ",
		"while true; do echo \"\x1b[31m$(true; done": "the shell cannot read it: ",
	} {
		err := Check(line)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\x1b")) {
			t.Errorf("%q: %v, want %q", line, err, want)
		}
	}
	t.Setenv("PATH", "")
	if err := Check("true"); err == nil || !strings.Contains(err.Error(), "no shell") {
		t.Errorf("without a shell: %v", err)
	}
}
