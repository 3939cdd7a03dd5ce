package themes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parse reads a theme's text on top of base, whose tokens stand where the text
// names none. The error names every mistake with its file and line.
func parse(name, path string, text []byte, base Theme) (Theme, error) {
	theme := Theme{name: name, light: maps.Clone(base.light), dark: maps.Clone(base.dark)}
	if theme.light == nil {
		theme.light, theme.dark = map[Token]Style{}, map[Token]Style{}
	}
	root, err := readDocument(path, text)
	if err != nil || root == nil {
		return theme, err
	}
	r := reader{path: path}
	for key, value := range r.pairs(root, "a theme") {
		switch key.Value {
		case "description":
			r.wantString(value, "description")
		case "tokens":
			r.readTokens(value, theme)
		default:
			r.fail(key, "unknown key %q: a theme has description and tokens", key.Value)
		}
	}
	if len(r.problems) > 0 {
		return Theme{}, errors.Join(r.problems...)
	}
	return theme, nil
}

// readDocument gives the root of the only document, nil where the text is empty.
func readDocument(path string, text []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, syntaxError(path, err)
	}
	var second yaml.Node
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, fmt.Errorf("%s:%d: a theme is one YAML document, here starts another", path, second.Line)
	case !errors.Is(err, io.EOF):
		return nil, syntaxError(path, err)
	}
	root := document.Content[0]
	if root.Tag == "!!null" {
		return nil, nil
	}
	return root, nil
}

var syntaxLine = regexp.MustCompile(`^yaml: line (\d+): `)

// syntaxError puts the parser's line where editors look for it.
func syntaxError(path string, err error) error {
	message := err.Error()
	if match := syntaxLine.FindStringSubmatch(message); match != nil {
		return fmt.Errorf("%s:%s: %s", path, match[1], strings.TrimPrefix(message, match[0]))
	}
	return fmt.Errorf("%s:1: %s", path, strings.TrimPrefix(message, "yaml: "))
}

// reader walks a theme's YAML and keeps what is wrong with it.
type reader struct {
	path     string
	problems []error
}

func (r *reader) fail(at *yaml.Node, format string, args ...any) {
	place := r.path + ":" + strconv.Itoa(at.Line) + ": "
	r.problems = append(r.problems, errors.New(place+fmt.Sprintf(format, args...)))
}

// pairs yields the keys of a mapping with their values, each key once.
func (r *reader) pairs(node *yaml.Node, what string) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		node := resolve(node)
		if node.Kind != yaml.MappingNode {
			r.fail(node, "%s is a mapping, not %s", what, describe(node))
			return
		}
		seen := map[string]int{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			key, value := node.Content[i], resolve(node.Content[i+1])
			if first, twice := seen[key.Value]; twice {
				r.fail(key, "%q is given twice, first in line %d", key.Value, first)
				continue
			}
			seen[key.Value] = key.Line
			if !yield(key, value) {
				return
			}
		}
	}
}

func (r *reader) readTokens(node *yaml.Node, theme Theme) {
	for key, value := range r.pairs(node, "tokens") {
		token := Token(key.Value)
		if !slices.Contains(tokens, token) {
			r.fail(key, "unknown token %q: there are %s", key.Value, tokenList())
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
	for key, value := range r.pairs(node, string(token)) {
		switch key.Value {
		case "light":
			theme.light[token] = r.readStyle(value, string(token)+".light")
		case "dark":
			theme.dark[token] = r.readStyle(value, string(token)+".dark")
		default:
			r.fail(key, "%q beside light or dark: put it into them", key.Value)
		}
	}
}

func (r *reader) readStyle(node *yaml.Node, what string) Style {
	var style Style
	for key, value := range r.pairs(node, what) {
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
			r.fail(key, "unknown key %q: a style has foreground, background, bold, dim, italic, underline and reverse", key.Value)
		}
	}
	return style
}

func (r *reader) readColour(node *yaml.Node) string {
	// An unquoted #rrggbb is a comment to YAML: what is left is a null.
	if node.Tag == "!!null" {
		r.fail(node, "a colour is missing (#rrggbb needs quotes)")
		return ""
	}
	if node.Kind != yaml.ScalarNode {
		r.fail(node, "a colour is one word, not %s", describe(node))
		return ""
	}
	if err := checkColour(node.Value); err != nil {
		r.fail(node, "%v", err)
		return ""
	}
	return node.Value
}

func (r *reader) readBool(node *yaml.Node, what string) bool {
	var value bool
	if err := node.Decode(&value); err != nil || node.Tag != "!!bool" {
		r.fail(node, "%s is true or false, not %s", what, describe(node))
	}
	return value
}

func (r *reader) wantString(node *yaml.Node, what string) {
	if node.Kind != yaml.ScalarNode || node.Tag != "!!str" {
		r.fail(node, "%s is a text, not %s", what, describe(node))
	}
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

// resolve follows an alias to what it stands for.
func resolve(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

func describe(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if node.Tag == "!!null" {
		return "nothing"
	}
	return strconv.Quote(node.Value)
}

func tokenList() string {
	names := make([]string, len(tokens))
	for i, token := range tokens {
		names[i] = string(token)
	}
	return strings.Join(names, ", ")
}
