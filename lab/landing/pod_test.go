//go:build landing

package landing

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pod makes a pod with some of the features that matter to the scheduler; one
// that is asked for has more of them than one that stands around.
func (w *world) pod(d dice, asked bool) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: pick(d, teamNames...), Name: w.name("pod"),
		Labels: map[string]string{"app": pick(d, "a", "b", "c"), "version": pick(d, "1", "2")},
	}}
	p.Spec.Containers = []corev1.Container{{Name: "main", Image: "none"}}
	p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewMilliQuantity(int64(50*d.IntN(20)), resource.DecimalSI),
		corev1.ResourceMemory: *resource.NewQuantity(int64(64*d.IntN(20))<<20, resource.BinarySI),
	}
	rare := func(percent int) bool { return d.chance(percent) || asked && d.chance(percent) }
	features := []struct {
		percent int
		add     func(*corev1.Pod, dice)
	}{
		{8, w.large}, {8, w.sidecar}, {6, w.ephemeral}, {6, w.device}, {20, w.ports}, {15, w.tolerations},
		{10, w.nodeSelector}, {12, w.nodeAffinity}, {15, w.podAffinity}, {20, w.antiAffinity}, {12, w.spread}, {18, w.claim},
	}
	for _, f := range features {
		if rare(f.percent) {
			f.add(p, d)
		}
	}
	if asked && d.chance(35) {
		p.Spec.PriorityClassName = pick(d, high, high, meek)
	}
	if !asked && d.chance(8) {
		p.Finalizers = []string{holdFinalize} // it will be terminating
	}
	return p
}

func (w *world) large(p *corev1.Pod, d dice) {
	p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = *resource.NewMilliQuantity(int64(500+500*d.IntN(8)), resource.DecimalSI)
}

func (w *world) sidecar(p *corev1.Pod, d dice) {
	always := corev1.ContainerRestartPolicyAlways
	p.Spec.InitContainers = []corev1.Container{
		{Name: "first", Image: "none"},
		{Name: "beside", Image: "none", RestartPolicy: &always},
	}
	for i := range p.Spec.InitContainers {
		p.Spec.InitContainers[i].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(int64(100*d.IntN(15)), resource.DecimalSI)}
	}
}

func (w *world) ephemeral(p *corev1.Pod, d dice) {
	p.Spec.Containers[0].Resources.Requests[corev1.ResourceEphemeralStorage] = *resource.NewQuantity(int64(1+d.IntN(5))<<30, resource.BinarySI)
}

func (w *world) device(p *corev1.Pod, _ dice) {
	one := corev1.ResourceList{gpu: resource.MustParse("1")}
	p.Spec.Containers[0].Resources.Limits = one
	p.Spec.Containers[0].Resources.Requests[gpu] = one[gpu]
}

func (w *world) ports(p *corev1.Pod, d dice) {
	port := int32(80 + d.IntN(2))
	p.Spec.Containers[0].Ports = []corev1.ContainerPort{{
		ContainerPort: port, HostPort: port, HostIP: pick(d, "", "", "10.0.0.1", "10.0.0.2"),
		Protocol: pick(d, corev1.ProtocolTCP, corev1.ProtocolTCP, corev1.ProtocolUDP),
	}}
}

func (w *world) tolerations(p *corev1.Pod, d dice) {
	p.Spec.Tolerations = []corev1.Toleration{pick(d,
		corev1.Toleration{Key: "dedicated", Operator: corev1.TolerationOpEqual, Value: "x", Effect: corev1.TaintEffectNoSchedule},
		corev1.Toleration{Key: "dedicated", Operator: corev1.TolerationOpExists},
		corev1.Toleration{Operator: corev1.TolerationOpExists},
		corev1.Toleration{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	)}
}

func (w *world) nodeSelector(p *corev1.Pod, d dice) {
	p.Spec.NodeSelector = pick(d, map[string]string{diskLabel: "ssd"}, map[string]string{poolLabel: "a"},
		map[string]string{poolLabel: "b", diskLabel: "hdd"}, map[string]string{corev1.LabelTopologyZone: "east"})
}

func (w *world) nodeAffinity(p *corev1.Pod, d dice) {
	by := func(key string, op corev1.NodeSelectorOperator, values ...string) []corev1.NodeSelectorRequirement {
		return []corev1.NodeSelectorRequirement{{Key: key, Operator: op, Values: values}}
	}
	term := func() corev1.NodeSelectorTerm {
		return pick(d,
			corev1.NodeSelectorTerm{MatchExpressions: by(diskLabel, corev1.NodeSelectorOpExists)},
			corev1.NodeSelectorTerm{MatchExpressions: by(diskLabel, corev1.NodeSelectorOpDoesNotExist)},
			corev1.NodeSelectorTerm{MatchExpressions: by(poolLabel, corev1.NodeSelectorOpNotIn, "b")},
			corev1.NodeSelectorTerm{MatchExpressions: by(weightLabel, corev1.NodeSelectorOpGt, "4")},
			corev1.NodeSelectorTerm{MatchExpressions: by(corev1.LabelTopologyZone, corev1.NodeSelectorOpIn, "west", "north")},
			corev1.NodeSelectorTerm{MatchFields: by(metav1.ObjectNameField, corev1.NodeSelectorOpIn, pick(d, w.nodes...).Name)},
			corev1.NodeSelectorTerm{MatchFields: by(metav1.ObjectNameField, corev1.NodeSelectorOpNotIn, pick(d, w.nodes...).Name)},
		)
	}
	required := &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term()}}
	if d.chance(30) {
		required.NodeSelectorTerms = append(required.NodeSelectorTerms, term())
	}
	affinity(p).NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: required}
}

