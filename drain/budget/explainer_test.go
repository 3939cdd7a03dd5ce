package budget

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// explanation is all that an operator reads of a pod and its budgets.
type explanation struct {
	name    string
	objects []runtime.Object // the pod in question is shop/cart-1
	planned func(kube.UID) bool
	verdict Verdict
	why     string
	advice  []string // "what would help: the command", the least harmful first
}

// The commands that stand in many explanations.
const (
	patchCart    = "kubectl patch pdb -n shop cart --type=merge -p "
	scaleCart    = "add a replica, which gives the budget room (if an autoscaler owns the number, raise its minimum): kubectl scale deployment -n shop cart --replicas=4"
	describeSick = "kubectl describe pod -n shop cart-2"
	anewSick     = "delete it so that it is recreated; it serves no traffic: kubectl delete pod -n shop cart-2"
)

// besides are cart-1, which is Ready, an unhealthy pod as given and a third one, under a
// budget that has no room.
func besides(unhealthyPod kubetest.PodOption, more ...runtime.Object) []runtime.Object {
	return slices.Concat(kubetest.Cart(kubetest.Well, unhealthyPod, kubetest.Well), []runtime.Object{kubetest.Budget("shop/cart", 2, 2, 0, 3)}, more)
}

// full are three Ready pods under a budget that needs all three.
func full(change func(*policyv1.PodDisruptionBudget)) []runtime.Object {
	return append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well),
		kubetest.Budget("shop/cart", 3, 3, 0, 3, change))
}

// controlled are the same pods under a budget with a controlling owner.
func controlled(apiVersion, kind, name string) []runtime.Object {
	return full(kubetest.ControlledBy(apiVersion, kind, name))
}

// instances are those of a Cluster of CloudNativePG, the first of them the primary, which its budget selects.
func instances(names ...string) []runtime.Object {
	objects := []runtime.Object{kubetest.Budget("shop/cart", 1, 1, 0, 1, kubetest.ControlledBy("postgresql.cnpg.io/v1", "Cluster", "db"))}
	for i, name := range names {
		objects = append(objects, kubetest.Pod("shop/"+name, kubetest.OwnedBy("postgresql.cnpg.io/v1", "Cluster", "db"), func(p *corev1.Pod) {
			p.OwnerReferences[0].UID = "db"
			p.Labels = map[string]string{"app": "replica"}
			if i == 0 {
				p.Labels["app"] = "cart"
			}
		}))
	}
	return objects
}

func waiting(reason, message string) kubetest.PodOption {
	return func(p *corev1.Pod) {
		kubetest.NotReady(time.Hour)(p)
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main",
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}}
	}
}

func endedWith(reason string, code int32) kubetest.PodOption {
	return func(p *corev1.Pod) {
		kubetest.NotReady(time.Hour)(p)
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main",
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: reason, ExitCode: code}}}}
	}
}

func readyMessage(reason, message string) kubetest.PodOption {
	return func(p *corev1.Pod) {
		kubetest.NotReady(5 * time.Minute)(p)
		p.Status.Conditions[0].Reason, p.Status.Conditions[0].Message = reason, message
	}
}

