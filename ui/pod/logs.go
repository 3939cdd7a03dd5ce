package pod

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// logsPart is the part of the page with the logs.
const logsPart = 1

// shownContainer is the container whose log is shown or being read.
func (r readPod) shownContainer() string {
	if r.chosen != "" {
		return r.chosen
	}
	return r.details.Container
}

func (m *Page) canChooseContainer() (bool, string) {
	switch n := len(m.read[m.shownPod().UID].details.Containers); n {
	case 0:
		return false, "the containers of the pod were not read"
	case 1:
		return false, "the pod has one container"
	}
	return true, ""
}

// containerTitle keeps the key out of the hints where no log is shown.
func (m *Page) containerTitle() string {
	if ok, _ := m.canChooseContainer(); !ok || m.part != logsPart {
		return ""
	}
	return "next container"
}

// chooseNextContainer shows the log of the container that starts after the shown one.
func (m *Page) chooseNextContainer() {
	uid := m.shownPod().UID
	read := m.read[uid]
	all := read.details.Containers
	at := slices.IndexFunc(all, func(c watch.Container) bool { return c.Name == read.shownContainer() })
	read.chosen = all[(at+1)%len(all)].Name
	m.read[uid] = read
	m.turnPart(logsPart)
	m.readPod()
}

// followEvery is how long a followed log rests before it is read again.
const followEvery = 2 * time.Second

// follow begins to read the log again and again, or ends that.
func (m *Page) follow() {
	m.follows = !m.follows
	m.turnPart(logsPart)
	if m.follows {
		m.readPod()
	}
}

// followTitle keeps the key out of the hints where no log is shown.
func (m *Page) followTitle() string {
	switch {
	case m.part != logsPart:
		return ""
	case m.follows:
		return "end following"
	}
	return "follow"
}

// containerLine names the containers with their states, the shown one in brackets; nil where
// there is nothing to choose.
func containerLine(read readPod) []paint.Line {
	if len(read.details.Containers) < 2 {
		return nil
	}
	line := paint.L(themes.Key, "c ").Add(themes.Muted, "container")
	for _, c := range read.details.Containers {
		if c.Name == read.shownContainer() {
			line = line.Add(themes.Accent, "   ["+c.Name+"]")
		} else {
			line = line.Add(themes.Text, "   "+c.Name)
		}
		if facts := containerFacts(c); facts != nil {
			line = append(line.Add(themes.Muted, " "), facts...)
		}
	}
	return []paint.Line{line, nil}
}

func containerFacts(c watch.Container) paint.Line {
	var restarts paint.Line
	if c.Restarts > 0 {
		restarts = paint.L(themes.Warning, format.Count(int(c.Restarts), "restart"))
	}
	return paint.Join(paint.S(themes.Muted, ", "),
		paint.L(themes.Muted, string(c.Kind)), paint.L(themes.Muted, c.State), restarts)
}

// podLogs are the last lines of the chosen container, and of its previous instance.
func podLogs(read readPod) []paint.Line {
	d := read.details
	lines := podMissing(d, watch.PartLog)
	switch {
	case len(d.Logs) == 0 && read.asked:
		return []paint.Line{paint.L(themes.Busy, "reading"+paint.Ellipsis)}
	case len(d.Logs) == 0 && lines == nil:
		return []paint.Line{paint.L(themes.Muted, "No container has started yet.")}
	}
	for _, tail := range d.Logs {
		if lines != nil {
			lines = append(lines, nil)
		}
		title := "container " + tail.Container
		if tail.Previous {
			title += ", the previous instance"
		}
		count := "  last " + format.Count(len(tail.Lines), "line")
		lines = append(lines, paint.L(themes.Title, title).Add(themes.Muted, count))
		if len(tail.Lines) == 0 {
			lines = append(lines, paint.L(themes.Muted, "It wrote nothing."))
		}
		for _, text := range tail.Lines {
			lines = append(lines, paint.T(text))
		}
	}
	return lines
}
