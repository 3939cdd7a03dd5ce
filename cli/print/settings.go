package print

import (
	"github.com/kdrain-tui/kdrain-tui/app/config"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// SettingsSchema is the schema of `config -o json`.
const SettingsSchema = "kdrain-tui/config/v1"

// Settings are what `config` prints: its JSON is a contract.
type Settings struct {
	Schema   string    `json:"schema"`
	File     string    `json:"file"`
	Found    bool      `json:"fileFound"`
	Settings []Setting `json:"settings"`
	// UsualOn are the clusters, by the UID of kube-system, on which the dashboard was told to accept the usual flags.
	UsualOn []string `json:"usualFlagsAcceptedOn,omitempty"`
}

// Setting is one of them.
type Setting struct {
	Name  string        `json:"name"` // as in the file: those of a drain begin with "drain."
	Value string        `json:"value"`
	From  config.Origin `json:"source"`
	Where string        `json:"where,omitempty"` // the variable, or the file with the line
}

// Print prints them for a person.
func (s Settings) Print(t *Text) {
	there := ""
	if !s.Found {
		there = " (not there)"
	}
	t.Say("file: %s%s", s.File, there)
	rows := t.table("SETTING", "VALUE", "SOURCE")
	for _, setting := range s.Settings {
		source := string(setting.From)
		if setting.Where != "" {
			source += ", " + setting.Where
		}
		rows.Add("", setting.Name, kube.Clean(setting.Value), kube.Clean(source))
	}
	rows.Write(t.W)
	for _, cluster := range s.UsualOn {
		t.Say("--ignore-daemonsets and --delete-emptydir-data are accepted on cluster %s (the dashboard remembers it)",
			kube.Clean(cluster))
	}
}
