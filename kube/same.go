package kube

import (
	"maps"
	"slices"
)

func sameOwner(a, b *Owner) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func sameTrouble(a, b *Trouble) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func sameMap(a, b map[string]string) bool { return maps.Equal(a, b) }

func sameStrings(a, b []string) bool { return slices.Equal(a, b) }
