package drainrule

import (
	"encoding/json"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/clusterapi"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func selects(own, of string) clusterapi.Selector {
	parse := func(text string) labels.Selector {
		selector, err := labels.Parse(text)
		if err != nil {
			panic(err)
		}
		return selector
	}
	return clusterapi.Selector{Own: parse(own), Of: parse(of)}
}

func rule(name, behavior string, pods ...clusterapi.Selector) clusterapi.Rule {
	return clusterapi.Rule{Namespace: "fleet", Name: name, Behavior: behavior, Pods: pods}
}

func snapshot(read *clusterapi.Rules, objects ...runtime.Object) *kube.Snapshot {
	store := kubetest.StoreOf(kubetest.Now, objects...)
	store.SetDrainRules(read)
	return store.Snapshot()
}

func namespace(name string, labels map[string]string) *corev1.Namespace {
	ns := &corev1.Namespace{ObjectMeta: kubetest.Meta("Namespace", name)}
	ns.Namespace, ns.Labels = "", labels
	return ns
}

// The first rule by name that selects the pod decides, whatever else selects it.
func TestTheRuleOfAPod(t *testing.T) {
	pod := kubetest.Pod("shop/web-1", kubetest.On("w1"), func(p *corev1.Pod) { p.Labels = map[string]string{"app": "web"} })
	blue := namespace("shop", map[string]string{"team": "blue", "kubernetes.io/metadata.name": "shop"})
	for _, c := range []struct {
		name  string
		rules []clusterapi.Rule
		known bool // the labels of the namespace
		want  string
		why   string
	}{
		{"none", nil, true, "", ""},
		{"without a selector", []clusterapi.Rule{rule("all", Skip)}, true, "all", ""},
		{"by name", []clusterapi.Rule{rule("b", Skip), rule("a", Drain), rule("c", WaitCompleted)}, true, "a", ""},
		{"by name, of those that select it", []clusterapi.Rule{rule("a", Skip, selects("app=db", "")), rule("b", Drain)}, true, "b", ""},
		{"one of the selectors", []clusterapi.Rule{rule("a", Skip, selects("app=db", ""), selects("app in (web)", ""))}, true, "a", ""},
		{"none of the selectors", []clusterapi.Rule{rule("a", Skip, selects("app=db", ""), selects("!app", ""))}, true, "", ""},
		{"both parts of a selector", []clusterapi.Rule{rule("a", Skip, selects("app=web", "team=blue"))}, true, "a", ""},
		{"one part of a selector", []clusterapi.Rule{rule("a", Skip, selects("app=web", "team=red"), selects("app=db", "team=blue"))}, true, "", ""},
		{"an unknown behavior", []clusterapi.Rule{rule("a", "Explode")}, true, "a", "its behavior is not known"},
		{"an unknown behavior for others", []clusterapi.Rule{rule("a", "Explode", selects("app=db", ""))}, true, "", ""},
		{"a selector that cannot be read", []clusterapi.Rule{{Namespace: "fleet", Name: "a", Behavior: Skip, Invalid: "spec.pods: bad"}}, true, "a",
			"it cannot be read: spec.pods: bad"},
		{"labels of a namespace that are not known", []clusterapi.Rule{rule("a", Skip, selects("app=web", "team=blue"))}, false, "a",
			"whether it is for the pod is not known: the labels of namespace shop are not"},
		{"not asked where the pod is not selected", []clusterapi.Rule{rule("a", Skip, selects("app=db", "team=blue"))}, false, "", ""},
		{"not asked where another selector matches", []clusterapi.Rule{rule("a", Skip, selects("app=web", "team=blue"), selects("app=web", ""))}, false, "a", ""},
		{"a namespace by name is always known", []clusterapi.Rule{rule("a", Skip, selects("", "kubernetes.io/metadata.name=shop"))}, false, "a", ""},
		{"another namespace by name", []clusterapi.Rule{rule("a", Skip, selects("", "kubernetes.io/metadata.name=db,team=blue"))}, false, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			objects := []runtime.Object{kubetest.Node("w1"), pod}
			if c.known {
				objects = append(objects, blue)
			}
			s := snapshot(&clusterapi.Rules{Rules: c.rules}, objects...)
			rules := NewFinder(s).Of([]string{"w1"})
			text, err := json.Marshal(rules)
			if err != nil {
				t.Fatal(err)
			}
			kept := &Rules{}
			if err := json.Unmarshal(text, kept); err != nil {
				t.Fatalf("%v in %s", err, text)
			}
			for from, rules := range map[string]*Rules{"read": rules, "kept": kept} {
				rule, why := rules.For(s, s.PodNamed("shop", "web-1"))
				got := ""
				if rule != nil {
					got = rule.Name
				}
				if got != c.want || why != c.why {
					t.Errorf("%s: %q, %q; want %q, %q", from, got, why, c.want, c.why)
				}
			}
		})
	}
	if rules := NewFinder(snapshot(nil)).Of([]string{"w1"}); rules != nil {
		t.Errorf("rules that were not read are %+v", rules)
	}
}

