package annotation

import "encoding/json"

// String is the content of the annotation.
func (m Mark) String() string {
	text, err := json.Marshal(m)
	if err != nil {
		return "" // a struct of strings and a time always marshals
	}
	return string(text)
}
