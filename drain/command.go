package drain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Drain is a drain as a command line of ours, to be read and to be run again:
// the flags that differ from their defaults, quoted for a POSIX shell.
func (t Target) Drain(nodes []string, o Options) string {
	words := []string{t.program() + "drain"}
	for _, n := range nodes {
		words = append(words, ShellWord(n))
	}
	return strings.Join(slices.Concat(words, t.words(), optionFlags(o)), " ")
}

// ShellWord quotes a word for a POSIX shell where it needs that.
func ShellWord(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./:@=,%+", r)
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

// irregular are the options whose JSON name is not that of their flag.
var irregular = map[string]string{
	"ignoreDaemonSets": "ignore-daemonsets", "deleteEmptyDirData": "delete-emptydir-data", "gracePeriodSeconds": "grace-period",
}

// wholeSeconds are the flags that take seconds as a number, as kubectl has them.
var wholeSeconds = map[string]bool{"grace-period": true, "skip-wait-for-delete-timeout": true}

// optionFlags are the flags of the options that are not as they are by default.
// The JSON of options names them as the flags do, so a new option is told
// without a word here.
func optionFlags(o Options) []string {
	if o.LeaseNamespace == kube.DefaultLeaseNamespace {
		o.LeaseNamespace = "" // as the flag has it without a word
	}
	names, values := optionFields(o)
	usual, base := optionFields(DefaultOptions())
	for _, name := range usual { // a zero that differs from its default is left out of the JSON
		if _, told := values[name]; !told {
			names, values[name] = append(names, name), json.RawMessage("0")
		}
	}
	var words []string
	for _, name := range names {
		if value := values[name]; !bytes.Equal(value, base[name]) {
			words = append(words, optionFlag(name, value))
		}
	}
	return words
}

// optionFields are the fields of the options' JSON, in order.
func optionFields(o Options) (names []string, values map[string]json.RawMessage) {
	values = map[string]json.RawMessage{}
	text, err := json.Marshal(o)
	if err != nil {
		return nil, values // options are plain values: they always marshal
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	_, _ = dec.Token() // the brace
	for dec.More() {
		name, _ := dec.Token()
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			break
		}
		names = append(names, name.(string))
		values[name.(string)] = value
	}
	return names, values
}

func optionFlag(name string, raw json.RawMessage) string {
	flag, seconds := irregular[name], strings.HasSuffix(name, "Seconds")
	if flag == "" {
		flag = kebab(strings.TrimSuffix(name, "Seconds"))
	}
	var value any
	_ = json.Unmarshal(raw, &value) // it was just marshalled
	switch v := value.(type) {
	case bool:
		if v {
			return "--" + flag
		}
		return "--" + flag + "=false"
	case float64:
		if seconds && !wholeSeconds[flag] {
			return "--" + flag + "=" + time.Duration(v*float64(time.Second)).String()
		}
		return "--" + flag + "=" + strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		var parts []string
		for _, part := range v {
			if text, ok := part.(string); ok {
				parts = append(parts, text)
			}
		}
		return "--" + flag + "=" + ShellWord(strings.Join(parts, ","))
	case string:
		return "--" + flag + "=" + ShellWord(v)
	}
	return "--" + flag + "=" + ShellWord(string(raw))
}

// kebab is a name of JSON as a name of a flag: excludeFromLB, exclude-from-lb.
func kebab(name string) string {
	var b strings.Builder
	upper := false
	for i, r := range name {
		is := unicode.IsUpper(r)
		if is && !upper && i > 0 {
			b.WriteByte('-')
		}
		upper = is
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
