package themes

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"
)

// schema is as much of schema.json as repeats what this package knows.
type schema struct {
	AdditionalProperties bool                      `json:"additionalProperties"`
	Properties           map[string]schemaProperty `json:"properties"`
	Definitions          struct {
		Colour struct {
			AnyOf []struct {
				Pattern string `json:"pattern"`
			} `json:"anyOf"`
		} `json:"colour"`
		Style struct {
			AdditionalProperties bool           `json:"additionalProperties"`
			Properties           map[string]any `json:"properties"`
		} `json:"style"`
	} `json:"$defs"`
}

type schemaProperty struct {
	AdditionalProperties bool           `json:"additionalProperties"`
	Properties           map[string]any `json:"properties"`
}

func readSchema(t *testing.T) schema {
	t.Helper()
	text, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var out schema
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSchemaNamesTheTokens(t *testing.T) {
	schema := readSchema(t)
	var want []string
	for _, token := range tokens {
		want = append(want, string(token))
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(schema.Properties["tokens"].Properties)); !slices.Equal(got, want) {
		t.Errorf("schema.json has the tokens\n%q, token.go\n%q", got, want)
	}
	wantStyle := []string{"background", "bold", "dim", "foreground", "italic", "reverse", "underline"}
	if got := slices.Sorted(maps.Keys(schema.Definitions.Style.Properties)); !slices.Equal(got, wantStyle) {
		t.Errorf("a style has %q, want %q", got, wantStyle)
	}
	if got := slices.Sorted(maps.Keys(schema.Properties)); !slices.Equal(got, []string{"description", "tokens"}) {
		t.Errorf("a theme has %q", got)
	}
	if schema.AdditionalProperties || schema.Properties["tokens"].AdditionalProperties || schema.Definitions.Style.AdditionalProperties {
		t.Error("the schema lets unknown keys pass, Load does not")
	}
}

func TestSchemaAndLoadTakeTheSameColours(t *testing.T) {
	schema := readSchema(t)
	allowed := func(colour string) bool {
		for _, option := range schema.Definitions.Colour.AnyOf {
			if option.Pattern != "" && regexp.MustCompile(option.Pattern).MatchString(colour) {
				return true
			}
		}
		return false
	}
	samples := append(ColourNames(), "", "default", "0", "9", "10", "99", "100", "199", "249", "250", "255", "256", "260", "300", "999",
		"00", "007", "-1", "+1", "1.5", "#000000", "#abCDef", "#fff", "#gggggg", "#1234567", "Red", "grey", "bright-red", "brightred", " red", "red ")
	for _, colour := range samples {
		if got, want := allowed(colour), checkColour(colour) == nil; got != want {
			t.Errorf("%q: the schema says %v, Load %v", colour, got, want)
		}
	}
}
