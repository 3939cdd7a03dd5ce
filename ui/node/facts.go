package node

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// fact is a line of the page.
type fact struct {
	section, name string
	value         paint.Line
}

// facts are all that is known of the node, section by section; none where there is no such node.
func (m *Page) facts() []fact {
	n := m.s.Snap.Node(m.name)
	if n == nil {
		return nil
	}
	return slices.Concat(m.state(n), m.conditions(n), m.resources(n), m.taints(n), m.volumes(n), m.pastRuns(),
		m.machine(n), labelsOf(n))
}

func (m *Page) since(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return format.Age(m.s.Snap.ServerTime(m.s.Now).Sub(t))
}

func (m *Page) state(n *kube.Node) []fact {
	const section = "State"
	ready := paint.L(themes.Good, paint.Ready+" Ready")
	if n.Ready != kube.NodeReady {
		ready = paint.L(themes.Bad, paint.Hollow+" Not ready")
	}
	schedulable := paint.L(themes.Text, "new pods can be scheduled there")
	if n.Unschedulable {
		schedulable = paint.L(themes.Warning, paint.Dotted+" "+wording.CordonedBy(n, m.s.Now))
	}
	facts := []fact{{section, "ready", ready}, {section, "scheduling", schedulable}}
	if !n.Deleted.IsZero() {
		facts = append(facts, fact{section, "deletion", paint.L(themes.Warning, "deleted "+m.since(n.Deleted)+
			" ago, held by "+strings.Join(n.Finalizers, ", "))})
	}
	return append(facts, fact{section, "age", paint.T(m.since(n.Created))})
}

// conditions are those that were read, before that the one that is watched.
func (m *Page) conditions(n *kube.Node) []fact {
	all := m.details.Conditions
	if len(all) == 0 {
		all = []watch.Condition{{Type: "Ready", Status: string(n.Ready), Reason: n.ReadyReason,
			Message: n.ReadyMessage, Since: n.ReadySince}}
	}
	var facts []fact
	for _, c := range all {
		// Of the others each says that something is wrong.
		token, glyph := themes.Good, paint.Good
		if good := c.Type == string(corev1.NodeReady) == (c.Status == string(corev1.ConditionTrue)); !good ||
			c.Status == string(corev1.ConditionUnknown) {
			token, glyph = themes.Bad, paint.Bad
		}
		l := paint.L(token, glyph+" "+c.Status)
		if since := m.since(c.Since); since != "" {
			l = l.Add(themes.Muted, " for "+since)
		}
		if c.Reason != "" {
			l = l.Add(themes.Text, "  "+c.Reason)
		}
		if c.Message != "" {
			l = l.Add(themes.Muted, "  "+format.Quote(c.Message))
		}
		facts = append(facts, fact{"Conditions", c.Type, l})
	}
	return facts
}

// resources are what the node has, may give, has given and uses.
func (m *Page) resources(n *kube.Node) []fact {
	const section = "Resources"
	totals := m.s.Snap.Totals(n.Name)
	share := func(part, whole int64, text string) paint.Line {
		l := wording.Share(part, whole, 16)
		return l.Add(themes.Text, "  "+text)
	}
	facts := []fact{
		{section, "CPU requested", share(totals.Requested.CPUMilli, n.Allocatable.CPUMilli,
			format.CPU(totals.Requested.CPUMilli)+" of "+format.CPU(n.Allocatable.CPUMilli))},
		{section, "memory requested", share(totals.Requested.MemoryBytes, n.Allocatable.MemoryBytes,
			format.Bytes(totals.Requested.MemoryBytes)+" of "+format.Bytes(n.Allocatable.MemoryBytes))},
		{section, "pods", share(int64(totals.Pods), n.Allocatable.Pods,
			format.Number(totals.Pods)+" of "+format.Number(int(n.Allocatable.Pods)))},
	}
	if u, ok := m.s.Snap.NodeUsage(n.Name); ok {
		facts = append(facts,
			fact{section, "CPU used", share(u.CPUMilli, n.Allocatable.CPUMilli, format.CPU(u.CPUMilli))},
			fact{section, "memory used", share(u.MemoryBytes, n.Allocatable.MemoryBytes, format.Bytes(u.MemoryBytes))})
	}
	for _, r := range m.details.Resources {
		facts = append(facts, fact{section, "capacity " + r.Name,
			paint.T(r.Capacity).Add(themes.Muted, ", allocatable "+r.Allocatable)})
	}
	return facts
}

