package themes

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kdrain-tui/kdrain-tui/strictyaml"
)

// parse reads a theme's text on top of base, whose tokens stand where the text
// names none. The error names every mistake with its file and line.
func parse(name, path string, text []byte, base Theme) (Theme, error) {
	theme := Theme{name: name, light: maps.Clone(base.light), dark: maps.Clone(base.dark)}
	if theme.light == nil {
		theme.light, theme.dark = map[Token]Style{}, map[Token]Style{}
	}
	root, err := strictyaml.Document(path, text)
	if err != nil || root == nil {
		return theme, err
	}
	r := reader{strictyaml.Reader{Path: path}}
	for key, value := range r.Pairs(root, "a theme") {
		switch key.Value {
		case "description":
			theme.description = r.wantString(value, "description")
		case "tokens":
			r.readTokens(value, theme)
		default:
			r.Fail(key, "unknown key %q: a theme has description and tokens", key.Value)
		}
	}
	if err := r.Err(); err != nil {
		return Theme{}, err
	}
	return theme, nil
}

// reader walks a theme's YAML.
type reader struct{ strictyaml.Reader }

func (r *reader) readTokens(node *yaml.Node, theme Theme) {
	for key, value := range r.Pairs(node, "tokens") {
		token := Token(key.Value)
		if !slices.Contains(tokens, token) {
			r.Fail(key, "unknown token %q: there are %s", key.Value, tokenList())
			continue
		}
		r.readToken(token, value, theme)
	}
}

// readToken reads one style for both kinds of terminal, or one for each; where
// one of the two is missing it stays as inherited.
func (r *reader) readToken(token Token, node *yaml.Node, theme Theme) {
	if !hasKey(node, "light") && !hasKey(node, "dark") {
		style := r.readStyle(node, string(token))
		theme.light[token], theme.dark[token] = style, style
		return
	}
	for key, value := range r.Pairs(node, string(token)) {
		switch key.Value {
		case "light":
			theme.light[token] = r.readStyle(value, string(token)+".light")
		case "dark":
			theme.dark[token] = r.readStyle(value, string(token)+".dark")
		default:
			r.Fail(key, "%q beside light or dark: put it into them", key.Value)
		}
	}
}

func (r *reader) readStyle(node *yaml.Node, what string) Style {
	var style Style
	for key, value := range r.Pairs(node, what) {
		switch key.Value {
		case "foreground":
			style.Foreground = r.readColour(value)
		case "background":
			style.Background = r.readColour(value)
		case "bold":
			style.Bold = r.readBool(value, key.Value)
		case "dim":
			style.Dim = r.readBool(value, key.Value)
		case "italic":
			style.Italic = r.readBool(value, key.Value)
		case "underline":
			style.Underline = r.readBool(value, key.Value)
		case "reverse":
			style.Reverse = r.readBool(value, key.Value)
		default:
			r.Fail(key, "unknown key %q: a style has foreground, background, bold, dim, italic, underline and reverse", key.Value)
		}
	}
	return style
}

func (r *reader) readColour(node *yaml.Node) string {
	// An unquoted #rrggbb is a comment to YAML: what is left is a null.
	if node.Tag == "!!null" {
		r.Fail(node, "a colour is missing (#rrggbb needs quotes)")
		return ""
	}
	if node.Kind != yaml.ScalarNode {
		r.Fail(node, "a colour is one word, not %s", strictyaml.Describe(node))
		return ""
	}
	if err := checkColour(node.Value); err != nil {
		r.Fail(node, "%v", err)
		return ""
	}
	return node.Value
}

func (r *reader) readBool(node *yaml.Node, what string) bool {
	var value bool
	if err := node.Decode(&value); err != nil || node.Tag != "!!bool" {
		r.Fail(node, "%s is true or false, not %s", what, strictyaml.Describe(node))
	}
	return value
}

func (r *reader) wantString(node *yaml.Node, what string) string {
	if node.Kind != yaml.ScalarNode || node.Tag != "!!str" {
		r.Fail(node, "%s is a text, not %s", what, strictyaml.Describe(node))
	}
	return node.Value
}

func hasKey(node *yaml.Node, name string) bool {
	if node.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == name {
			return true
		}
	}
	return false
}

func tokenList() string {
	names := make([]string, len(tokens))
	for i, token := range tokens {
		names[i] = string(token)
	}
	return strings.Join(names, ", ")
}
