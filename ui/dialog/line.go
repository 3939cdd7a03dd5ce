package dialog

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
)

// EditLine is a line of text after a key, edited as everywhere in Bubble Tea
// programs (bubbles/textinput): key is the key's name, typed what it would type.
// The cursor stands at the end; a line longer than limit is cut.
func EditLine(text, key, typed string, limit int) string {
	input := textinput.New()
	input.CharLimit = limit
	input.SetValue(text)
	input.CursorEnd()
	input.Focus()
	edited, _ := input.Update(keyMessage(key, strings.Map(printable, typed)))
	return edited.Value()
}

// keyMessage is the message of the keys that edit a line; every other types.
func keyMessage(key, typed string) tea.Msg {
	switch key {
	case "backspace":
		return tea.KeyPressMsg{Code: tea.KeyBackspace}
	case "ctrl+u":
		return tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl}
	case "ctrl+w":
		return tea.KeyPressMsg{Code: 'w', Mod: tea.ModCtrl}
	}
	return tea.PasteMsg{Content: typed}
}

func printable(r rune) rune {
	if r < 0x20 || r == 0x7f {
		return -1
	}
	return r
}
