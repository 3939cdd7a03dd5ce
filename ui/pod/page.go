package pod

import (
	"cmp"
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// Page shows one pod in full, and with one key the unhealthy pod that blocks it. What it
// says of the plan or the run is as live as those pages are; what is read for it is as
// old as it says.
type Page struct {
	shell   frame.Shell
	s       *frame.Session
	scroll  frame.Scroll
	pod     frame.PodRef
	planned func() (plan.Pod, bool) // in the plan it belongs to, nil for the run
	sick    bool                    // the unhealthy pod is shown
	part    int
	read    map[kube.UID]readPod // of the pod and the one that blocks it
	follows bool                 // the log is read again and again
	next    time.Time            // when it is read again
}

// New makes the page.
func New(shell frame.Shell) *Page { return &Page{shell: shell, s: shell.Session()} }

// Scroll makes it a page of text.
func (m *Page) Scroll() *frame.Scroll { return &m.scroll }

// Opened begins with another pod, and has it read.
func (m *Page) Opened(ref frame.Ref) {
	*m = Page{shell: m.shell, s: m.s, pod: ref.Pod, planned: ref.PlannedPod, read: map[kube.UID]readPod{}}
	m.readPod()
}

// Update takes what was read.
func (m *Page) Update(msg tea.Msg) {
	if msg, ok := msg.(podMsg); ok {
		m.onPod(msg)
	}
}

// Layout has a followed log read again when it is time.
func (m *Page) Layout(frame.Layout) {
	if m.follows && !m.s.Now.Before(m.next) {
		m.readPod()
	}
}

// Waits reports whether the page changes with time.
func (m *Page) Waits() bool { return m.follows }

// readPod is what was read about a pod.
type readPod struct {
	asked   bool // a command is out
	at      time.Time
	chosen  string // the container whose log is wanted, "" for the one that tells most
	details watch.PodDetails
	err     error
}

type podMsg struct {
	pod     frame.PodRef
	chosen  string
	details watch.PodDetails
	logs    bool // they are read, too
	err     error
}

// readTime is the limit for the requests of a pod's details together, and again for those of its log.
const readTime = 20 * time.Second

// shownPod is the pod that the page is about now.
func (m *Page) shownPod() frame.PodRef {
	if m.sick {
		if ref, ok := m.unhealthyRef(); ok {
			return ref
		}
	}
	return m.pod
}

// sibling is the pod that blocks this one, nil where none does.
func (m *Page) unhealthyPod() *budget.UnhealthyPod {
	var s *budget.UnhealthyPod
	if m.planned != nil {
		if p, ok := m.planned(); ok && p.Budget != nil {
			s = p.Budget.UnhealthyPod
		}
	} else if p := m.podOfRun(); p != nil && p.Wait != nil && !p.State.Final() {
		s = p.Wait.UnhealthyPod
	}
	if s != nil && s.Namespace == m.pod.Namespace && s.Name == m.pod.Name {
		return nil // it is its own trouble
	}
	return s
}

func (m *Page) podOfRun() *eviction.Record {
	if m.s.State == nil {
		return nil
	}
	return m.s.State.Pod(m.pod.UID)
}

// unhealthyRef finds the unhealthy pod in the cluster.
func (m *Page) unhealthyRef() (frame.PodRef, bool) {
	s := m.unhealthyPod()
	if s == nil {
		return frame.PodRef{}, false
	}
	live := m.s.Snap.PodNamed(s.Namespace, s.Name)
	if live == nil {
		return frame.PodRef{}, false
	}
	return frame.PodRef{Namespace: live.Namespace, Name: live.Name, UID: live.UID}, true
}

// canSeeUnhealthyPod reports whether there is another pod to go to.
func (m *Page) canSeeUnhealthyPod() (bool, string) {
	if m.sick {
		return true, ""
	}
	if _, ok := m.unhealthyRef(); !ok {
		return false, "no other pod blocks this one"
	}
	return true, ""
}

func (m *Page) turnToUnhealthyPod() {
	m.sick = !m.sick
	m.scroll.ToTop()
	if !m.read[m.shownPod().UID].asked && m.read[m.shownPod().UID].at.IsZero() {
		m.readPod()
	}
}

func (m *Page) turnPart(to int) {
	n := len(podParts)
	m.part = (to + n) % n
	m.scroll.ToTop()
	m.scroll.End = m.part == logsPart && m.follows
}

// readPod has the details of the shown pod read.
func (m *Page) readPod() {
	ref, cluster := m.shownPod(), m.s.Cluster
	if cluster == nil || m.read[ref.UID].asked {
		return
	}
	was := m.read[ref.UID]
	was.asked = true
	m.read[ref.UID] = was
	chosen := was.chosen
	m.shell.Go("the details of a pod", func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, readTime)
		defer cancel()
		msg := podMsg{pod: ref, chosen: chosen}
		msg.details, msg.err = cluster.PodDetails(ctx, ref.Namespace, ref.Name, ref.UID, chosen)
		return msg
	})
}

// onPod keeps what was read, if the page is still about that pod. A failure
// leaves what was read before: a pod that is gone may still be understood. The log comes
// last, from the kubelet: where that does not answer, all the rest is shown.
func (m *Page) onPod(msg podMsg) {
	uid := msg.pod.UID
	was, ok := m.read[uid]
	if !ok || !was.asked {
		return
	}
	was.asked, was.err = msg.err == nil && !msg.logs, msg.err
	if msg.err == nil {
		logs := was.details.Logs // shown until the new ones are there
		same := was.details.Container == msg.details.Container
		was.at, was.details = m.s.Now, msg.details
		if !msg.logs && same {
			was.details.Logs = logs
		}
	}
	m.read[uid] = was
	if was.asked {
		m.readLogs(msg)
		return
	}
	m.next = m.s.Now.Add(followEvery)
	if was.chosen != msg.chosen && m.shownPod().UID == uid { // chosen while it was read
		m.readPod()
	}
}