func (m *Page) taints(n *kube.Node) []fact {
	var facts []fact
	for _, t := range n.Taints {
		l := paint.L(themes.Warning, string(t.Effect))
		if t.Value != "" {
			l = l.Add(themes.Text, "  = "+t.Value)
		}
		if t.TimeAdded != nil {
			l = l.Add(themes.Muted, "  for "+m.since(t.TimeAdded.Time))
		}
		facts = append(facts, fact{"Taints", t.Key, l})
	}
	return orNone("Taints", facts)
}

// orNone says that a section has nothing: that it is missing could mean that it is not known.
func orNone(section string, facts []fact) []fact {
	if len(facts) == 0 {
		return []fact{{section, "none", nil}}
	}
	return facts
}

// volumes are those that are attached to the node, with the claim that has them.
func (m *Page) volumes(n *kube.Node) []fact {
	const section = "Volumes attached"
	switch state := m.s.Snap.Sync(kube.KindAttachments); state.Phase {
	case kube.Denied:
		return []fact{{section, "not known", paint.L(themes.Warning, format.Quote(state.Reason))}}
	case kube.NotSynced:
		return []fact{{section, "not read yet", nil}}
	}
	var facts []fact
	for _, a := range m.s.Snap.Storage().AttachmentsOn(n.Name) {
		l := paint.L(themes.Muted, a.Driver)
		if v := m.s.Snap.Storage().Volume(a.Volume); v != nil && v.Claim != nil {
			l = paint.T(v.Claim.Namespace+"/"+v.Claim.Name).Add(themes.Muted, "  "+a.Driver)
		}
		if !a.Attached {
			l = l.Add(themes.Warning, "  not attached yet")
		}
		if problem := cmp.Or(a.DetachError, a.AttachError); problem != "" {
			l = l.Add(themes.Bad, "  "+format.Quote(problem))
		}
		facts = append(facts, fact{section, cmp.Or(a.Volume, a.Name), l})
	}
	return orNone(section, facts)
}

// runsShown is how many of the last runs are shown.
const runsShown = 8

// pastRuns are the last runs of this machine on the node.
func (m *Page) pastRuns() []fact {
	const section = "Runs of this machine"
	if m.runsErr != nil {
		return []fact{{section, "not read", paint.L(themes.Warning, kube.Clean(m.runsErr.Error()))}}
	}
	var facts []fact
	for _, b := range m.runs[:min(len(m.runs), runsShown)] {
		token := themes.Text
		switch {
		case b.Live:
			token = themes.Busy
		case b.Outcome == "":
			token = themes.Warning
		}
		l := paint.L(token, b.State()).Add(themes.Muted, "  "+
			b.Started.In(m.s.Now.Location()).Format("2006-01-02 15:04")+" by "+wording.Clean(b.User)+", "+
			format.Count(len(b.Nodes), "node"))
		facts = append(facts, fact{section, b.ID, l})
	}
	if m.at.IsZero() {
		return facts
	}
	return orNone(section, facts)
}

func (m *Page) machine(n *kube.Node) []fact {
	var facts []fact
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, fact{"Machine", name, paint.T(value)})
		}
	}
	add("kubelet", n.KubeletVersion)
	add("runtime", n.Runtime)
	add("operating system", m.details.OS)
	add("kernel", strings.TrimSpace(m.details.Kernel+" "+m.details.Architecture))
	add("addresses", strings.Join(n.Addresses, ", "))
	add("provider ID", n.ProviderID)
	add("UID", string(n.UID))
	return facts
}

func labelsOf(n *kube.Node) []fact {
	var facts []fact
	for _, key := range slices.Sorted(maps.Keys(n.Labels)) {
		facts = append(facts, fact{"Labels", key, paint.T(n.Labels[key])})
	}
	return facts
}
