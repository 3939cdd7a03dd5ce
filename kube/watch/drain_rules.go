package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/clusterapi"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
)

// MachineDrainRules are mostly in the management cluster of Cluster API, and few clusters serve
// them. So they are not watched: they are read when a plan is made, and the Machines and Clusters
// that they select only where there are any.

const (
	clusterAPIGroup = "cluster.x-k8s.io"
	drainRulesLife  = 30 * time.Second // for which the rules of a screen are believed
	drainRulesPage  = 500
)

// drainRuleVersions are the versions of Cluster API's group that are understood, the newest first.
var drainRuleVersions = []string{"v1beta2", "v1beta1"}

// DrainRules reads MachineDrainRules, and remembers when it last did.
type DrainRules struct {
	client rest.Interface // answers in JSON, which is all that custom resources speak
	bound  func(context.Context, time.Duration) (context.Context, context.CancelFunc)
	now    func() time.Time

	mu   sync.Mutex // held while they are read: who comes meanwhile has the same answer
	last time.Time
}

// NewDrainRules is a reader of the drain rules of a cluster.
func NewDrainRules(c *conn.Cluster) *DrainRules {
	return &DrainRules{client: c.Reads().Discovery().RESTClient(), bound: c.Within, now: time.Now}
}

// Read brings the rules into the store, with the Machines and Clusters that they can select. What
// may not be listed says why; any other failure is an error, and leaves what was there. The rules
// are read at most once in half a minute.
func (r *DrainRules) Read(ctx context.Context, store *kube.Store) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.last.IsZero() && r.now().Sub(r.last) < drainRulesLife && store.Snapshot().DrainRules != nil {
		return nil
	}
	ctx, cancel := r.bound(ctx, readTimeout)
	defer cancel()
	read, err := r.read(ctx)
	if err != nil {
		return fmt.Errorf("reading MachineDrainRules: %s", plainWords(err))
	}
	r.last = r.now()
	store.SetDrainRules(read)
	return nil
}

func (r *DrainRules) read(ctx context.Context) (*clusterapi.Rules, error) {
	read := &clusterapi.Rules{}
	version, err := r.version(ctx)
	switch {
	case apierrors.IsForbidden(err):
		read.Hidden = "whether the API server serves them may not be asked"
		return read, nil
	case err != nil, version == "":
		return read, err
	}
	read.Hidden, err = list(ctx, r, version, "machinedrainrules", func(item *drainRuleObject) {
		read.Rules = append(read.Rules, item.record())
	})
	if err != nil || read.Hidden != "" || len(read.Rules) == 0 {
		return read, err
	}
	read.MachinesHidden, err = list(ctx, r, version, "machines", func(item *machineObject) {
		read.Machines = append(read.Machines, item.record())
	})
	if err != nil || !slices.ContainsFunc(read.Rules, selectsClusters) {
		return read, err
	}
	read.Clusters = map[string]labels.Set{}
	read.ClustersHidden, err = list(ctx, r, version, "clusters", func(item *metav1.PartialObjectMetadata) {
		read.Clusters[item.Namespace+"/"+item.Name] = item.Labels
	})
	return read, err
}

func selectsClusters(rule clusterapi.Rule) bool {
	return slices.ContainsFunc(rule.Machines, func(s clusterapi.Selector) bool { return !s.Of.Empty() })
}

// version is the version in which the server serves the rules, "" for none.
func (r *DrainRules) version(ctx context.Context) (string, error) {
	group := &metav1.APIGroup{}
	err := r.client.Get().AbsPath("/apis", clusterAPIGroup).MaxRetries(0).Do(ctx).Into(group)
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for _, version := range drainRuleVersions {
		if !slices.ContainsFunc(group.Versions, func(v metav1.GroupVersionForDiscovery) bool {
			return v.Version == version
		}) {
			continue
		}
		resources := &metav1.APIResourceList{}
		err := r.client.Get().AbsPath("/apis", clusterAPIGroup, version).MaxRetries(0).Do(ctx).Into(resources)
		if err != nil {
			return "", err
		}
		if slices.ContainsFunc(resources.APIResources, func(of metav1.APIResource) bool {
			return of.Name == "machinedrainrules"
		}) {
			return version, nil
		}
	}
	return "", nil
}