// The rules of a node are those of the namespace of its Machine that select the Machine and its Cluster.
func TestTheRulesOfANode(t *testing.T) {
	node := func(edits ...func(*corev1.Node)) *corev1.Node { return kubetest.Node("w1", edits...) }
	of := func(namespace, machine string) func(*corev1.Node) {
		return func(n *corev1.Node) {
			n.Annotations = map[string]string{clusterapi.ClusterNamespaceAnnotation: namespace, clusterapi.MachineAnnotation: machine}
		}
	}
	provided := func(n *corev1.Node) { n.Spec.ProviderID = "cloud://1" }
	m1 := clusterapi.Machine{Namespace: "fleet", Name: "m1", Cluster: "prod", Node: "w1", Labels: labels.Set{"os": "linux"}}
	other := clusterapi.Machine{Namespace: "apart", Name: "m9", Cluster: "dev", Node: "w1", ProviderID: "cloud://9"}
	old := clusterapi.Machine{Namespace: "fleet", Name: "m0", Node: "w1", NodeUID: "of an older node"}
	ruled := func(name string, machines ...clusterapi.Selector) clusterapi.Rule {
		return clusterapi.Rule{Namespace: "fleet", Name: name, Behavior: Drain, Machines: machines}
	}
	rules := []clusterapi.Rule{
		ruled("all"), ruled("every", selects("", "")), ruled("linux", selects("os=windows", ""), selects("os=linux", "")),
		ruled("prod", selects("os=linux", "stage=prod")), ruled("windows", selects("os=windows", "")), ruled("dev", selects("", "stage=dev")),
		{Namespace: "apart", Name: "apart", Behavior: Drain}, ruled("broken", selects("os=windows", "")),
	}
	rules[7].Invalid = "spec.machines: bad"
	clusters := map[string]labels.Set{"fleet/prod": {"stage": "prod"}}
	mine := []string{"all", "broken", "every", "linux", "prod"}
	for _, c := range []struct {
		name    string
		read    clusterapi.Rules
		node    *corev1.Node
		machine string
		want    []string
		unknown string
	}{
		{"by its node", clusterapi.Rules{Machines: []clusterapi.Machine{m1}}, node(), "fleet/m1", mine, ""},
		{"by the annotations", clusterapi.Rules{Machines: []clusterapi.Machine{{Namespace: "fleet", Name: "m1", Cluster: "prod", Labels: m1.Labels}}},
			node(of("fleet", "m1")), "fleet/m1", mine, ""},
		{"annotations before names of nodes", clusterapi.Rules{Machines: []clusterapi.Machine{m1, other}}, node(of("fleet", "m1")), "fleet/m1", mine, ""},
		{"one that has another node", clusterapi.Rules{Machines: []clusterapi.Machine{{Namespace: "fleet", Name: "m1", Node: "w2"}}}, node(of("fleet", "m1")), "",
			[]string{"all", "broken", "every"}, "no Machine refers to it"},
		{"the provider tells two apart", clusterapi.Rules{Machines: []clusterapi.Machine{other, m1}}, node(provided), "fleet/m1", mine, ""},
		{"the UID tells two apart", clusterapi.Rules{Machines: []clusterapi.Machine{old, m1}}, node(), "fleet/m1", mine, ""},
		{"two of its name", clusterapi.Rules{Machines: []clusterapi.Machine{other, m1}}, node(), "", []string{"all", "apart", "broken", "every"},
			"several Machines refer to a node of its name"},
		{"no machine", clusterapi.Rules{}, node(), "", []string{"all", "apart", "broken", "every"}, "no Machine refers to it"},
		{"machines may not be listed", clusterapi.Rules{MachinesHidden: "no right"}, node(of("fleet", "m1")), "", []string{"all", "broken", "every"}, "no right"},
		{"clusters may not be listed", clusterapi.Rules{Machines: []clusterapi.Machine{m1}, ClustersHidden: "no right to clusters"}, node(), "fleet/m1",
			[]string{"all", "broken", "every", "linux"}, "no right to clusters"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.read.Rules, c.read.Clusters = rules, clusters
			got := NewFinder(snapshot(&c.read, c.node)).Of([]string{"w1", "none"}).Nodes["w1"]
			var names []string
			for _, r := range got.Rules {
				names = append(names, r.Name)
			}
			if got.Machine != c.machine || !reflect.DeepEqual(names, c.want) || got.Unknown != c.unknown {
				t.Errorf("machine %q, %q, unknown %q; want %q, %q, %q", got.Machine, names, got.Unknown, c.machine, c.want, c.unknown)
			}
		})
	}
}