// Whose trouble it is that a budget allows nothing now.
var unhealthyPodsExplained = []explanation{
	{"image pull", besides(waiting("ImagePullBackOff", `Back-off pulling image "shop/cart:9"`)), kubetest.Nobody, VerdictWait,
		`budget cart needs 2 healthy pods and has 2; cart-2 on w2 is not Ready for 1h: "ImagePullBackOff"`,
		[]string{"see why its image cannot be pulled: " + describeSick, scaleCart}},
	{"image name", besides(waiting("InvalidImageName", "")), kubetest.Nobody, VerdictWait,
		`budget cart needs 2 healthy pods and has 2; cart-2 on w2 is not Ready for 1h: "InvalidImageName"`,
		[]string{"see why its image cannot be pulled: " + describeSick, scaleCart}},
	{"crash loop", besides(kubetest.Crashing(4 * time.Minute)), kubetest.Nobody, VerdictWait,
		`budget cart needs 2 healthy pods and has 2; cart-2 on w2 is not Ready for 4m: "CrashLoopBackOff" (exit code 1)`,
		[]string{anewSick, "see why it ends: kubectl logs -n shop cart-2 -c main", scaleCart}},
	{"out of memory", besides(endedWith("OOMKilled", 137)), kubetest.Nobody, VerdictWait,
		`budget cart needs 2 healthy pods and has 2; cart-2 on w2 is not Ready for 1h: "OOMKilled" (exit code 137)`,
		[]string{anewSick, "see why it ends: kubectl logs -n shop cart-2 -c main", scaleCart}},
	{"running again", besides(func(p *corev1.Pod) {
		kubetest.Crashing(time.Minute)(p)
		p.Status.ContainerStatuses[0].State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	}), kubetest.Nobody, VerdictWait,
		`budget cart needs 2 healthy pods and has 2; cart-2 on w2 is not Ready for 1m: "Error" (exit code 1)`,
		[]string{anewSick, "see why it ends: kubectl logs -n shop cart-2 --previous -c main", scaleCart}},
	{"a Secret that is missing", besides(waiting("CreateContainerConfigError", `secret "pay" not found`)), kubetest.Nobody, VerdictWait,
		`budget cart needs 2 healthy pods and has 2; cart-2 on w2 is not Ready for 1h: "CreateContainerConfigError"`,
		[]string{"see why it is not Ready: " + describeSick, anewSick, scaleCart}},
	{"no room", besides(kubetest.Unscheduled("0/3 nodes are available: 3 Insufficient cpu.")), kubetest.Nobody, VerdictDeadlock,
		`budget cart needs 2 healthy pods and has 2; cart-2 is Pending for 1h: "0/3 nodes are available: 3 Insufficient cpu.", and this drain makes no room for it`,
		[]string{"make room for it: the scheduler says what is missing: " + describeSick, scaleCart}},
	{"a volume elsewhere", besides(kubetest.Unscheduled("0/3 nodes are available: 3 node(s) had volume node affinity conflict.")), kubetest.Nobody, VerdictWait,
		`budget cart needs 2 healthy pods and has 2; cart-2 is Pending for 1h: "0/3 nodes are available: 3 node(s) had volume node affinity conflict."`,
		[]string{"make room for it: the scheduler says what is missing: " + describeSick, scaleCart}},
	{"not scheduled yet", besides(func(p *corev1.Pod) { kubetest.Phase(corev1.PodPending)(p); kubetest.On("")(p) }), kubetest.Nobody, VerdictWait,
		"budget cart needs 2 healthy pods and has 2; cart-2 is Pending for 1h",
		[]string{"make room for it: the scheduler says what is missing: " + describeSick, scaleCart}},
	{"a probe that fails", besides(readyMessage("ContainersNotReady", "containers with unready status: [main]")), kubetest.Nobody, VerdictWait,
		`budget cart needs 2 healthy pods and has 2; cart-2 on w2 is not Ready for 5m: "containers with unready status: [main]"`,
		[]string{"see why it is not Ready: " + describeSick, anewSick, scaleCart}},
	{"a readiness gate", besides(readyMessage("ReadinessGatesNotReady", "the target is not registered")), kubetest.Nobody, VerdictWait,
		`budget cart needs 2 healthy pods and has 2; cart-2 on w2 is not Ready for 5m: "ReadinessGatesNotReady"`,
		[]string{"see why it is not Ready: " + describeSick, anewSick, scaleCart}},
	{"nobody says why", besides(kubetest.NotReady(5 * time.Minute)), kubetest.Nobody, VerdictWait,
		"budget cart needs 2 healthy pods and has 2; cart-2 on w2 is not Ready for 5m",
		[]string{"see why it is not Ready: " + describeSick, anewSick, scaleCart}},
	{"a silent node", besides(kubetest.NotReady(5*time.Minute), kubetest.Node("w2", kubetest.Silent)), kubetest.Nobody, VerdictWait,
		"budget cart needs 2 healthy pods and has 2; cart-2 on w2 is not Ready for 5m: the kubelet of its node is silent",
		[]string{"bring its node back: its kubelet is silent: kubectl describe node w2", scaleCart}},
	{"going", besides(kubetest.Deleted(-10 * time.Second)), kubetest.Nobody, VerdictWait,
		"budget cart needs 2 healthy pods and has 2; cart-2 on w2 is terminating for 20s",
		[]string{"wait: it is about to be removed"}},
	{"going, on a silent node", besides(kubetest.Deleted(time.Minute), kubetest.Node("w2", kubetest.Silent)), kubetest.Nobody, VerdictWait,
		"budget cart needs 2 healthy pods and has 2; cart-2 on w2 is terminating for 1m, and the kubelet of its node is silent",
		[]string{"bring its node back; only if that machine is permanently off, taint it as out of service: kubectl taint node w2 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"}},
	{"kept by a finalizer", besides(func(p *corev1.Pod) {
		kubetest.Deleted(time.Minute)(p)
		p.Finalizers = []string{"shop.example.com/drain"}
	}), kubetest.Nobody, VerdictWait,
		"budget cart needs 2 healthy pods and has 2; cart-2 on w2 is terminating for 1m",
		[]string{"see who should remove finalizer shop.example.com/drain: kubectl get pod -n shop cart-2 -o yaml",
			"remove finalizer shop.example.com/drain by hand; what the controller of shop.example.com was to do before is then not done: " +
				`kubectl patch pod -n shop cart-2 --type=json -p '[{"op":"test","path":"/metadata/finalizers","value":["shop.example.com/drain"]},` +
				`{"op":"remove","path":"/metadata/finalizers"}]'`}},
	{"evicted a moment ago", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3, disrupted("cart-2", time.Second))), kubetest.Nobody, VerdictWait,
		"budget cart needs 2 healthy pods and has 2; cart-2 on w2 is being evicted for 1s",
		[]string{"wait: it is about to be removed"}},
	{"failed, and without a controller", []runtime.Object{kubetest.Pod("shop/cart-1"), kubetest.Pod("shop/cart-2", kubetest.Phase(corev1.PodFailed)), kubetest.Pod("shop/cart-3"),
		kubetest.Budget("shop/cart", 1, 1, 0, 2)}, kubetest.Nobody, VerdictWait,
		`budget cart needs 1 healthy pod and has 1; cart-2 on w1 has failed: "Failed"`,
		[]string{"remove it: it has failed and will not be recreated: kubectl delete pod -n shop cart-2"}},
	{"the pod itself", append(kubetest.Cart(kubetest.Crashing(4*time.Minute), kubetest.Crashing(time.Hour), kubetest.Well), kubetest.Budget("shop/cart", 2, 1, 0, 3)), kubetest.Nobody, VerdictWait,
		`budget cart needs 2 healthy pods and has 1; the pod itself is not Ready for 4m: "CrashLoopBackOff" (exit code 1)`,
		[]string{"delete it so that it is recreated; it serves no traffic: kubectl delete pod -n shop cart-1", "see why it ends: kubectl logs -n shop cart-1 -c main", scaleCart}},
}

