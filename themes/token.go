// Package themes gives every kind of thing on a screen a style by its meaning:
// built-in palettes and the operator's own, for dark and for light terminals.
// It knows nothing of how a style is drawn.
package themes

// Token names what a piece of the screen means. Screens ask for tokens, never
// for colours.
type Token string

// The tokens. schema.json lists the same.
const (
	Text       Token = "text"       // what has no other meaning
	Muted      Token = "muted"      // secondary: ages, namespaces, hints
	Title      Token = "title"      // titles of pages and columns
	Accent     Token = "accent"     // what the eye should find first
	Rule       Token = "rule"       // the lines between parts of a page
	Selection  Token = "selection"  // the line under the cursor
	Marked     Token = "marked"     // what the operator marked
	Good       Token = "good"       // healthy, done
	Warning    Token = "warning"    // waits, needs a look
	Bad        Token = "bad"        // failed, refused, never
	Busy       Token = "busy"       // in progress
	Info       Token = "info"       // neutral: stays, skipped
	Estimate   Token = "estimate"   // numbers marked with ~
	BarFull    Token = "barFull"    // the full part of a bar
	BarEmpty   Token = "barEmpty"   // the empty part of a bar
	BarWarning Token = "barWarning" // the full part of a bar that is nearly full
	Key        Token = "key"        // keys in hints and help
	Danger     Token = "danger"     // the words that ask for a dangerous yes
	Input      Token = "input"      // what the operator types
	Toast      Token = "toast"      // messages that come and go
)

var tokens = []Token{
	Text, Muted, Title, Accent, Rule, Selection, Marked, Good, Warning, Bad,
	Busy, Info, Estimate, BarFull, BarEmpty, BarWarning, Key, Danger, Input, Toast,
}
