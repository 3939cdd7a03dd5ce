package request

import "strings"

// Permission is one right that a feature needs. Namespace "" means all.
type Permission struct {
	Verb, Group, Resource, Subresource, Namespace string
}

func (p Permission) String() string {
	resource := p.Resource
	if p.Subresource != "" {
		resource += "/" + p.Subresource
	}
	if p.Group != "" {
		resource += "." + p.Group
	}
	where := "in all namespaces"
	if p.Namespace != "" {
		where = "in namespace " + p.Namespace
	}
	return strings.Join([]string{p.Verb, resource, where}, " ")
}

// AccessResult says whether we have a right. Neither allowed nor denied for
// sure where Err is set.
type AccessResult struct {
	Permission Permission
	Allowed    bool
	Reason     string // the authorizer's words, often none
	Err        error
}
