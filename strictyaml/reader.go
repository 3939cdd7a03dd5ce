package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document gives the root of the only document of a text, nil where the text is empty.
func Document(path string, text []byte) (*yaml.Node, error) {
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
		return nil, fmt.Errorf("%s:%d: the file is one YAML document, here starts another", path, second.Line)
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

// Reader walks the YAML of a file and keeps what is wrong with it.
type Reader struct {
	Path     string
	problems []error
}

// Fail notes what is wrong at a node.
func (r *Reader) Fail(at *yaml.Node, format string, args ...any) {
	place := r.Path + ":" + strconv.Itoa(at.Line) + ": "
	r.problems = append(r.problems, errors.New(place+fmt.Sprintf(format, args...)))
}

// Err is all that was noted, nil where nothing was.
func (r *Reader) Err() error { return errors.Join(r.problems...) }

// Pairs yields the keys of a mapping with their values, each key once.
func (r *Reader) Pairs(node *yaml.Node, what string) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		node := resolve(node)
		if node.Kind != yaml.MappingNode {
			r.Fail(node, "%s is a mapping, not %s", what, Describe(node))
			return
		}
		seen := map[string]int{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			key, value := node.Content[i], resolve(node.Content[i+1])
			if first, twice := seen[key.Value]; twice {
				r.Fail(key, "%q is given twice, first in line %d", key.Value, first)
				continue
			}
			seen[key.Value] = key.Line
			if !yield(key, value) {
				return
			}
		}
	}
}

// resolve follows an alias to what it stands for.
func resolve(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// Describe names what stands at a node in a sentence.
func Describe(node *yaml.Node) string {
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