// What holds a pod where no other pod of the budget is unhealthy.
var nobodySickExplained = []explanation{
	{"one is not made yet", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Phase(corev1.PodSucceeded)), kubetest.Budget("shop/cart", 2, 2, 0, 2)), kubetest.Nobody, VerdictWait,
		"budget cart needs 2 healthy pods and has 2; 1 of its pods not created yet", []string{"wait: the controllers are working on it"}},
	{"one cannot be made for want of quota", unmade(`pods "cart-x" is forbidden: exceeded quota: compute`), kubetest.Nobody, VerdictWait,
		`budget cart needs 2 healthy pods and has 2; ReplicaSet cart-1 cannot create its pods: "pods "cart-x" is forbidden: exceeded quota: compute"`,
		[]string{"raise the quota, or free some of it: kubectl describe quota -n shop"}},
	{"one is refused by a webhook", unmade(`admission webhook "policy.example.com" denied the request`), kubetest.Nobody, VerdictWait,
		`budget cart needs 2 healthy pods and has 2; ReplicaSet cart-1 cannot create its pods: "admission webhook "policy.example.com" denied the request"`,
		[]string{"see why its owner cannot create pods: kubectl describe replicaset -n shop cart-1"}},
	{"the controller lags", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3)), kubetest.Nobody, VerdictWait,
		"budget cart needs 2 healthy pods and has 2; all its pods are healthy: the controller has not updated it yet", []string{"wait: the controllers are working on it"}},
	{"more than it needs, and still nothing", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 3, 0, 3)), kubetest.Nobody, VerdictWait,
		"budget cart needs 2 healthy pods and has 3; the controller has not updated it yet", []string{"wait: the controllers are working on it"}},
	{"below zero", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 3, -1, 3)), kubetest.Nobody, VerdictWait,
		"budget cart allows -1: the controller has not updated it yet", nil},
	{"more evictions than the server keeps", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 3, 1, 3, func(b *policyv1.PodDisruptionBudget) {
		b.Status.DisruptedPods = map[string]metav1.Time{}
		for i := range maxDisruptedPods + 1 {
			b.Status.DisruptedPods["gone-"+format.Number(int32(i))] = kubetest.Ago(time.Second)
		}
	})), kubetest.Nobody, VerdictWait, "budget cart has 2,001 evictions that the controller has not seen yet", nil},
	{"a new budget", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 3, 1, 3, kubetest.Unobserved)), kubetest.Nobody, VerdictSyncing,
		"budget cart is new or was changed: the controller has not observed it yet",
		[]string{"wait a moment; if nothing changes, no controller manager is running: kubectl get pdb -n shop cart -o jsonpath='{.metadata.generation} {.status.observedGeneration}'"}},
	{"two budgets", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/z", 2, 3, 1, 3, kubetest.Selecting("cart")), kubetest.Budget("shop/cart", 1, 3, 2, 3)), kubetest.Nobody, VerdictMultiple,
		"2 budgets select it (cart, z): the server evicts no pod that more than one selects",
		[]string{"narrow the selector of cart, so that one budget is left: kubectl edit pdb -n shop cart", "remove cart, which asks for least: kubectl delete pdb -n shop cart"}},
}

