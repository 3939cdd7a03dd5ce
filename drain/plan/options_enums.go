package plan

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/kdrain-tui/kdrain-tui/drain/surge"
)

// DryRun is the value of kubectl's --dry-run.
type DryRun string

// The dry-run strategies of kubectl.
const (
	DryRunNone   DryRun = "none"
	DryRunClient DryRun = "client"
	DryRunServer DryRun = "server"
)

// DryRunBare is what --dry-run without a value stands for in kubectl.
const DryRunBare = "unchanged"

// Set reads --dry-run as kubectl does (pkg/cmd/util/helpers.go GetDryRunStrategy):
// the bare form and booleans are deprecated and still understood.
func (d *DryRun) Set(text string) error {
	client, err := strconv.ParseBool(text)
	switch {
	case err == nil && !client:
		*d = DryRunNone
	case err == nil, text == DryRunBare:
		*d = DryRunClient
	case slices.Contains([]DryRun{DryRunNone, DryRunClient, DryRunServer}, DryRun(text)):
		*d = DryRun(text)
	default:
		return fmt.Errorf(`invalid dry-run value (%s): must be "none", "server", or "client"`, text)
	}
	return nil
}

func (d *DryRun) String() string { return string(*d) }

// Type is that of kubectl's flag.
func (d *DryRun) Type() string { return "string" }

// Choices are the values that are not deprecated.
func (d *DryRun) Choices() []Choice {
	return []Choice{
		{string(DryRunNone), "write to the cluster"}, {string(DryRunClient), "print what would be done"},
		{string(DryRunServer), "ask the API server, which changes nothing"},
	}
}

// Order is an order in which the pods of a node go.
type Order string

// OrderTiers lets ordinary pods go first, then critical ones, then what provides
// storage or would come straight back. A blocked pod never holds the next tier.
const OrderTiers Order = "tiers"

// Set reads an order; the empty text is all at once.
func (o *Order) Set(text string) error {
	if text != "" && Order(text) != OrderTiers {
		return fmt.Errorf("must be %s", OrderTiers)
	}
	*o = Order(text)
	return nil
}

func (o *Order) String() string { return string(*o) }

// Type is that of the flag.
func (o *Order) Type() string { return "string" }

// Choices are the values beside the empty one.
func (o *Order) Choices() []Choice {
	return []Choice{{string(OrderTiers), "ordinary pods first, then critical ones, then storage"}}
}

// fallback is the value of --surge-fallback.
type fallback struct{ *surge.Fallback }

func (fallback) Choices() []Choice {
	return []Choice{
		{string(surge.FallbackEvict), "as without --surge"}, {string(surge.FallbackLeave), "where they are"},
	}
}

// Honored names another project whose drain labels, annotations and rules are obeyed.
type Honored string

// The projects that --honor knows.
const (
	HonorClusterAPI        Honored = "cluster-api"        // cluster.x-k8s.io/drain, and MachineDrainRules
	HonorClusterAutoscaler Honored = "cluster-autoscaler" // cluster-autoscaler.kubernetes.io/safe-to-evict: "false"
	HonorKarpenter         Honored = "karpenter"          // karpenter.sh/do-not-disrupt: "true"
)

// honorable are all that --honor knows.
var honorable = []Honored{HonorClusterAPI, HonorClusterAutoscaler, HonorKarpenter}

// honored is the value of --honor.
type honored struct{ *list[Honored] }

func (honored) Choices() []Choice {
	return []Choice{
		{string(HonorClusterAPI), "cluster.x-k8s.io/drain: skip and wait-completed; MachineDrainRules"},
		{string(HonorClusterAutoscaler), `cluster-autoscaler.kubernetes.io/safe-to-evict: "false"`},
		{string(HonorKarpenter), `karpenter.sh/do-not-disrupt: "true"`},
	}
}