func affinity(p *corev1.Pod) *corev1.Affinity {
	if p.Spec.Affinity == nil {
		p.Spec.Affinity = &corev1.Affinity{}
	}
	return p.Spec.Affinity
}

func (w *world) topologyKey(d dice) string {
	return pick(d, corev1.LabelHostname, corev1.LabelTopologyZone, corev1.LabelTopologyZone, poolLabel, diskLabel)
}

// selector selects some pods; one in four selects those like the pod itself.
func selector(p *corev1.Pod, d dice) *metav1.LabelSelector {
	return pick(d,
		&metav1.LabelSelector{MatchLabels: map[string]string{"app": p.Labels["app"]}},
		&metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(d, "a", "b", "c")}},
		&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: metav1.LabelSelectorOpIn, Values: []string{"a", "b"}}}},
		&metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(d, "a", "b", "none"), "version": "1"}},
		&metav1.LabelSelector{},
	)
}

func (w *world) terms(p *corev1.Pod, d dice) []corev1.PodAffinityTerm {
	terms := make([]corev1.PodAffinityTerm, 1+d.IntN(10)/8)
	for i := range terms {
		t := &terms[i]
		t.TopologyKey, t.LabelSelector = w.topologyKey(d), selector(p, d)
		switch d.IntN(6) {
		case 0:
			t.Namespaces = []string{pick(d, teamNames...)}
		case 1:
			t.NamespaceSelector = pick(d, &metav1.LabelSelector{}, &metav1.LabelSelector{MatchLabels: map[string]string{"colour": "red"}},
				&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier", Operator: metav1.LabelSelectorOpDoesNotExist}}})
		case 2:
			t.MatchLabelKeys = []string{"version"}
			t.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": p.Labels["app"]}}
		}
	}
	return terms
}

func (w *world) podAffinity(p *corev1.Pod, d dice) {
	affinity(p).PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: w.terms(p, d)}
}

func (w *world) antiAffinity(p *corev1.Pod, d dice) {
	affinity(p).PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: w.terms(p, d)}
}

func (w *world) spread(p *corev1.Pod, d dice) {
	keys := []string{corev1.LabelTopologyZone, corev1.LabelHostname, poolLabel, diskLabel}
	d.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for _, key := range keys[:1+d.IntN(10)/7] {
		s := corev1.TopologySpreadConstraint{
			MaxSkew: int32(1 + d.IntN(2)), TopologyKey: key, LabelSelector: selector(p, d),
			WhenUnsatisfiable: pick(d, corev1.DoNotSchedule, corev1.DoNotSchedule, corev1.DoNotSchedule, corev1.ScheduleAnyway),
		}
		if s.WhenUnsatisfiable == corev1.DoNotSchedule && d.chance(25) {
			least := int32(1 + d.IntN(3))
			s.MinDomains = &least
		}
		if d.chance(30) {
			policy := pick(d, corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore)
			s.NodeAffinityPolicy = &policy
		}
		if d.chance(30) {
			policy := pick(d, corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore)
			s.NodeTaintsPolicy = &policy
		}
		if d.chance(20) {
			s.MatchLabelKeys = []string{"version"}
			s.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": p.Labels["app"]}}
		}
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, s)
	}
}

// claim adds claims of the pod's namespace, or one that does not exist.
func (w *world) claim(p *corev1.Pod, d dice) {
	names := []string{}
	for _, c := range w.claims {
		if c.Namespace == p.Namespace && (len(names) == 0 || d.chance(30)) {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		if d.chance(90) {
			return
		}
		names = append(names, "missing")
	}
	for i, name := range names {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: fmt.Sprint("v", i), VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name},
		}})
	}
}
