package kube

import (
	"cmp"
	"strings"
)

// servingTables are the records that say what depends on pods, and how many of
// them there may be. There are few of each.
type servingTables struct {
	services    index[*Service]              // by namespace, name
	validating  index[*WebhookConfiguration] // by name
	mutating    index[*WebhookConfiguration] // by name
	autoscalers index[*Autoscaler]           // by namespace, name
	scaled      index[*Autoscaler]           // by namespace, target, name
	quotas      index[*Quota]                // by namespace, name
}

func newServingTables() servingTables {
	configurations := func(a, b *WebhookConfiguration) bool { return a.Name < b.Name }
	return servingTables{
		services: newIndex(func(a, b *Service) bool {
			return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name)) < 0
		}),
		validating: newIndex(configurations), mutating: newIndex(configurations),
		autoscalers: newIndex(func(a, b *Autoscaler) bool {
			return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name)) < 0
		}),
		scaled: newIndex(func(a, b *Autoscaler) bool {
			return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Target.Kind, b.Target.Kind),
				strings.Compare(a.Target.Name, b.Target.Name), strings.Compare(a.Name, b.Name)) < 0
		}),
		quotas: newIndex(func(a, b *Quota) bool {
			return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name)) < 0
		}),
	}
}

func (t *servingTables) freeze() servingTables {
	return servingTables{
		services: t.services.freeze(), validating: t.validating.freeze(), mutating: t.mutating.freeze(),
		autoscalers: t.autoscalers.freeze(), scaled: t.scaled.freeze(), quotas: t.quotas.freeze(),
	}
}

// put adds a record or puts it in the place of the one of its name; false means
// that it is there already, or of no kind of these.
func (t *servingTables) put(record any, rev uint64) bool {
	switch r := record.(type) {
	case *Service:
		return putNamed(&t.services, r, &r.Rev, rev)
	case *WebhookConfiguration:
		return putNamed(t.webhooks(r), r, &r.Rev, rev)
	case *Autoscaler:
		if old, ok := t.autoscalers.get(r); ok && old != r {
			t.scaled.remove(old)
		}
		t.scaled.set(r)
		return putNamed(&t.autoscalers, r, &r.Rev, rev)
	case *Quota:
		return putNamed(&t.quotas, r, &r.Rev, rev)
	}
	return false
}

// remove takes out the record of that name, unless it is another's by now.
func (t *servingTables) remove(record any) bool {
	switch r := record.(type) {
	case *Service:
		return removeNamed(&t.services, r)
	case *WebhookConfiguration:
		return removeNamed(t.webhooks(r), r)
	case *Autoscaler:
		if old, ok := t.autoscalers.get(r); ok && (r.UID == "" || r.UID == old.UID) {
			t.scaled.remove(old)
		}
		return removeNamed(&t.autoscalers, r)
	case *Quota:
		return removeNamed(&t.quotas, r)
	}
	return false
}

func (t *servingTables) webhooks(c *WebhookConfiguration) *index[*WebhookConfiguration] {
	if c.Mutating {
		return &t.mutating
	}
	return &t.validating
}

func servingUID(record any) UID {
	switch r := record.(type) {
	case *Service:
		return r.UID
	case *WebhookConfiguration:
		return r.UID
	case *Autoscaler:
		return r.UID
	case *Quota:
		return r.UID
	}
	return ""
}

func (t *servingTables) of(k Kind) counted {
	switch k {
	case KindServices:
		return &t.services
	case KindValidatingWebhooks:
		return &t.validating
	case KindMutatingWebhooks:
		return &t.mutating
	case KindAutoscalers:
		return &t.autoscalers
	case KindQuotas:
		return &t.quotas
	}
	return nil
}
