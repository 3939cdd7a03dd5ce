package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/page"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// podRef is a pod by all that tells it from another.
type podRef struct {
	namespace, name string
	uid             kube.UID
}

func (r podRef) String() string { return r.namespace + "/" + r.name }

// podPage shows one pod in full, and with one key the sick sibling that holds
// it. What it says of the plan or the run is as live as those pages are; what
// is read for it is as old as it says.
type podPage struct {
	textPage
	pod  podRef
	from *planPage // whose plan it belongs to, nil for the run
	sick bool      // the sibling is shown
	part int
	read map[kube.UID]readPod // of the pod and its sibling
}

// readPod is what was read about a pod.
type readPod struct {
	asked   bool // a command is out
	at      time.Time
	details kube.PodDetails
	err     error
}

type podMsg struct {
	uid     kube.UID
	details kube.PodDetails
	err     error
}

// readTime bounds the reading of a pod's details: several requests, one after
// the other.
const readTime = 20 * time.Second

func (m *Model) openPod(pod podRef, from *planPage) {
	m.pod = podPage{pod: pod, from: from, read: map[kube.UID]readPod{}}
	m.show(pagePod)
	m.readPod()
}

// shown is the pod that the page is about now.
func (m *Model) shownPod() podRef {
	if m.pod.sick {
		if ref, ok := m.siblingRef(); ok {
			return ref
		}
	}
	return m.pod.pod
}

// sibling is the pod that holds this one, nil where none does.
func (m *Model) sibling() *budget.Sibling {
	var s *budget.Sibling
	if m.pod.from != nil {
		if p, ok := m.pod.from.pods[string(m.pod.pod.uid)]; ok && p.Budget != nil {
			s = p.Budget.Sibling
		}
	} else if p := m.podOfRun(); p != nil && p.Wait != nil && !p.State.Final() {
		s = p.Wait.Sibling
	}
	if s != nil && s.Namespace == m.pod.pod.namespace && s.Name == m.pod.pod.name {
		return nil // it is its own trouble
	}
	return s
}

func (m *Model) podOfRun() *drain.PodRun {
	if m.last == nil {
		return nil
	}
	return m.last.Pod(m.pod.pod.uid)
}

// siblingRef finds the sibling in the cluster.
func (m *Model) siblingRef() (podRef, bool) {
	s := m.sibling()
	if s == nil {
		return podRef{}, false
	}
	live := m.snap.PodNamed(s.Namespace, s.Name)
	if live == nil {
		return podRef{}, false
	}
	return podRef{live.Namespace, live.Name, live.UID}, true
}

// canSeeSibling tells whether there is another pod to go to.
func canSeeSibling(m *Model) (bool, string) {
	if m.pod.sick {
		return true, ""
	}
	if _, ok := m.siblingRef(); !ok {
		return false, "no other pod holds this one"
	}
	return true, ""
}

func (m *Model) turnToSibling() {
	m.pod.sick = !m.pod.sick
	m.pod.top = 0
	if !m.pod.read[m.shownPod().uid].asked && m.pod.read[m.shownPod().uid].at.IsZero() {
		m.readPod()
	}
}

func (m *Model) turnPart(to int) {
	n := len(page.PodParts)
	m.pod.part, m.pod.top = (to+n)%n, 0
}

// readPod has the details of the shown pod read.
func (m *Model) readPod() {
	ref, read := m.shownPod(), m.d.PodDetails
	if read == nil || m.pod.read[ref.uid].asked {
		return
	}
	was := m.pod.read[ref.uid]
	was.asked = true
	m.pod.read[ref.uid] = was
	ctx := m.ctx
	m.queue(m.d.Crash.guard("the details of a pod", func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, readTime)
		defer cancel()
		msg := podMsg{uid: ref.uid}
		msg.details, msg.err = read(ctx, ref.namespace, ref.name, ref.uid)
		return msg
	}))
}

// takePod keeps what was read, if the page is still about that pod. A failure
// leaves what was read before: a pod that is gone may still be understood.
func (m *Model) takePod(msg podMsg) {
	was, ok := m.pod.read[msg.uid]
	if !ok || !was.asked {
		return
	}
	was.asked, was.err = false, msg.err
	if msg.err == nil {
		was.at, was.details = m.now, msg.details
	}
	m.pod.read[msg.uid] = was
}

