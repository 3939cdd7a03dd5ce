package paint

import "testing"

// What all names share gives way, and no two names look the same.
func TestNames(t *testing.T) {
	aws := []string{"ip-10-0-112-17.eu-central-1.compute.internal", "ip-10-0-113-17.eu-central-1.compute.internal",
		"ip-10-0-113-171.eu-central-1.compute.internal", "ip-10-0-97-203.eu-central-1.compute.internal"}
	gke := []string{"gke-prod-eu1-default-f2a9c1d-69tp", "gke-prod-eu1-gpu-f2a9c1d-69tp", "gke-prod-eu1-batch-77c1aa-x2b1"}
	for _, c := range []struct {
		all    []string
		width  int
		want   string // of the second
		widest int
	}{
		{aws, 40, "ip-10-0-113-17", 15},
		{aws, 10, "113-17", 15},
		{gke, 40, "gke-prod-eu1-gpu-f2a9c1d-69tp", 33},
		{gke, 24, "gpu-f2a9c1d-69tp", 33},
		{[]string{"worker-1", "worker-2"}, 14, "worker-2", 8},
		{[]string{"a.example.com", "b.example.com", "example.com"}, 40, "b.example", 9},
	} {
		n := NewNames(nil, c.all)
		if got := n.Show(c.all[1], c.width); got != c.want || n.Widest() != c.widest {
			t.Errorf("%q (widest %d), want %q (%d)", got, n.Widest(), c.want, c.widest)
		}
		if NewNames(n, c.all) != n {
			t.Error("the same names are read twice")
		}
		for width := n.Least(); width <= n.Widest(); width++ {
			seen := map[string]string{}
			for _, name := range c.all {
				if shown := n.Show(name, width); seen[shown] != "" {
					t.Errorf("%s and %s are both %q in %d cells", name, seen[shown], shown, width)
				} else {
					seen[shown] = name
				}
			}
		}
	}
	if got := NewNames(nil, []string{"only.example.com"}).Show("only.example.com", 20); got != "only.example.com" {
		t.Error(got)
	}
	var none *Names
	if got := none.Show("worker-1", 20); got != "worker-1" {
		t.Error(got)
	}
}
