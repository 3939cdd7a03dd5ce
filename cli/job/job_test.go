package job

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

func requirements(t *testing.T, text string) labels.Requirements {
	t.Helper()
	selector, err := labels.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	list, _ := selector.Requirements()
	return list
}

// By the scheduler's own rules: the Job fits exactly where the drain is not.
func TestElsewhere(t *testing.T) {
	var nodes []*corev1.Node
	for _, pool := range []string{"", "batch", "web"} {
		for _, zone := range []string{"", "a", "b"} {
			for _, rank := range []string{"", "4", "5", "6"} {
				n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: strings.Join([]string{"n", pool, zone, rank}, "-"), Labels: map[string]string{}}}
				for key, value := range map[string]string{"pool": pool, "zone": zone, "rank": rank} {
					if value != "" {
						n.Labels[key] = value
					}
				}
				nodes = append(nodes, n)
			}
		}
	}
	for _, text := range []string{"pool=batch", "pool=batch,zone=a", "pool!=batch", "zone in (a,b)", "zone notin (a,b),pool", "!zone",
		"rank>4", "rank<6", "rank>4,pool=web"} {
		fits, err := nodeaffinity.NewNodeSelector(elsewhere(nil, requirements(t, text)).NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		selector, _ := labels.Parse(text)
		for _, n := range nodes {
			if drained := selector.Matches(labels.Set(n.Labels)); fits.Match(n) == drained {
				t.Errorf("-l %s: %v: drained and fit for the Job are both %v", text, n.Labels, drained)
			}
		}
	}
	fits, err := nodeaffinity.NewNodeSelector(elsewhere([]string{nodes[0].Name, nodes[3].Name}, nil).NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range nodes {
		if fits.Match(n) != (i != 0 && i != 3) {
			t.Errorf("the fitness of %s for the Job is %v", n.Name, fits.Match(n))
		}
	}
}

func TestPrefix(t *testing.T) {
	for node, want := range map[string]string{
		"worker-1": "kdrain-tui-worker-1-", "ip-10-0-0-1.eu-west-1.compute.internal": "kdrain-tui-ip-10-0-0-1-eu-west-1-compute-internal-",
		strings.Repeat("long.", 40) + "x": "kdrain-tui-long-long-long-long-long-long-long-lon-",
	} {
		if got := prefix([]string{node}); got != want || len(got) > longestPrefix {
			t.Errorf("%s: %q, want %q", node, got, want)
		}
	}
	if got := prefix([]string{"a", "b"}); got != "kdrain-tui-" {
		t.Errorf("of two nodes: %q", got)
	}
}
