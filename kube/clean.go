package kube

import (
	"strings"
	"unicode/utf8"
)

// maxText bounds a free text that a record keeps; what is longer is cut and
// ends in an ellipsis, so that one talkative webhook cannot fill the memory.
const maxText = 2048

// Clean makes a string that came from a cluster safe to print: terminal control
// sequences (CSI, OSC, DCS and their kin, in 7 and 8 bits) are taken out
// whole, newlines and tabs become spaces, and every other control character,
// bidirectional override and invisible character is dropped. Bytes that are not
// UTF-8 become the replacement character.
func Clean(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\x1b':
			i += escapeLength(s[i:])
			continue
		case r >= 0x80 && r <= 0x9f:
			i += c1Length(s[i:], r)
			continue
		case r == '\n' || r == '\t' || r == '\v' || r == '\f' || r == 0x2028 || r == 0x2029:
			b.WriteByte(' ')
		case r == '\r':
			if !strings.HasPrefix(s[i+1:], "\n") {
				b.WriteByte(' ')
			}
		case Unsafe(r):
		default:
			b.WriteRune(r) // RuneError for a bad byte
		}
		i += size
	}
	return b.String()
}

// Visible makes a name from a cluster safe to print where validation does not
// restrict it, as that of an owner, a claim or a volume's handle: each unsafe
// character becomes the replacement character. It is not taken out, for what is
// left could be the name of another object, while no object's name has that
// character. Names of parts are parts of the name, and valid names stay as they are.
func Visible(s string) string {
	if isPlain(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if Unsafe(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// Unsafe tells of characters that no text from a cluster may bring to a terminal:
// controls, separators of lines, and what is invisible or turns the direction of
// others.
func Unsafe(r rune) bool {
	return r < 0x20 || r >= 0x7f && r <= 0x9f || r == 0x2028 || r == 0x2029 || invisible(r)
}

// CleanText is Clean for the free texts of a record, cut to maxText bytes.
func CleanText(s string) string {
	s = Clean(s)
	if len(s) <= maxText {
		return s
	}
	cut := maxText
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// invisible tells of characters that change how their neighbours are shown, or
// that are not shown at all: a name made with them is not what it looks like.
func invisible(r rune) bool {
	switch {
	case r == 0x00ad, r == 0x061c, r == 0x180e, r == 0xfeff:
		return true
	case r >= 0x200b && r <= 0x200f: // zero width, and left-to-right marks
		return true
	case r >= 0x202a && r <= 0x202e: // bidirectional embedding and override
		return true
	case r >= 0x2060 && r <= 0x206f: // word joiner, bidirectional isolates
		return true
	case r >= 0xfff9 && r <= 0xfffb: // interlinear annotation
		return true
	case r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe: // no characters
		return true
	case r >= 0xe0000 && r <= 0xe007f: // tags
		return true
	}
	return false
}

// escapeLength is the length of the escape sequence at the start of s.
func escapeLength(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[':
		return 2 + controlLength(s[2:])
	case ']', 'P', 'X', '^', '_':
		return 2 + stringLength(s[2:])
	}
	// Intermediates and one final byte; whatever else follows an escape is text
	// (a second escape begins a sequence of its own).
	i := 1
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
		i++
	}
	return i
}

// c1Length is the length of the sequence that an 8-bit control begins; r is
// that control, two bytes long in UTF-8.
func c1Length(s string, r rune) int {
	switch r {
	case 0x9b:
		return 2 + controlLength(s[2:])
	case 0x90, 0x98, 0x9d, 0x9e, 0x9f:
		return 2 + stringLength(s[2:])
	}
	return 2
}

// controlLength is the length of the parameters and the final byte of a CSI.
func controlLength(s string) int {
	i := 0
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		i++
	}
	return i
}

// stringLength is the length of a control string with its terminator. One
// without a terminator would swallow the rest of the text, so only its
// introducer is taken out (0): what is left is harmless text.
func stringLength(s string) int {
	for i, r := range s {
		switch {
		case r == '\a':
			return i + 1
		case r == 0x9c:
			return i + 2
		case r == '\x1b':
			if strings.HasPrefix(s[i+1:], "\\") {
				return i + 2
			}
			return i // another sequence cancels this one
		case r == '\n':
			return 0
		}
	}
	return 0
}
