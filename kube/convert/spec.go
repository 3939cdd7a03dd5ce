package convert

import (
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// podSpec is the shared record of what a pod asks for.
func podSpec(p *corev1.Pod, owner *kube.Owner) *kube.PodSpec {
	s := &p.Spec
	spec := kube.PodSpec{
		Priority: valueOr(s.Priority, 0), PriorityClass: s.PriorityClassName,
		NeverPreempts: valueOr(s.PreemptionPolicy, "") == corev1.PreemptNever,
		GraceSeconds:  valueOr(s.TerminationGracePeriodSeconds, corev1.DefaultTerminationGracePeriodSeconds),
		Requests:      amounts(resourcehelper.PodRequests(p, resourcehelper.PodResourcesOptions{UseStatusResources: true})),
		HostPorts:     hostPorts(s), HostNetwork: s.HostNetwork,
		NodeSelector: s.NodeSelector, Affinity: unpinned(s.Affinity, s.NodeName, owner),
		Tolerations: s.Tolerations, Spread: s.TopologySpreadConstraints, Volumes: volumes(p),
		SchedulerName: s.SchedulerName, PreStop: hasPreStop(s),
		ResourceClaims: len(s.ResourceClaims), Gated: len(s.SchedulingGates) > 0,
		RestartPolicy: s.RestartPolicy, Storage: servesVolumes(s),
	}
	if s.SchedulingGroup != nil {
		spec.PodGroup = valueOr(s.SchedulingGroup.PodGroupName, "")
	}
	var buffer [1024]byte
	return sharedSpecs.get(digestOf(encodeSpec(buffer[:0], &spec)), func() *kube.PodSpec { return detach(&spec) })
}

// detach is the copy that records will share; its strings are shared too, and
// visible.
func detach(s *kube.PodSpec) *kube.PodSpec {
	kept := *s
	kept.PriorityClass, kept.SchedulerName = Share(s.PriorityClass), Share(s.SchedulerName)
	kept.PodGroup, kept.RestartPolicy = Share(s.PodGroup), corev1.RestartPolicy(Share(string(s.RestartPolicy)))
	kept.NodeSelector = copyMap(s.NodeSelector)
	makeVisible(reflect.ValueOf(&kept))
	return &kept
}

// unpinned leaves out the pin to its own node that the DaemonSet controller
// writes into the affinity of each pod: the record's Node says the same, and
// without the pin all pods of a DaemonSet share one spec.
func unpinned(a *corev1.Affinity, node string, owner *kube.Owner) *corev1.Affinity {
	if a == nil || a.NodeAffinity == nil || owner == nil || owner.Kind != "DaemonSet" || node == "" {
		return a
	}
	required := a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	if required == nil || len(required.NodeSelectorTerms) != 1 {
		return a
	}
	term := required.NodeSelectorTerms[0]
	if len(term.MatchExpressions) > 0 || len(term.MatchFields) != 1 {
		return a
	}
	field := term.MatchFields[0]
	if field.Key != "metadata.name" || field.Operator != corev1.NodeSelectorOpIn ||
		len(field.Values) != 1 || field.Values[0] != node {
		return a
	}
	if a.PodAffinity == nil && a.PodAntiAffinity == nil &&
		len(a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution) == 0 {
		return nil
	}
	rest, nodes := *a, *a.NodeAffinity
	nodes.RequiredDuringSchedulingIgnoredDuringExecution = nil
	rest.NodeAffinity = &nodes
	return &rest
}

func hostPorts(s *corev1.PodSpec) []kube.HostPort {
	var ports []kube.HostPort
	add := func(c *corev1.Container) {
		for _, p := range c.Ports {
			if p.HostPort > 0 {
				ports = append(ports, kube.HostPort{IP: p.HostIP, Protocol: p.Protocol, Port: p.HostPort})
			}
		}
	}
	for i := range s.InitContainers {
		// Only a sidecar keeps its ports; others are gone when the pod runs.
		c := &s.InitContainers[i]
		if valueOr(c.RestartPolicy, "") == corev1.ContainerRestartPolicyAlways {
			add(c)
		}
	}
	for i := range s.Containers {
		add(&s.Containers[i])
	}
	return ports
}

func hasPreStop(s *corev1.PodSpec) bool {
	for _, containers := range [][]corev1.Container{s.Containers, s.InitContainers} {
		for i := range containers {
			if l := containers[i].Lifecycle; l != nil && l.PreStop != nil {
				return true
			}
		}
	}
	return false
}

// servesVolumes tells of a pod that mounts the kubelet's folder of plugins, as
// the node part of a CSI driver does.
func servesVolumes(s *corev1.PodSpec) bool {
	for i := range s.Volumes {
		if h := s.Volumes[i].HostPath; h != nil && strings.Contains(h.Path, "/kubelet/plugins") {
			return true
		}
	}
	return false
}

func volumes(p *corev1.Pod) []kube.Volume {
	var kept []kube.Volume
	for i := range p.Spec.Volumes {
		v := &p.Spec.Volumes[i]
		kind, claim := volumeKind(p, v)
		if kind != "" {
			kept = append(kept, kube.Volume{Name: v.Name, Kind: kind, Claim: claim})
		}
	}
	return kept
}

// volumeKind is "" for a volume that does not matter to a drain.
func volumeKind(p *corev1.Pod, v *corev1.Volume) (kind kube.VolumeKind, claim string) {
	switch {
	case v.EmptyDir != nil && v.EmptyDir.Medium == corev1.StorageMediumMemory:
		return kube.VolumeMemory, ""
	case v.EmptyDir != nil:
		return kube.VolumeEmptyDir, ""
	case v.PersistentVolumeClaim != nil:
		return kube.VolumeClaim, v.PersistentVolumeClaim.ClaimName
	case v.Ephemeral != nil:
		// The name is fixed by the API (component-helpers/storage/ephemeral).
		return kube.VolumeEphemeral, p.Name + "-" + v.Name
	case v.HostPath != nil:
		return kube.VolumeHostPath, ""
	case v.ConfigMap != nil, v.Secret != nil, v.DownwardAPI != nil, v.Projected != nil,
		v.GitRepo != nil, v.Image != nil, v.VolumeSource == (corev1.VolumeSource{}):
		return "", ""
	case v.GCEPersistentDisk != nil, v.AWSElasticBlockStore != nil, v.ISCSI != nil, v.RBD != nil,
		v.AzureDisk != nil, v.AzureFile != nil, v.Cinder != nil, v.VsphereVolume != nil, v.PortworxVolume != nil:
		// volumerestrictions/volume_restrictions.go, and what csi-translation-lib
		// counts against the limits of a CSI driver.
		return kube.VolumeDisk, ""
	case v.CSI != nil, v.NFS != nil, v.CephFS != nil, v.Glusterfs != nil, v.Quobyte != nil:
		// No VolumeAttachment is made for these (csi_plugin.go CanAttach; the others
		// are no attachable plugins, kube-controller-manager/app/plugins.go).
		return kube.VolumeMounted, ""
	}
	return kube.VolumeInline, ""
}
