package main

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// trace says where the time of a drain went: before the first eviction, on the
// critical chain, and after the last pod.
func (d drained) trace(out io.Writer) {
	at := func(t time.Time) float64 { return t.Sub(d.result.Began).Seconds() }
	fmt.Fprintf(out, "  first write %.3f s, cordoned %.3f s, last pod gone %.3f s, end %.3f s\n",
		at(d.firstWrite()), at(d.cordoned()), at(d.lastGone), at(d.result.Ended))
	fmt.Fprintf(out, "  the cluster: pods end in %s; replacements are bound in %s, start in %s\n",
		spread(d.leaving), spread(d.binding), spread(d.starting))
	for _, c := range d.chains() {
		fmt.Fprintf(out, "  %-10s evictions end %.3f s, own delay %.3f s in %d gaps: %s; answers: %s\n",
			c.group, at(c.ends), c.ownDelay().Seconds(), len(c.idle), spread(c.idle), spread(c.requests))
	}
	c := d.critical()
	longest := slices.SortedFunc(slices.Values(c.idle), func(a, b span) int { return int(b.length() - a.length()) })
	for _, s := range longest[:min(5, len(longest))] {
		fmt.Fprintf(out, "  longest own gap of %s: %.3f s to %.3f s (%.0f ms)\n", c.group, at(s.from), at(s.to),
			ms(s.length()))
	}
	fmt.Fprintf(out, "  every request:\n")
	for _, r := range d.requests {
		fmt.Fprintf(out, "    %8.3f %6.1f ms %3d %s %s\n", at(r.Received), ms(r.Answered.Sub(r.Received)), r.Code,
			r.Label(), r.Name)
	}
	for _, g := range d.guards {
		for _, frame := range g.frames {
			fmt.Fprintf(out, "    %8.3f budget %s allows %d, %d healthy of %d, disrupted %v\n",
				at(frame.At), frame.Name, frame.Allowed, frame.Current, frame.Desired, frame.Disrupted)
		}
	}
}

// spread is the median and the greatest length.
func spread(spans []span) string {
	if len(spans) == 0 {
		return "none"
	}
	lengths := make([]time.Duration, len(spans))
	for i, s := range spans {
		lengths[i] = s.length()
	}
	slices.Sort(lengths)
	return fmt.Sprintf("median %.1f ms, longest %.1f ms", ms(lengths[len(lengths)/2]), ms(lengths[len(lengths)-1]))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
