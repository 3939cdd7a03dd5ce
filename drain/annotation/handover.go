package annotation

import "time"

func (e *NoMarkError) Error() string { return "node " + e.Node + ": " + e.Why }

// maker says who wrote the mark, and when.
func (m Mark) Maker() string {
	by := "an operator"
	if m.By != "" {
		by = m.By
	}
	if m.At.IsZero() {
		return by
	}
	return by + " at " + m.At.UTC().Format(time.RFC3339)
}