func (m *Model) viewPod() pageView {
	ref := m.shownPod()
	read := m.pod.read[ref.uid]
	v := pageView{text: m.podLines(), head: m.podHead()}
	v.left = paint.L(themes.Title, "Pod ").Add(themes.Accent, ref.String())
	if m.pod.sick {
		v.left = paint.L(themes.Title, "Pod ").Add(themes.Accent, ref.String()).Add(themes.Muted, paint.Dot+"holds "+m.pod.pod.name)
	}
	switch {
	case m.d.PodDetails == nil:
	case read.asked:
		v.right = paint.L(themes.Busy, "reading"+paint.Ellipsis)
	case !read.at.IsZero():
		v.right = paint.L(themes.Muted, "read "+read.at.Format("15:04:05"))
	}
	return v
}

// podHead names the parts of the page and the one that is shown.
func (m *Model) podHead() []paint.Line {
	var l paint.Line
	for i, part := range page.PodParts {
		token := themes.Muted
		if i == m.pod.part {
			token = themes.Accent
			part = "[" + part + "]"
		}
		l = l.Add(themes.Key, page.Number(i+1)+" ").Add(token, part+"   ")
	}
	if s := m.sibling(); s != nil && !m.pod.sick {
		l = l.Add(themes.Muted, "held by ").Add(themes.Text, s.Name+" ").Add(themes.Key, "b")
	}
	return []paint.Line{l, nil}
}

// podLines are the lines of the part that is shown, wrapped.
func (m *Model) podLines() []paint.Line {
	read := m.pod.read[m.shownPod().uid]
	var lines []paint.Line
	switch {
	case read.err != nil:
		lines = append(lines, paint.L(themes.Bad, paint.Bad+" "+kube.Clean(read.err.Error())), nil)
	case m.d.PodDetails == nil:
		lines = append(lines, paint.L(themes.Muted, "There is no cluster here to read more from."), nil)
	}
	whole := !read.at.IsZero()
	if whole {
		lines = append(lines, page.PodMissing(read.details)...)
	}
	switch {
	case m.pod.part == 0:
		lines = append(lines, m.podState(read, whole)...)
	case !whole && read.asked:
		lines = append(lines, paint.L(themes.Busy, "reading"+paint.Ellipsis))
	case !whole:
	case m.pod.part == 1:
		lines = append(lines, page.PodLogs(read.details)...)
	default:
		lines = append(lines, page.PodYAML(read.details)...)
	}
	var wrapped []paint.Line
	for _, l := range lines {
		if len(l) == 0 {
			wrapped = append(wrapped, nil)
			continue
		}
		wrapped = append(wrapped, paint.Wrap(l, m.width-2)...)
	}
	return wrapped
}

// podState is what there is to say of the pod, then its conditions and events.
func (m *Model) podState(read readPod, whole bool) []paint.Line {
	lines := m.podWords()
	if !whole {
		return lines
	}
	lines = append(lines, nil, paint.L(themes.Title, "Conditions"))
	lines = append(lines, page.PodConditions(read.details, m.snap.ServerTime(m.now))...)
	lines = append(lines, nil, paint.L(themes.Title, "Events"))
	return append(lines, page.PodEvents(read.details, m.snap.ServerTime(m.now))...)
}

// podWords are the sentences of the page that the pod was opened from.
func (m *Model) podWords() []paint.Line {
	if s := m.sibling(); m.pod.sick && s != nil {
		return []paint.Line{paint.T(page.SiblingSentence(s, m.now) + ".")}
	}
	if m.pod.from != nil {
		p, ok := m.pod.from.pods[string(m.pod.pod.uid)]
		if !ok {
			return []paint.Line{paint.L(themes.Muted, "It is not in the plan any more.")}
		}
		lines := append([]paint.Line{page.Fate(p, widestFate), page.PlanPodStory(p, m.now)}, podFacts(p.Node, p.Owner, string(p.UID))...)
		return append(lines, page.Advice(p)...)
	}
	p := m.podOfRun()
	if p == nil {
		return nil
	}
	lines := append([]paint.Line{page.PodState(p), page.PodRunSentence(p, m.now)}, podFacts(p.Node, p.Owner, string(p.UID))...)
	return append(lines, paint.L(themes.Muted, "requests    ").Add(themes.Text, page.Count(p.Attempts, "try")).
		Add(themes.Muted, ", refused ").Add(themes.Text, page.Number(p.Refusals)))
}

func podFacts(node, owner, uid string) []paint.Line {
	return []paint.Line{nil, paint.L(themes.Muted, "node        ").Add(themes.Text, node),
		paint.L(themes.Muted, "belongs to  ").Add(themes.Text, orNobody(owner)), paint.L(themes.Muted, "uid         ").Add(themes.Text, uid)}
}
