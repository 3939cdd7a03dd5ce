package metrics

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// kind is the type of a metric.
type kind string

const (
	gauge   kind = "gauge"
	counter kind = "counter"
)

// label is a label of a sample.
type label struct{ name, value string }

// page is a text of metrics: the samples of a name stand together under its help and type.
type page struct{ text strings.Builder }

// metric is a metric whose samples are being written.
type metric struct {
	page *page
	name string
	with []label // that each of its samples has
}

// metric begins a metric.
func (p *page) metric(name string, kind kind, help string, with ...label) metric {
	p.text.WriteString("# HELP " + name + " " + helpEscapes.Replace(help) + "\n")
	p.text.WriteString("# TYPE " + name + " " + string(kind) + "\n")
	return metric{p, name, with}
}

var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	valueEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// add writes a sample.
func (m metric) add(value float64, labels ...label) {
	all := make([]string, 0, len(m.with)+len(labels))
	for _, l := range slices.Concat(m.with, labels) {
		all = append(all, l.name+`="`+valueEscapes.Replace(strings.ToValidUTF8(l.value, "\uFFFD"))+`"`)
	}
	m.page.text.WriteString(m.name + "{" + strings.Join(all, ",") + "} ")
	m.page.text.WriteString(strconv.FormatFloat(value, 'g', -1, 64) + "\n")
}

// is writes 1 for true and 0 for false.
func (m metric) is(holds bool, labels ...label) {
	value := 0.0
	if holds {
		value = 1
	}
	m.add(value, labels...)
}

// at writes a moment, nothing where there is none.
func (m metric) at(t time.Time, labels ...label) {
	if !t.IsZero() {
		m.add(float64(t.UnixMilli())/1000, labels...)
	}
}

// oneOf writes a sample for each value of a label: 1 for the one that holds.
func oneOf[T ~string](m metric, name string, values []T, holds T, labels ...label) {
	for _, v := range values {
		m.is(v == holds, append(slices.Clone(labels), label{name, string(v)})...)
	}
}

// countOf writes for each value of a label how many there are.
func countOf[T ~string](m metric, name string, values []T, counts map[T]int) {
	for _, v := range values {
		m.add(float64(counts[v]), label{name, string(v)})
	}
}

// ordered are the keys of a map, in order.
func ordered[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
