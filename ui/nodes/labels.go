package nodes

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
)

// labelID begins the ID of a column that shows a label; no label has a colon.
const labelID = "label:"

// labelColumns are the columns of labels that the operator chose, as kubectl get nodes -L
// has them, and the widest value of each.
type labelColumns struct {
	keys   []string
	widest []int
}

func newLabelColumns(keys []string) labelColumns {
	return labelColumns{keys: keys, widest: make([]int, len(keys))}
}

// sorts are the columns to sort by.
func (c *labelColumns) sorts() []frame.Sort {
	sorts := make([]frame.Sort, len(c.keys))
	for i, key := range c.keys {
		sorts[i] = frame.Sort{ID: labelID + key, Title: "label " + key}
	}
	return sorts
}

// measure finds the widest value of each label.
func (c *labelColumns) measure(shown []*kube.Node) {
	for i, key := range c.keys {
		c.widest[i] = 0
		for _, n := range shown {
			c.widest[i] = max(c.widest[i], len(n.Labels[key]))
		}
	}
}

// among puts the columns before that of the pods. One of the zone's label takes the place of ZONE.
func (c *labelColumns) among(columns []table.Column) []table.Column {
	var ours []table.Column
	for i, key := range c.keys {
		title := strings.ToUpper(key[strings.LastIndexByte(key, '/')+1:])
		wide := max(c.widest[i], len(title))
		ours = append(ours, table.Column{ID: labelID + key, Title: title, Width: min(wide, 24), Min: min(wide, 8),
			Drop: 3})
	}
	columns = slices.DeleteFunc(columns, func(column table.Column) bool {
		return column.ID == "zone" && slices.Contains(c.keys, corev1.LabelTopologyZone)
	})
	at := slices.IndexFunc(columns, func(column table.Column) bool { return column.ID == "pods" })
	return slices.Insert(columns, max(at, 0), ours...)
}

// has reports whether one of the values of a node is found.
func (c *labelColumns) has(n *kube.Node, has func(string) bool) bool {
	return slices.ContainsFunc(c.keys, func(key string) bool { return has(n.Labels[key]) })
}

// labelCell is the value of a label, and nil for another column.
func labelCell(column string, width int, n *kube.Node) paint.Line {
	key, isLabel := strings.CutPrefix(column, labelID)
	if !isLabel {
		return nil
	}
	value, labelled := n.Labels[key]
	if !labelled {
		return paint.L(themes.Muted, "-")
	}
	return paint.L(themes.Text, paint.Middle(value, width))
}
