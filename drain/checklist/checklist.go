package checklist

import (
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Check is the code of a line.
type Check string

// The lines, in the order in which they are shown.
const (
	CheckNode         Check = "Node"
	CheckPods         Check = "Pods"
	CheckVolumes      Check = "Volumes"
	CheckClaims       Check = "Claims"
	CheckEndpoints    Check = "Endpoints"
	CheckControlPlane Check = "ControlPlane"
	CheckEtcd         Check = "Etcd"
	CheckRuns         Check = "Runs"
)

// lines are all checks, with what each says where it is true.
var lines = []struct {
	check     Check
	statement string
	judge     func(*judge)
}{
	{CheckNode, "the node is cordoned and its kubelet reports", (*judge).machine},
	{CheckPods, "only pods of DaemonSets, mirror pods and finished pods are on it", (*judge).pods},
	{CheckVolumes, "no volume is attached to it", (*judge).volumes},
	{CheckClaims, "no claim is bound to this node only", (*judge).claims},
	{CheckEndpoints, "no Service has its last ready endpoint here", (*judge).endpoints},
	{CheckControlPlane, "it is not the last Ready control-plane node", (*judge).controlPlane},
	{CheckEtcd, "no etcd member here is needed for quorum", (*judge).etcd},
	{CheckRuns, "no other run is at work on it", (*judge).runs},
}

// Kinds are what the lines are judged from.
var Kinds = []kube.Kind{
	kube.KindNodes, kube.KindPods, kube.KindDaemonSets, kube.KindAttachments, kube.KindClaims, kube.KindVolumes,
	kube.KindServices, kube.KindLeases,
}

// Subject is the node that is judged, and what is known of it beside the cluster.
type Subject struct {
	Node string
	UID  kube.UID
	// With are the nodes that are powered off together with it: what only they have
	// besides is not left.
	With []string
	// Run is the run that asks, "" for none: its own Lease and annotation are no reason.
	Run   string
	Moved []Moved             // pods that the run moved away
	Left  map[kube.UID]string // why the run left a pod where it is
	// Stopped tells that the kubelet was stopped after the drain, as was asked for: that it
	// is silent says nothing then.
	Stopped bool
	Now     time.Time
}

// Moved is a pod that was moved off the node, with its volumes.
type Moved struct {
	Namespace, Name string
	Volumes         []volume.VolumeRun
}

// Verdict is whether the machine of a node can be powered off and nothing ends or
// is lost with it.
type Verdict struct {
	Safe bool `json:"safe"`
	// Why is what speaks against it, and what is not known; empty where it is safe.
	Why []Reason `json:"why,omitempty"`
	// Checks are the lines that were judged. While the node itself is not known, that
	// is only the first; a journal of an older version has none.
	Checks []Check `json:"checks,omitempty"`
}

// Reason is one object because of which a line is false or not known.
type Reason struct {
	Check   Check  `json:"check,omitempty"`
	Object  string `json:"object"` // Kind/namespace/name
	Message string `json:"message"`
	Unknown bool   `json:"unknown,omitempty"` // it cannot be told: the line is neither true nor false
}

// Line is one line of the checklist.
type Line struct {
	Check Check `json:"check"`
	// Holds is nil where it is not known.
	Holds   *bool    `json:"holds"`
	Message string   `json:"message"` // what the line says where it is true
	Why     []Reason `json:"why,omitempty"`
}

// Of judges a node by the snapshot.
func Of(s *kube.Snapshot, subject Subject) Verdict {
	j := judge{Subject: subject, s: s}
	var v Verdict
	for _, line := range lines {
		j.check = line.check
		line.judge(&j)
		if v.Checks = append(v.Checks, line.check); j.blind {
			break
		}
	}
	v.Safe, v.Why = len(j.why) == 0, j.why
	return v
}

// NodeVerdict is the verdict on one of some nodes.
type NodeVerdict struct {
	Name    string
	UID     kube.UID
	Verdict Verdict
}

// OfAll judges nodes that are powered off together, when no run asks.
func OfAll(s *kube.Snapshot, names []string, now time.Time) []NodeVerdict {
	verdicts := make([]NodeVerdict, len(names))
	for i, name := range names {
		subject := Subject{Node: name, With: names, Now: now}
		if n := s.Node(name); n != nil {
			subject.UID = n.UID
		}
		verdicts[i] = NodeVerdict{Name: name, UID: subject.UID, Verdict: Of(s, subject)}
	}
	return verdicts
}

// Answer is whether all lines are true; nil where it is not known.
func (v *Verdict) Answer() *bool { return holds(v.Why) }

// holds is nil where nothing is known to be against it, and something is not known.
func holds(why []Reason) *bool {
	safe := len(why) == 0
	if !safe && !slices.ContainsFunc(why, func(r Reason) bool { return !r.Unknown }) {
		return nil
	}
	return &safe
}

// Lines are the lines that were judged.
func (v *Verdict) Lines() []Line {
	var all []Line
	for _, line := range lines {
		if !slices.Contains(v.Checks, line.check) {
			continue
		}
		l := Line{Check: line.check, Message: line.statement}
		for _, r := range v.Why {
			if r.Check == line.check {
				l.Why = append(l.Why, r)
			}
		}
		l.Holds = holds(l.Why)
		all = append(all, l)
	}
	return all
}

// Sentence says that the node is not safe to power off, or that this is not known,
// with the first reasons; "" where it is safe.
func (v *Verdict) Sentence() string {
	if v.Safe {
		return ""
	}
	text, known := "whether it is safe to power off is not known: ", v.Answer() != nil
	if known {
		text = "not safe to power off: "
	}
	var said []string
	for _, r := range v.Why {
		if r.Unknown != known {
			said = append(said, r.Message)
		}
	}
	if more := len(said) - format.NamesShown; more > 0 {
		said = append(said[:format.NamesShown:format.NamesShown], format.Number(int32(more))+" more")
	}
	return text + strings.Join(said, "; ")
}

// judge goes through the lines of one node.
type judge struct {
	Subject
	s     *kube.Snapshot
	check Check // the line that is judged
	blind bool  // the node itself is not known: no further line can be judged
	why   []Reason
}

func (j *judge) against(object, message string) {
	j.why = append(j.why, Reason{Check: j.check, Object: object, Message: message})
}

func (j *judge) unknown(object, message string) {
	j.why = append(j.why, Reason{Check: j.check, Object: object, Message: message, Unknown: true})
}

// unread notes that a kind may not be listed or is not in yet where it counts, and tells whether it is so.
func (j *judge) unread(in interface {
	Sync(kube.Kind) kube.SyncState
}, kind kube.Kind, missing string) bool {
	state := in.Sync(kind)
	because := string(kind) + " are " + state.Phase.String()
	switch {
	case state.Phase == kube.Synced && j.s.Health().Live:
		return false
	case state.Phase == kube.NotSynced:
		because = string(kind) + " are not read yet"
	case state.Phase == kube.Denied:
		because = string(kind) + " cannot be listed"
	}
	if r := (Reason{Check: j.check, Object: string(kind), Message: missing + " is not known: " + because,
		Unknown: true}); !slices.Contains(j.why, r) {
		j.why = append(j.why, r)
	}
	return true
}

// leaves reports whether a node is powered off, alone or with the others.
func (j *judge) leaves(node string) bool { return node == j.Node || slices.Contains(j.With, node) }
