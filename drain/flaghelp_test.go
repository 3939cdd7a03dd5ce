package drain

import (
	"strings"
	"testing"
)

func TestFlagHelpReadsAsAClause(t *testing.T) {
	for _, flag := range Flags() {
		help := FlagHelp(flag)
		if help == "" || strings.HasSuffix(help, ".") || strings.ToLower(help[:1]) != help[:1] {
			t.Errorf("--%s: %q: want a clause that begins small and has no full stop", flag, help)
		}
	}
}

func TestFlagHelpOfNoFlag(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a flag that is none has help")
		}
	}()
	FlagHelp("forse")
}
