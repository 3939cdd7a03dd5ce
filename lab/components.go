package main

import (
	"fmt"
	"strconv"
	"strings"
)

// controllers of the controller manager that a drain can meet, and what they
// need. What is left out would only cost time or ask for certificates and clouds.
var controllers = []string{
	"deployment-controller", "replicaset-controller", "statefulset-controller", "daemonset-controller",
	"replicationcontroller-controller", "job-controller", "cronjob-controller", "disruption-controller",
	"garbage-collector-controller", "namespace-controller", "pod-garbage-collector-controller",
	"ttl-after-finished-controller", "node-lifecycle-controller", "taint-eviction-controller",
	"endpoints-controller", "endpointslice-controller",
	"persistentvolume-binder-controller", "persistentvolume-attach-detach-controller",
	"persistentvolumeclaim-protection-controller", "persistentvolume-protection-controller",
	"ephemeral-volume-controller", "clusterrole-aggregation-controller", "horizontal-pod-autoscaler-controller",
}

// componentNames is the order of the start; down goes the other way.
func componentNames() []string {
	return []string{
		"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok",
		"network", "attacher", // with real nodes
	}
}

// planComponents settles the command lines. They stay as they are for the life
// of the lab, so that a component that was stopped comes back as it was.
func (l *Lab) planComponents() {
	args := map[string][]string{
		"etcd":                    l.etcdArgs(),
		"kube-apiserver":          l.apiServerArgs(),
		"kube-controller-manager": l.controllerManagerArgs(),
		"kube-scheduler": {"--config=" + l.path("scheduler.yaml"), "--secure-port=" +
			strconv.Itoa(l.Ports.Scheduler), "--bind-address=127.0.0.1", l.certArg(), l.keyArg()},
		"kwok": l.kwokArgs(),
	}
	if len(l.Nodes) > 0 {
		args["network"] = []string{"network", "--dir=" + l.dir}
		args["attacher"] = []string{"attacher", "--dir=" + l.dir}
	}
	l.Components = nil
	for _, name := range componentNames() {
		if args[name] == nil {
			continue
		}
		l.Components = append(l.Components, Component{Name: name, Args: args[name]})
	}
}

func (l *Lab) certArg() string { return "--tls-cert-file=" + l.path("pki", "serving.crt") }
func (l *Lab) keyArg() string  { return "--tls-private-key-file=" + l.path("pki", "serving.key") }

func (l *Lab) etcdArgs() []string {
	client, peer := "http://"+address(l.Ports.Etcd), "http://"+address(l.Ports.EtcdPeer)
	return []string{
		"--name=lab", "--data-dir=" + l.path("etcd"),
		"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=lab=" + peer,
		"--unsafe-no-fsync", // the data need not outlive a power cut
		"--quota-backend-bytes=4294967296",
		"--log-level=warn",
	}
}

func (l *Lab) apiServerArgs() []string {
	serviceAccounts := l.path("pki", "service-accounts.key")
	args := []string{
		"--etcd-servers=http://" + address(l.Ports.Etcd),
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(l.Ports.APIServer),
		l.certArg(), l.keyArg(),
		"--token-auth-file=" + l.path("pki", "tokens.csv"),
		"--anonymous-auth=false",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + serviceAccounts,
		"--service-account-signing-key-file=" + serviceAccounts,
		"--service-cluster-ip-range=10.0.0.0/16",
		"--endpoint-reconciler-type=none",
		// No controller makes the tokens that this plugin wants to mount.
		"--disable-admission-plugins=ServiceAccount",
		// Pods stay on a node that is not ready for as long as a lab lives.
		"--default-not-ready-toleration-seconds=86400",
		"--default-unreachable-toleration-seconds=86400",
	}
	if len(l.Nodes) > 0 {
		args = append(args, "--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
			"--kubelet-client-certificate="+l.path("pki", "kubelet-client.crt"),
			"--kubelet-client-key="+l.path("pki", "kubelet-client.key"),
			"--kubelet-preferred-address-types=InternalIP", "--egress-selector-config-file="+l.path("egress.yaml"))
	} else {
		args = append(args, "--authorization-mode=RBAC")
	}
	if l.Audit {
		args = append(args, "--audit-policy-file="+l.path("audit-policy.yaml"), "--audit-log-path="+l.path("audit.log"),
			"--audit-log-format=json")
	}
	return args
}

func (l *Lab) controllerManagerArgs() []string {
	return []string{
		"--kubeconfig=" + l.machineryKubeconfig("system:kube-controller-manager"),
		"--bind-address=127.0.0.1", "--secure-port=" + strconv.Itoa(l.Ports.ControllerManager),
		l.certArg(), l.keyArg(),
		"--leader-elect=false",
		"--controllers=" + strings.Join(controllers, ","),
		"--node-monitor-grace-period=" + l.silence().grace,
		"--allocate-node-cidrs=false",
		"--kube-api-qps=300", "--kube-api-burst=600",
	}
}

func (l *Lab) kwokArgs() []string {
	return []string{
		"--kubeconfig=" + l.machineryKubeconfig("system:kwok"),
		"--config=" + l.path("stages.yaml"),
		// A node without the label has lost its kubelet; see the scenes.
		"--manage-nodes-with-label-selector=" + kubeletLabel + "=simulated",
		"--node-lease-duration-seconds=" + l.silence().lease,
		"--cidr=10.128.0.0/16",
		"--server-address=" + address(l.Ports.Kwok),
	}
}

// silence is how long a node may say nothing, and for how long the simulated kubelets renew their leases (each four
// times in that time). Where all kubelets are simulated, a host under load or an API server that a test stops
// for a while must not make nodes unready. Real nodes have the values of a cluster.
func (l *Lab) silence() (s struct{ grace, lease string }) {
	s.grace, s.lease = "5m", "120"
	if len(l.Nodes) > 0 {
		s.grace, s.lease = "50s", "40"
	}
	return s
}

// egressSocket is where the API server finds the way to real nodes.
func (l *Lab) egressSocket() string { return l.path("egress.sock") }

func (l *Lab) egressConfig() string {
	return fmt.Sprintf(`apiVersion: apiserver.k8s.io/v1beta1
kind: EgressSelectorConfiguration
egressSelections:
- name: cluster
  connection:
    proxyProtocol: HTTPConnect
    transport: {uds: {udsName: %q}}
`, l.egressSocket())
}

// schedulerConfig lets the scheduler ask as fast as a burst of evictions needs.
func (l *Lab) schedulerConfig() string {
	return fmt.Sprintf(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
clientConnection:
  kubeconfig: %q
  qps: 300
  burst: 600
`, l.machineryKubeconfig("system:kube-scheduler"))
}
