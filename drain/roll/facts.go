package roll

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Schema is the schema of the events that `roll -o json` prints.
const Schema = "kdrain-tui/roll-event/v1"

// Seconds is a duration that a journal keeps in seconds.
type Seconds time.Duration

// MarshalJSON writes the seconds.
func (s Seconds) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(s).Seconds()) }

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Seconds) UnmarshalJSON(text []byte) error {
	var seconds float64
	err := json.Unmarshal(text, &seconds)
	*s = Seconds(seconds * float64(time.Second))
	return err
}

// Options are the flags of a roll that a drain does not have.
type Options struct {
	Batch        int    `json:"batch"`            // nodes at a time
	By           string `json:"by,omitempty"`     // a label: never two values of it at a time
	Before       string `json:"before,omitempty"` // a command for each node, before its drain
	Work         string `json:"work,omitempty"`   // a command for each drained node; "" is confirmed by the operator
	RerunWork    bool   `json:"rerunWork,omitempty"`
	ExpectReboot bool   `json:"expectReboot,omitempty"` // a node is back with another boot id only
	// ReturnTimeout is how long a node may take to be back after its work; zero is for ever.
	ReturnTimeout Seconds `json:"returnTimeoutSeconds,omitempty"`
	PauseBetween  Seconds `json:"pauseBetweenSeconds,omitempty"` // between the end of a batch and the next
	Window        string  `json:"window,omitempty"`              // see parseWindow
	MaxFailed     int     `json:"maxFailed"`                     // nodes that may fail before the roll stops
	MaxUnhealthy  int     `json:"maxUnhealthy"`                  // workloads that may be worse than before
}

// Validate judges the options, each in the words of its flag.
func (o *Options) Validate() error {
	switch _, err := parseWindow(o.Window); {
	case err != nil:
		return fmt.Errorf("--window=%q: %w", o.Window, err)
	case o.Batch < 1:
		return fmt.Errorf("--batch=%d: must be 1 or more", o.Batch)
	case o.MaxFailed < 0:
		return fmt.Errorf("--max-failed=%d: must be 0 or more", o.MaxFailed)
	case o.MaxUnhealthy < 0:
		return fmt.Errorf("--max-unhealthy=%d: must be 0 or more", o.MaxUnhealthy)
	case o.PauseBetween < 0 || o.ReturnTimeout < 0:
		return errors.New("--pause-between and --return-timeout must not be negative")
	case o.RerunWork && o.Work == "" && o.Before == "":
		return errors.New("--rerun-work needs --work or --before")
	}
	return nil
}

// Facts open the journal of a roll.
type Facts struct {
	// Run is what a run of the roll's batches is asked for, with all nodes of the roll and no pods.
	Run     drain.RunFacts `json:"run"`
	Options Options        `json:"options"`
	Batches []Batch        `json:"batches"` // in order
}

// Batch are nodes that are maintained at a time.
type Batch struct {
	Value string   `json:"value,omitempty"` // of the label --by that all of them have
	Nodes []string `json:"nodes"`
}

// Batches are the nodes in the order of the roll, at most so many at a time. Of a label no two values
// are in one batch: the nodes of one value come one after the other, those without it are one more value.
func Batches(nodes []*kube.Node, o Options) []Batch {
	var values []string
	of := map[string][]string{}
	for _, n := range nodes {
		value := ""
		if o.By != "" {
			value = n.Labels[o.By]
		}
		if of[value] == nil {
			values = append(values, value)
		}
		of[value] = append(of[value], n.Name)
	}
	var batches []Batch
	for _, value := range values {
		for rest := of[value]; len(rest) > 0; {
			n := min(o.Batch, len(rest))
			batches = append(batches, Batch{Value: value, Nodes: rest[:n:n]})
			rest = rest[n:]
		}
	}
	return batches
}

// RunOf is the id of the run that drains a batch, counted from 0: the same whoever asks, so that a roll
// whose process died finds it.
func RunOf(roll string, batch int) string { return fmt.Sprintf("%s-%d", roll, batch+1) }