// list reads all objects of a resource, page by page. Where they may not be listed it says why.
func list[T any](ctx context.Context, r *DrainRules, version, resource string, add func(*T)) (string, error) {
	for next := ""; ; {
		request := r.client.Get().AbsPath("/apis", clusterAPIGroup, version, resource).MaxRetries(0).
			Param("limit", strconv.Itoa(drainRulesPage))
		if next != "" {
			request.Param("continue", next)
		}
		text, err := request.Do(ctx).Raw()
		switch {
		case apierrors.IsForbidden(err):
			return "no right to list " + resource + "." + clusterAPIGroup, nil
		case apierrors.IsNotFound(err):
			return resource + "." + clusterAPIGroup + " are not served", nil
		case err != nil:
			return "", err
		}
		var page struct {
			Metadata metav1.ListMeta `json:"metadata"`
			Items    []T             `json:"items"`
		}
		if err := json.Unmarshal(text, &page); err != nil {
			return "", fmt.Errorf("%s.%s: %w", resource, clusterAPIGroup, err)
		}
		for i := range page.Items {
			add(&page.Items[i])
		}
		if next = page.Metadata.Continue; next == "" {
			return "", nil
		}
	}
}

// drainRuleObject is what is read of a MachineDrainRule; v1beta1 and v1beta2 have the same spec.
type drainRuleObject struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Drain struct {
			Behavior string `json:"behavior"`
			Order    int32  `json:"order"`
		} `json:"drain"`
		Machines []struct {
			Selector        *metav1.LabelSelector `json:"selector"`
			ClusterSelector *metav1.LabelSelector `json:"clusterSelector"`
		} `json:"machines"`
		Pods []struct {
			Selector          *metav1.LabelSelector `json:"selector"`
			NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector"`
		} `json:"pods"`
	} `json:"spec"`
}

func (o *drainRuleObject) record() clusterapi.Rule {
	rule := clusterapi.Rule{Namespace: o.Metadata.Namespace, Name: o.Metadata.Name,
		Behavior: kube.CleanText(o.Spec.Drain.Behavior), Order: o.Spec.Drain.Order}
	read := func(field string, of *metav1.LabelSelector) labels.Selector {
		if of == nil {
			return labels.Everything() // as an empty one, other than elsewhere
		}
		selector, err := metav1.LabelSelectorAsSelector(of)
		if err != nil {
			rule.Invalid = field + ": " + kube.CleanText(err.Error())
			return labels.Nothing()
		}
		return selector
	}
	selectors := func(field string, own, of *metav1.LabelSelector) clusterapi.Selector {
		return clusterapi.Selector{Own: read(field, own), Of: read(field, of)}
	}
	for _, m := range o.Spec.Machines {
		rule.Machines = append(rule.Machines, selectors("spec.machines", m.Selector, m.ClusterSelector))
	}
	for _, p := range o.Spec.Pods {
		rule.Pods = append(rule.Pods, selectors("spec.pods", p.Selector, p.NamespaceSelector))
	}
	return rule
}

// machineObject is what is read of a Machine; only v1beta1 has the UID of its node.
type machineObject struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		ClusterName string `json:"clusterName"`
		ProviderID  string `json:"providerID"`
	} `json:"spec"`
	Status struct {
		NodeRef struct {
			Name string   `json:"name"`
			UID  kube.UID `json:"uid"`
		} `json:"nodeRef"`
	} `json:"status"`
}

func (o *machineObject) record() clusterapi.Machine {
	return clusterapi.Machine{Namespace: convert.Share(o.Metadata.Namespace), Name: o.Metadata.Name,
		Cluster: convert.Share(o.Spec.ClusterName), Labels: o.Metadata.Labels, Node: o.Status.NodeRef.Name,
		NodeUID: o.Status.NodeRef.UID, ProviderID: kube.Visible(o.Spec.ProviderID)}
}
