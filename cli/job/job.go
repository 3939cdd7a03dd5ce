package job

import (
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Spec says which drain the Job is to do.
type Spec struct {
	// Nodes or Selector are those that are drained; the Job runs on none of them.
	Nodes    []string
	Selector labels.Requirements
	// Args are the command line of the program, its name left out.
	Args           []string
	Image          string
	Namespace      string
	ServiceAccount string
}

const (
	// stateFolder is where the journal is, in the Job's pod and nowhere else.
	stateFolder = "/var/lib/kdrain-tui"
	// endPatience is how long a run may take that is aborted when its pod is to end: it
	// waits for the answers that are due, gives its Leases back and removes temporary
	// budgets. At a terminal that takes 30 s at most, while no server answers.
	endPatience = int64(60)
	// user is an unprivileged user of no other image; not 65534, which many share.
	user = int64(65532)

	longestPrefix = 50 // of a generated name, as its pods add to it
)

// New is the Job of a drain. It is tried once: what a second try would do is not what
// was confirmed.
func New(s Spec) *batchv1.Job {
	labels := map[string]string{"app.kubernetes.io/name": "kdrain-tui", "app.kubernetes.io/component": "drain"}
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{GenerateName: prefix(s.Nodes), Namespace: s.Namespace, Labels: labels},
		Spec: batchv1.JobSpec{
			BackoffLimit: new(int32(0)),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: map[string]string{
					"cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
					"karpenter.sh/do-not-disrupt":                    "true",
				}},
				Spec: pod(s),
			},
		},
	}
}

func pod(s Spec) corev1.PodSpec {
	return corev1.PodSpec{
		RestartPolicy:                 corev1.RestartPolicyNever,
		ServiceAccountName:            s.ServiceAccount,
		TerminationGracePeriodSeconds: new(endPatience),
		Affinity:                      elsewhere(s.Nodes, s.Selector),
		// Control planes are drained last. Cordoned nodes are not tolerated: another drain
		// may be at work there.
		Tolerations: []corev1.Toleration{{
			Key: "node-role.kubernetes.io/control-plane", Operator: corev1.TolerationOpExists,
			Effect: corev1.TaintEffectNoSchedule,
		}},
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: new(user), RunAsGroup: new(user), FSGroup: new(user),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Containers: []corev1.Container{{
			Name: "kdrain-tui", Image: s.Image, Args: literal(s.Args),
			Env: []corev1.EnvVar{{Name: "XDG_STATE_HOME", Value: stateFolder}},
			SecurityContext: &corev1.SecurityContext{
				AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
				Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			},
			// No limits: a run that is killed for its memory leaves its node cordoned.
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("50m"), corev1.ResourceMemory: resource.MustParse("256Mi"),
			}},
			VolumeMounts: []corev1.VolumeMount{{Name: "state", MountPath: stateFolder}},
		}},
		Volumes: []corev1.Volume{{Name: "state", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
	}
}

// literal keeps the kubelet from putting the values of variables into arguments:
// $(NAME) is one, $$ is a dollar sign.
func literal(args []string) []string {
	literal := make([]string, len(args))
	for i, arg := range args {
		literal[i] = strings.ReplaceAll(arg, "$", "$$")
	}
	return literal
}

// prefix is what the name of the Job begins with.
func prefix(nodes []string) string {
	name := "kdrain-tui-"
	if len(nodes) == 1 {
		name += strings.ReplaceAll(nodes[0], ".", "-") + "-"
	}
	if len(name) > longestPrefix {
		name = strings.TrimRight(name[:longestPrefix-1], "-") + "-"
	}
	return name
}