// unmade is a ReplicaSet that has two of three pods and cannot make the third.
func unmade(why string) []runtime.Object {
	d, rs := kubetest.Deployment("shop/cart", 3)
	kubetest.Failing("FailedCreate", why)(rs)
	return []runtime.Object{d, rs, kubetest.Pod("shop/cart-1", kubetest.ByDeployment("cart")), kubetest.Pod("shop/cart-2", kubetest.ByDeployment("cart")), kubetest.Budget("shop/cart", 2, 2, 0, 2)}
}

// Arithmetic that no patience helps against, found before a run starts.
var neverExplained = []explanation{
	{"as many as there are", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 3, 3, 0, 3)), kubetest.Nobody, VerdictNever,
		"budget cart needs 3 healthy pods of 3: it allows no disruption at all",
		[]string{scaleCart, "allow one pod to be unavailable: " + patchCart + `'{"spec":{"minAvailable":2}}'`}},
	{"one percent of one replica", append(kubetest.DeploymentOf("shop/cart", kubetest.Well), kubetest.Budget("shop/cart", 1, 1, 0, 1, kubetest.MinAvailable("1%"))), kubetest.Nobody, VerdictNever,
		"budget cart needs 1 healthy pod (minAvailable 1%) of 1: it allows no disruption at all",
		[]string{strings.Replace(scaleCart, "=4", "=2", 1),
			"allow one pod to be unavailable: none is available while the only pod moves: " + patchCart + `'{"spec":{"minAvailable":null,"maxUnavailable":1}}'`}},
	{"all of them", append(kubetest.DeploymentOf("shop/cart", kubetest.Well), kubetest.Budget("shop/cart", 1, 1, 0, 1, kubetest.MinAvailable("100%"))), kubetest.Nobody, VerdictNever,
		"budget cart needs 1 healthy pod (minAvailable 100%) of 1: it allows no disruption at all",
		[]string{"allow one pod to be unavailable: none is available while the only pod moves: " + patchCart + `'{"spec":{"minAvailable":null,"maxUnavailable":1}}'`}},
	{"managed", controlled("postgresql.cnpg.io/v1", "Cluster", "db"), kubetest.Nobody, VerdictManaged,
		"budget cart is controlled by Cluster db; CloudNativePG opens it after the switchover that the cordon triggers",
		[]string{"see what its controller waits for: kubectl describe cluster.postgresql.cnpg.io -n shop db"}},
	{"managed, and a single instance", instances("cart-1"), kubetest.Nobody, VerdictNever,
		"budget cart is controlled by Cluster db; CloudNativePG never opens it for a single instance",
		[]string{"add an instance, to which CloudNativePG can switch over: kubectl patch cluster.postgresql.cnpg.io -n shop db --type=merge -p '" + `{"spec":{"instances":2}}'`,
			"let CloudNativePG remove the budget, and undo that after the drain: the database is down while its only pod moves: " +
				"kubectl patch clusters.postgresql.cnpg.io -n shop db --type=merge -p '" + `{"spec":{"enablePDB":false}}'`}},
	{"managed, one of two instances", instances("cart-1", "cart-2"), kubetest.Nobody, VerdictManaged,
		"budget cart is controlled by Cluster db; CloudNativePG opens it after the switchover that the cordon triggers",
		[]string{"see what its controller waits for: kubectl describe cluster.postgresql.cnpg.io -n shop db"}},
	{"managed by an unknown controller", controlled("example.org/v1", "Cache", "c"), kubetest.Nobody, VerdictManaged,
		"budget cart is controlled by Cache c; its controller decides when it opens",
		[]string{"see what its controller waits for: kubectl describe cache.example.org -n shop c"}},
	{"managed, and a pod is not Ready", append(
		kubetest.Cart(kubetest.Well, kubetest.NotReady(time.Hour), kubetest.Well),
		kubetest.Budget("shop/cart", 2, 2, 0, 3, kubetest.ControlledBy("example.org/v1", "Cache", "c"))),
		kubetest.Nobody, VerdictWait,
		"budget cart needs 2 healthy pods and has 2; cart-2 on w2 is not Ready for 1h",
		[]string{"see why it is not Ready: " + describeSick, anewSick}},
	{"owned by its Deployment", controlled("apps/v1", "Deployment", "cart"), kubetest.Nobody, VerdictNever,
		"budget cart needs 3 healthy pods of 3: it allows no disruption at all",
		[]string{scaleCart, "allow one pod to be unavailable: " + patchCart + `'{"spec":{"minAvailable":2}}'`}},
	{"managed by Longhorn", full(func(b *policyv1.PodDisruptionBudget) {
		b.Spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "longhorn.io/component", Operator: metav1.LabelSelectorOpDoesNotExist}}}
	}), kubetest.Nobody, VerdictManaged,
		"budget cart is controlled by Longhorn; Longhorn deletes it when the volumes of the node are detached",
		[]string{"see what its controller waits for: kubectl describe pdb -n shop cart"}},
	{"maxUnavailable 0", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 3, 3, 0, 3, kubetest.MaxUnavailable("0"))), kubetest.Nobody, VerdictNever,
		"budget cart has maxUnavailable 0: it allows no disruption at all",
		[]string{"allow one pod to be unavailable: " + patchCart + `'{"spec":{"maxUnavailable":1}}'`}},
	{"bare pods under maxUnavailable", []runtime.Object{kubetest.Pod("shop/cart-1"), kubetest.Pod("shop/cart-2"), kubetest.Budget("shop/cart", 0, 2, 0, 0, kubetest.MaxUnavailable("1"))}, kubetest.Nobody, VerdictNever,
		"budget cart counts none of its pods, since they have no controller: it allows no disruption at all",
		[]string{"set minAvailable to a number, so that the pods themselves are counted: " + patchCart + `'{"spec":{"maxUnavailable":null,"minAvailable":1}}'`}},
	{"SyncFailed", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 0, 0, 0, 0, kubetest.MaxUnavailable("1"), kubetest.SyncFailed(`found no controllers for pod "x"`))), kubetest.Nobody, VerdictNever,
		`budget cart cannot be computed: "found no controllers for pod "x""`,
		[]string{"see what the controller cannot count: kubectl describe pdb -n shop cart",
			"set minAvailable to a number, so that the pods themselves are counted: " + patchCart + `'{"spec":{"maxUnavailable":null,"minAvailable":2}}'`}},
	{"sick pods that only this drain would replace", append(kubetest.Cart(kubetest.Well, kubetest.Crashing(time.Hour), kubetest.Crashing(time.Hour)), kubetest.Budget("shop/cart", 2, 1, 0, 3)),
		moved("shop/cart-1", "shop/cart-2", "shop/cart-3"), VerdictDeadlock,
		`budget cart needs 2 healthy pods and has 1; cart-2 on w2 is not Ready for 1h: "CrashLoopBackOff" (exit code 1); deadlock: it can only be replaced once this drain evicts it`,
		[]string{"allow the eviction of pods that are not Ready: that costs no healthy one: " + patchCart + `'{"spec":{"unhealthyPodEvictionPolicy":"AlwaysAllow"}}'`,
			anewSick, "see why it ends: kubectl logs -n shop cart-2 -c main", scaleCart}},
	{"pods that wait for room on the node being drained", besides(kubetest.Unscheduled("0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.")), moved("shop/cart-1"), VerdictDeadlock,
		`budget cart needs 2 healthy pods and has 2; cart-2 is Pending for 1h: "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.", and this drain makes no room for it`,
		[]string{"make room for it: the scheduler says what is missing: " + describeSick, scaleCart}},
}

