package format

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// OutOfService tells the cluster that a machine is off, which lets it forget the
// pods there (kubernetes-facts 3.4; KEP-2268).
func OutOfService(node string) string {
	return "kubectl taint node " + node + " node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"
}

// OnPod is a command of kubectl about one pod.
func OnPod(verb string, p *kube.Pod, flags string) string {
	return "kubectl " + verb + " -n " + p.Namespace + " " + p.Name + flags
}

// ShellWord quotes an argument for a POSIX shell where it needs that.
func ShellWord(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) &&
			!strings.ContainsRune("-_./:@=,%+", r)
	})
	if plain {
		return s
	}
	if strings.ContainsFunc(s, kube.Unsafe) {
		return ansiC(s)
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// ansiC quotes a word with control characters in it, which must reach the shell
// and not the terminal that it is pasted into (POSIX.1-2024, dollar-single-quotes).
func ansiC(s string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '\'' || c == '\\' {
			fmt.Fprintf(&b, "\\%03o", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}
