package remedy

import (
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

const cnpgGroup, longhornLabel = "postgresql.cnpg.io", "longhorn.io/component"

// asked is the remedy of a pod whose controller reports these fields; group "" is Longhorn.
func asked(t *testing.T, group string, fields map[string]string, change func(*kube.Store), records ...*Record) (Remedy, bool) {
	t.Helper()
	owner := map[string]string{"": "longhorn.io/v1beta2 InstanceManager", cnpgGroup: "postgresql.cnpg.io/v1 Cluster",
		"kafka.strimzi.io": "core.strimzi.io/v1beta2 StrimziPodSet", "ceph.rook.io": "apps/v1 ReplicaSet"}[group]
	api, kind, _ := strings.Cut(owner, " ")
	pod := kubetest.Pod("shop/db-1", kubetest.OwnedBy(api, kind, "db"), kubetest.On("w1"), func(p *corev1.Pod) {
		p.OwnerReferences[0].UID, p.Labels = "db", map[string]string{"app": "db", longhornLabel: "instance-manager"}
	})
	b := kubetest.Budget("shop/db", 1, 1, 0, 1, func(b *policyv1.PodDisruptionBudget) {
		b.Spec.Selector.MatchLabels = map[string]string{longhornLabel: "instance-manager"}
		if group != "" {
			kubetest.ControlledBy(group+"/v1", kind, "db")(b)
		}
	})
	store := kubetest.StoreOf(kubetest.Now, kubetest.Node("w1"), pod, b)
	if fields != nil {
		store.SetOwnerStatus(map[kube.UID]kube.OwnerStatus{"db": {Fields: fields}})
	}
	if change != nil {
		change(store)
	}
	snap := store.Snapshot()
	v := View{UID: pod.UID, Namespace: "shop", Name: "db-1", Live: snap.Pod(pod.UID), Node: snap.Node("w1"), On: "w1",
		OnUID: snap.Node("w1").UID, Blocked: true, BudgetBlocked: true, Records: records, Grace: -1,
		Planned: kubetest.Nobody, Snap: snap, Now: kubetest.Now}
	all := Of(v)
	i := slices.IndexFunc(all, func(r Remedy) bool { return r.Kind == AskController })
	if i < 0 {
		return Remedy{}, false
	}
	return all[i], true
}

// What the documentation of three controllers prescribes is offered where the controller does not open the budget by
// itself, with what it changes, the right that it needs and the way back.
func TestAskController(t *testing.T) {
	single := map[string]string{"phase": "healthy", "spec.enablePDB": "true"}
	last := map[string]string{"lastReplicaOf": "pvc", "nodeDrainPolicy": "block-if-contains-last-replica", "node.uid": "ln",
		"spec.allowScheduling": "true", "spec.evictionRequested": "false"}
	with := func(of map[string]string, key, value string) map[string]string {
		all := map[string]string{key: value}
		for k, v := range of {
			if k != key {
				all[k] = v
			}
		}
		return all
	}
	hook := func(s *kube.Store) {
		w := &admissionv1.ValidatingWebhookConfiguration{}
		w.Name, w.UID = "cleaner", "cleaner"
		w.Webhooks = []admissionv1.ValidatingWebhook{{Name: "cleaner", Rules: []admissionv1.RuleWithOperations{{
			Operations: []admissionv1.OperationType{admissionv1.Create},
			Rule:       admissionv1.Rule{APIGroups: []string{""}, Resources: []string{"pods/eviction"}}}}}}
		s.Put(kubetest.Convert(w))
	}
	second := func(s *kube.Store) {
		s.Put(kubetest.Convert(kubetest.Pod("shop/db-2", kubetest.OwnedBy("postgresql.cnpg.io/v1", "Cluster", "db"), kubetest.On("w2"),
			func(p *corev1.Pod) { p.OwnerReferences[0].UID = types.UID("db") })))
	}
	done := &Record{Facts: Facts{ID: 1, Kind: AskController, Object: "Cluster", UID: "db"}, State: Done}
	for name, c := range map[string]struct {
		group   string
		fields  map[string]string
		change  func(*kube.Store)
		records []*Record
		call    string // the end of the request
		back    string // the end of the command that takes it back
		need    string
		not     string // why it is not available
	}{
		"one instance": {cnpgGroup, single, nil, nil, `/apis/postgresql.cnpg.io/v1/namespaces/shop/clusters/db, spec {"enablePDB":true} to {"enablePDB":false}`,
			`clusters.postgresql.cnpg.io -n shop db --type=merge -p '{"spec":{"enablePDB":true}}'`, "patch clusters.postgresql.cnpg.io in namespace shop", ""},
		"one instance, by default": {cnpgGroup, map[string]string{"phase": "healthy"}, nil, nil, `{"enablePDB":null} to {"enablePDB":false}`,
			`'{"spec":{"enablePDB":null}}'`, "patch clusters.postgresql.cnpg.io in namespace shop", ""},
		"already set":   {cnpgGroup, with(single, "spec.enablePDB", "false"), nil, nil, "", "", "", "has these values already"},
		"done already":  {cnpgGroup, single, nil, []*Record{done}, "", "", "", "this run has done that already"},
		"two instances": {cnpgGroup, single, second, nil, "", "", "", "its controller may still open it"},
		"not read":      {cnpgGroup, nil, nil, nil, "", "", "", "is not read yet"},
		"last replica": {"", last, nil, nil, `/apis/longhorn.io/v1beta2/namespaces/shop/nodes/w1, spec {"allowScheduling":true,"evictionRequested":false} to {"allowScheduling":false,"evictionRequested":true}`,
			`nodes.longhorn.io -n shop w1 --type=merge -p '{"spec":{"allowScheduling":true,"evictionRequested":false}}'`, "patch nodes.longhorn.io in namespace shop", ""},
		"no last replica":      {"", with(last, "lastReplicaOf", ""), nil, nil, "", "", "", "its controller may still open it"},
		"its node is not read": {"", with(last, "node.uid", ""), nil, nil, "", "", "", "Node w1 of its controller is not read"},
		"no drain cleaner": {"kafka.strimzi.io", nil, nil, nil, `/api/v1/namespaces/shop/pods/db-1, metadata.annotations {"strimzi.io/manual-rolling-update":null} to {"strimzi.io/manual-rolling-update":"true"}`,
			"", "patch pods in namespace shop", ""},
		"a drain cleaner": {"kafka.strimzi.io", nil, hook, nil, "", "", "", "does the same"},
	} {
		t.Run(name, func(t *testing.T) {
			r, ok := asked(t, c.group, c.fields, c.change, c.records...)
			switch {
			case !ok || (c.not == "") != (r.DisabledReason == "") || !strings.Contains(r.DisabledReason, c.not):
				t.Errorf("offered %v, not available %q, want %q", ok, r.DisabledReason, c.not)
			case c.not != "":
			case !strings.HasSuffix(r.Call, c.call) || len(r.Needs) != 1 || r.Needs[0].String() != c.need || r.Word == "" || r.Risk == "":
				t.Errorf("%+v", r)
			case r.lasts() != (c.back != "") || r.lasts() && !strings.HasSuffix(r.ByHand(), c.back):
				t.Errorf("to take it back: %q", r.ByHand())
			}
		})
	}
	if r, ok := asked(t, "ceph.rook.io", single, nil); ok {
		t.Errorf("Rook prescribes %+v", r)
	}
}

// The fields are set back at the end of the run. What somebody else has changed since is left as it is.
func TestFieldsAreSetBack(t *testing.T) {
	offered, _ := asked(t, cnpgGroup, map[string]string{"phase": "healthy", "spec.enablePDB": "true"}, nil)
	snap := kubetest.SnapshotOf(kubetest.Now)
	r := &Record{Facts: offered.Facts, State: Done}
	if d := r.TakeBack("r1", snap, false, time.Time{}, kubetest.Now); d.Send != nil || d.Change != nil || !r.Awaited(kubetest.Now) {
		t.Errorf("before the end: %+v", d)
	}
	first, back := r.Send(annotation.Mark{}, snap, kubetest.Now), r.TakeBack("r1", snap, true, time.Time{}, kubetest.Now).Send
	if back == nil || first.Verb != attempt.VerbSetFields || back.Verb != attempt.VerbResetFields || back.Request != r.fieldsRequest(r.Fields.Back()) {
		t.Fatalf("%+v, then %+v", first, back)
	}
	const failed = "the server rejected our request due to an error in our request"
	for name, c := range map[string]struct {
		answer kube.Answer
		state  State
	}{
		"done":            {kube.Answer{Code: 200}, Undone},
		"gone":            {kube.Answer{Code: 404, Reason: "NotFound"}, Kept},
		"another value":   {kube.Answer{Code: 422, Message: failed}, Kept},
		"admission":       {kube.Answer{Code: 422, Message: `admission webhook "cnpg" denied the request`}, Done}, // it is sent again
		"without a right": {kube.Answer{Code: 403, Message: "no"}, Orphaned},
	} {
		if got := r.After(back.Verb, c.answer, c.answer.Class(), r.ByHand(), kubetest.Now); got.State != c.state {
			t.Errorf("%s: %+v, want %s", name, got, c.state)
		}
	}
	if got := r.After(first.Verb, kube.Answer{Code: 422, Message: failed}, kube.AnswerInvalid, "", kubetest.Now); got.State != Refused {
		t.Errorf("the fields were other ones: %+v", got)
	}
}