// readLogs has the log read of the container that was chosen.
func (m *Page) readLogs(msg podMsg) {
	cluster := m.s.Cluster
	m.shell.Go("the log of a pod", func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, readTime)
		defer cancel()
		msg.details, msg.logs = cluster.PodLogs(ctx, msg.pod.Namespace, msg.pod.Name, msg.details), true
		return msg
	})
}

// View is the part of the pod that is shown.
func (m *Page) View() frame.View {
	ref := m.shownPod()
	read := m.read[ref.UID]
	v := frame.View{Text: m.podLines(), Head: m.podHead()}
	v.Left = paint.L(themes.Title, "Pod ").Add(themes.Accent, ref.String())
	if m.sick {
		v.Left = paint.L(themes.Title, "Pod ").Add(themes.Accent, ref.String()).Add(themes.Muted,
			paint.Dot+"blocks "+m.pod.Name)
	}
	switch {
	case m.s.Cluster == nil:
	case m.follows:
		v.Right = paint.L(themes.Busy, "follows the log")
	case read.asked:
		v.Right = paint.L(themes.Busy, "reading"+paint.Ellipsis)
	case !read.at.IsZero():
		v.Right = paint.L(themes.Muted, "read "+read.at.Format("15:04:05"))
	}
	return v
}

// podHead names the parts of the page and the one that is shown.
func (m *Page) podHead() []paint.Line {
	var l paint.Line
	for i, part := range podParts {
		token := themes.Muted
		if i == m.part {
			token = themes.Accent
			part = "[" + part + "]"
		}
		l = l.Add(themes.Key, format.Number(i+1)+" ").Add(token, part+"   ")
	}
	if s := m.unhealthyPod(); s != nil && !m.sick {
		l = l.Add(themes.Muted, "blocked by ").Add(themes.Text, s.Name+" ").Add(themes.Key, "b")
	}
	return []paint.Line{l, nil}
}

// podLines are the lines of the part that is shown, wrapped.
func (m *Page) podLines() []paint.Line {
	read := m.read[m.shownPod().UID]
	var lines []paint.Line
	switch {
	case read.err != nil:
		lines = append(lines, paint.L(themes.Bad, paint.Bad+" "+kube.Clean(read.err.Error())), nil)
	case m.s.Cluster == nil:
		lines = append(lines, paint.L(themes.Muted, "There is no cluster here to read more from."), nil)
	}
	whole := !read.at.IsZero()
	switch {
	case m.part == 0:
		lines = append(lines, m.podState(read, whole)...)
	case !whole && read.asked:
		lines = append(lines, paint.L(themes.Busy, "reading"+paint.Ellipsis))
	case !whole:
	case m.part == 1:
		lines = append(append(lines, containerLine(read)...), podLogs(read)...)
	default:
		lines = append(lines, podYAML(read.details)...)
	}
	var wrapped []paint.Line
	for _, l := range lines {
		if len(l) == 0 {
			wrapped = append(wrapped, nil)
			continue
		}
		wrapped = append(wrapped, paint.Wrap(l, m.s.Width-2)...)
	}
	return wrapped
}

// podState is what there is to say of the pod, then its conditions and events.
func (m *Page) podState(read readPod, whole bool) []paint.Line {
	lines := m.podWords()
	if !whole {
		return lines
	}
	if all := podContainers(read.details.Containers); all != nil {
		lines = append(append(lines, nil, paint.L(themes.Title, "Containers")), all...)
	}
	lines = append(lines, nil, paint.L(themes.Title, "Conditions"))
	lines = append(lines, podConditions(read.details, m.s.Snap.ServerTime(m.s.Now))...)
	lines = append(lines, nil, paint.L(themes.Title, "Events"))
	return append(lines, podEvents(read.details, m.s.Snap.ServerTime(m.s.Now))...)
}

// podWords are the sentences of the page that the pod was opened from.
func (m *Page) podWords() []paint.Line {
	if s := m.unhealthyPod(); m.sick && s != nil {
		return []paint.Line{paint.T(wording.UnhealthyPodSentence(s, m.s.Now) + ".")}
	}
	if m.planned != nil {
		p, ok := m.planned()
		if !ok {
			return []paint.Line{paint.L(themes.Muted, "It is no longer in the plan.")}
		}
		lines := append([]paint.Line{wording.Effects(p, wording.WidestEffects), planPodStory(p, m.s.Now)},
			podFacts(p.Node, p.Owner, string(p.UID))...)
		return append(lines, adviceLines(p)...)
	}
	p := m.podOfRun()
	if p == nil {
		return nil
	}
	lines := append([]paint.Line{wording.PodState(p), wording.PodRunSentence(p, m.s.Now)},
		podFacts(p.Node, p.Owner, string(p.UID))...)
	return append(lines, paint.L(themes.Muted, "requests    ").Add(themes.Text, format.Count(p.Attempts, "try")).
		Add(themes.Muted, ", refused ").Add(themes.Text, format.Number(p.Refusals)))
}

func podFacts(node, owner, uid string) []paint.Line {
	return []paint.Line{nil, paint.L(themes.Muted, "node        ").Add(themes.Text, node),
		paint.L(themes.Muted, "belongs to  ").Add(themes.Text, cmp.Or(owner, "no controller")), paint.L(themes.Muted, "uid         ").Add(themes.Text, uid)}
}
