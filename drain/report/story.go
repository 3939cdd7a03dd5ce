package report

import (
	"slices"
	"strings"
	"text/tabwriter"
)

// Story is the whole report as text: Text, and then what was asked, what blocked it,
// what is left, every pod, every request and its audit id.
func (r Report) Story() string {
	var b strings.Builder
	result := r.Result(nil)
	result.Lines = slices.DeleteFunc(result.Lines, func(l Line) bool {
		return l.Label == "report" || l.Label == "left" // it has a list of what is left to do
	})
	b.WriteString(result.Text())
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	st := story{w}
	st.head("Asked")
	st.row(strings.ReplaceAll(r.standing(), "**", ""))
	for _, f := range r.facts() {
		st.row(strings.ToLower(f.name), f.value)
	}
	st.table(r.blockerTable())
	st.list("The API server was unreachable", r.outages())
	st.table(r.actionTable())
	st.left(r)
	for _, t := range []table{r.podTable(), r.stepTable(), r.replacements().table(), r.volumeTable(), r.requestTable(),
		r.logTable(), r.answerTable()} {
		st.table(t)
	}
	_ = w.Flush() // of a strings.Builder, which never fails
	return b.String()
}

func (st story) left(r Report) {
	if len(r.ToDo) > 0 {
		st.head(leftTitle(r))
		for _, t := range r.ToDo {
			st.row(strings.TrimSuffix(t.What+": "+t.Command, ": "))
		}
	}
	st.list("Done since the run ended", r.Since)
	st.list("Warnings", r.Warnings)
}
