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
	if _, err := exec.LookPath("sh"); err != nil {
		return errors.New("there is no shell sh in PATH to run it")
	}
	var unread *exec.ExitError
	out, err := exec.Command("sh", "-n", "-c", line).CombinedOutput()
	if errors.As(err, &unread) {
		return fmt.Errorf("the shell cannot read it: %s", kube.Clean(strings.TrimSpace(string(out))))
	}
	if strings.Trim(word, plainWord) != "" || word[0] == '-' {
		return nil // an assignment, an expansion, quotes: only running it tells
	}
	var none *exec.ExitError
	if err := exec.Command("sh", "-c", `command -v "$1" >/dev/null`, "sh", word).Run(); errors.As(err, &none) {
		return fmt.Errorf("there is no command %s here", word)
	}
	return nil
}

// plainWord is what a word consists of that a shell takes as it is.
const plainWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./+:@"