// What goes, and why it does although there is a budget.
var goesExplained = []explanation{
	{"no budget", kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Nobody, VerdictEvictable, "", nil},
	{"room", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 3, 1, 3)), kubetest.Nobody, VerdictEvictable, "budget cart needs 2 healthy pods and has 3: it allows 1 now", nil},
	{"Pending", append(kubetest.Cart(kubetest.Phase(corev1.PodPending), kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3)), kubetest.Nobody, VerdictEvictable, "it is Pending: budgets do not apply", nil},
	{"finished", append(kubetest.Cart(kubetest.Phase(corev1.PodSucceeded), kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3)), kubetest.Nobody, VerdictEvictable, "it is finished: budgets do not apply", nil},
	{"terminating", append(kubetest.Cart(kubetest.Deleted(0), kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3)), kubetest.Nobody, VerdictEvictable, "it is terminating: budgets do not apply", nil},
	{"sick, and enough without it", append(kubetest.Cart(kubetest.Crashing(time.Hour), kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3)), kubetest.Nobody, VerdictEvictable,
		"it is not Ready, and budget cart needs 2 healthy pods and has 2 without it", nil},
	{"sick, under AlwaysAllow", append(kubetest.Cart(kubetest.Crashing(time.Hour), kubetest.Crashing(time.Hour), kubetest.Well), kubetest.Budget("shop/cart", 2, 1, 0, 3, kubetest.Policy(policyv1.AlwaysAllow))), kubetest.Nobody, VerdictEvictable,
		"it is not Ready, and budget cart allows the eviction of such pods (AlwaysAllow)", nil},
	{"on a silent node, budgets still apply", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Node("w1", kubetest.Silent), kubetest.Budget("shop/cart", 3, 3, 0, 3)), kubetest.Nobody, VerdictNever,
		"budget cart needs 3 healthy pods of 3: it allows no disruption at all",
		[]string{scaleCart, "allow one pod to be unavailable: " + patchCart + `'{"spec":{"minAvailable":2}}'`}},
}

