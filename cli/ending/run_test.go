package ending

import (
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
)

// A run that is suspended in mid-surge says what stands until it is resumed.
func TestWhatIsSuspendedNamesTheReplicasThatAreRaised(t *testing.T) {
	s := &drain.State{Run: drain.RunFacts{ID: "k7f3"}}
	want := "run k7f3 is suspended, not ended: kdrain-tui resume k7f3 continues it"
	if got := Suspended(s, "kdrain-tui"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.Surges = surge.Records{{Facts: surge.Facts{Kind: "Deployment", Namespace: "shop", Name: "web"}, State: surge.Starting,
		Batch: surge.Batch{Was: 4, To: 6}}}
	want += "; until then Deployment shop/web may still have 6 replicas: set it back to 4"
	if got := Suspended(s, "kdrain-tui"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
