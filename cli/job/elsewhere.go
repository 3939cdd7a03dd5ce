package job

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// elsewhere keeps a pod off the nodes of these names and off those that the selector
// chooses.
func elsewhere(nodes []string, selector labels.Requirements) *corev1.Affinity {
	var terms []corev1.NodeSelectorTerm // a node is fit that one of them chooses
	if len(nodes) > 0 {
		var term corev1.NodeSelectorTerm
		for _, n := range nodes { // a requirement on a field has one value
			term.MatchFields = append(term.MatchFields, corev1.NodeSelectorRequirement{
				Key: "metadata.name", Operator: corev1.NodeSelectorOpNotIn, Values: []string{n},
			})
		}
		terms = append(terms, term)
	}
	for _, r := range selector {
		for _, not := range opposite(r) {
			terms = append(terms, corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{not}})
		}
	}
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms},
	}}
}

// opposite are requirements of which a node meets one exactly if it does not meet r.
func opposite(r labels.Requirement) []corev1.NodeSelectorRequirement {
	is := func(operator corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorRequirement {
		return corev1.NodeSelectorRequirement{Key: r.Key(), Operator: operator, Values: values}
	}
	values := r.ValuesUnsorted()
	absent := is(corev1.NodeSelectorOpDoesNotExist)
	switch r.Operator() {
	case selection.In, selection.Equals, selection.DoubleEquals:
		return []corev1.NodeSelectorRequirement{is(corev1.NodeSelectorOpNotIn, values...)}
	case selection.NotIn, selection.NotEquals:
		return []corev1.NodeSelectorRequirement{is(corev1.NodeSelectorOpIn, values...)}
	case selection.Exists:
		return []corev1.NodeSelectorRequirement{absent}
	case selection.DoesNotExist:
		return []corev1.NodeSelectorRequirement{is(corev1.NodeSelectorOpExists)}
	case selection.GreaterThan:
		return []corev1.NodeSelectorRequirement{is(corev1.NodeSelectorOpLt, next(values[0], 1)), absent}
	case selection.LessThan:
		return []corev1.NodeSelectorRequirement{is(corev1.NodeSelectorOpGt, next(values[0], -1)), absent}
	}
	return nil
}

// next is a whole number, which labels.Requirement has seen to, and some more.
func next(number string, more int64) string {
	n, _ := strconv.ParseInt(number, 10, 64)
	return strconv.FormatInt(n+more, 10)
}