// Sentence by sentence: what is wrong, and the exact command that helps.
func TestExplanations(t *testing.T) {
	met := map[Verdict]bool{VerdictUnknown: true} // in TestExplanationsOfUnseenBudgets
	for _, row := range slices.Concat(unhealthyPodsExplained, nobodySickExplained, neverExplained, goesExplained) {
		t.Run(row.name, func(t *testing.T) {
			s := kubetest.SnapshotOf(kubetest.Now, row.objects...)
			j := Judge(s.PodNamed("shop", "cart-1"), s, row.planned, kubetest.Now)
			met[j.Verdict] = true
			if j.Verdict != row.verdict || j.Why != row.why {
				t.Errorf("%s:\n%s, want %s:\n%s", j.Verdict, j.Why, row.verdict, row.why)
			}
			if got := helps(j.Advice); !slices.Equal(got, row.advice) {
				t.Errorf("helps:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(row.advice, "\n"))
			}
		})
	}
	for _, v := range []Verdict{VerdictEvictable, VerdictWait, VerdictNever, VerdictDeadlock, VerdictMultiple, VerdictSyncing, VerdictUnknown} {
		if !met[v] {
			t.Errorf("nothing is said of %s", v)
		}
	}
}

func helps(advice []Advice) []string {
	var all []string
	for _, a := range advice {
		line := a.Text
		if a.Command != "" {
			line += ": " + a.Command
		}
		all = append(all, line)
	}
	return all
}

func TestExplanationsOfUnseenBudgets(t *testing.T) {
	for why, sync := range map[string]kube.SyncState{
		"budgets are still being read: whether one blocks it is not known yet":       {Phase: kube.NotSynced},
		"budgets cannot be listed: whether one blocks it is not known":               {Phase: kube.Denied},
		`budgets cannot be listed ("forbidden"): whether one blocks it is not known`: {Phase: kube.Denied, Reason: "forbidden"},
	} {
		store := kubetest.StoreOf(kubetest.Now, kubetest.Pod("shop/cart-1"))
		store.SetSync(kube.KindBudgets, sync)
		s := store.Snapshot()
		j := Judge(s.PodNamed("shop", "cart-1"), s, kubetest.Nobody, kubetest.Now)
		if j.Verdict != VerdictUnknown || j.Why != why {
			t.Errorf("%s: %q, want %q", j.Verdict, j.Why, why)
		}
		if got := helps(j.Advice); !slices.Equal(got, []string{"ask for the right to list budgets: kubectl auth can-i list poddisruptionbudgets.policy -A"}) {
			t.Errorf("helps: %q", got)
		}
	}
}
