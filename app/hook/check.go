package hook

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Check says why a command line of a flag would not start here, as far as that is known without running it: there is no
// shell, the shell cannot read the line, or its first word names no command. An empty line is none.
func Check(line string) error {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	if word == "" {
		return nil
	}
	if _, err := exec.LookPath(interpreter); err != nil {
		return errors.New("there is no shell " + interpreter + " in PATH to run it")
	}
	if why := unreadable(line); why != "" {
		return fmt.Errorf("the shell cannot read it: %s", kube.Clean(why))
	}
	if strings.Trim(word, plainWord) != "" || word[0] == '-' {
		return nil // an assignment, an expansion, quotes: only running it tells
	}
	if missing(word) {
		return fmt.Errorf("there is no command %s here", word)
	}
	return nil
}

// letters are those of a word that every shell takes as it is.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"
