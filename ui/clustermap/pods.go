package clustermap

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// kind is what a dot says of a pod, in the order in which dots stand: what needs a look first.
type kind int

const (
	blocked kind = iota
	unready
	ending
	starting
	ready
	finished
	kinds
)

// looks are the dots; a word says what each means.
var looks = [kinds]struct {
	glyph string
	token paint.Token
	word  string
}{
	{paint.Wait, themes.Warning, "blocked"}, {paint.Warn, themes.Bad, "not ready"}, {paint.Ending, themes.Busy, "ending"},
	{paint.Hollow, themes.Info, "starting"}, {paint.Ready, themes.Good, "ready"}, {paint.Stay, themes.Muted, "ended"},
}

// kindOf is what a pod is; those that a run holds are blocked.
func kindOf(p *kube.Pod, held map[kube.UID]bool) kind {
	switch {
	case held[p.UID]:
		return blocked
	case p.Terminating():
		return ending
	case p.Finished():
		return finished
	case p.Healthy():
		return ready
	case p.Phase == corev1.PodPending && p.Trouble == nil:
		return starting
	}
	return unready
}

// counts are how many pods of a node are of each kind.
type counts [kinds]int

func countPods(pods []*kube.Pod, held map[kube.UID]bool) (c counts) {
	for _, p := range pods {
		c[kindOf(p, held)]++
	}
	return c
}

func (c *counts) total() (sum int) {
	for _, n := range c {
		sum += n
	}
	return sum
}

// dots are a dot for each pod in so many cells. Where there are more pods, a dot stands for
// several, and each kind keeps one at least.
func (c *counts) dots(width int) paint.Line {
	total := c.total()
	if total == 0 || width <= 0 {
		return nil
	}
	shown := *c
	if total > width {
		left := width
		for k := range shown { // those that need a look are rounded up
			if shown[k] > 0 {
				shown[k] = min(max(1, c[k]*width/total), left)
				left -= shown[k]
			}
		}
		for k := kinds - 1; k >= 0 && left > 0; k-- { // what rounding left, to the most usual
			if c[k] > 0 {
				more := min(left, c[k]-shown[k])
				shown[k], left = shown[k]+more, left-more
			}
		}
	}
	var l paint.Line
	for k, n := range shown {
		if n > 0 {
			l = l.Add(looks[k].token, strings.Repeat(looks[k].glyph, n))
		}
	}
	return l
}

// words are the kinds in words, "" for no pod.
func (c *counts) words() string {
	var parts []string
	for k, n := range c {
		if n > 0 {
			parts = append(parts, format.Number(n)+" "+looks[k].word)
		}
	}
	return strings.Join(parts, ", ")
}

// legend says what the dots mean.
func legend() paint.Line {
	var parts []paint.Line
	for _, k := range []kind{ready, unready, blocked, ending, starting, finished} {
		parts = append(parts, paint.L(looks[k].token, looks[k].glyph+" "+looks[k].word))
	}
	return paint.Join(paint.Blank(1), parts...)
}
