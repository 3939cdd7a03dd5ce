package convert

import (
	"hash/maphash"
	"sync"
	"weak"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Interning keeps one copy of what many records share. Tables of values that
// records point to are weak, so a value lives exactly as long as some record
// does; strings are kept in two generations, so their table is bounded.

// digest identifies a value by 128 bits of keyed hash; the keys are random per
// process, so two values cannot be prepared that collide.
type digest struct{ a, b uint64 }

var digestSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func digestOf(encoded []byte) digest {
	return digest{maphash.Bytes(digestSeeds[0], encoded), maphash.Bytes(digestSeeds[1], encoded)}
}

// weakTable holds shared values without keeping them alive.
type weakTable[T any] struct {
	mu     sync.Mutex
	values map[digest]weak.Pointer[T]
	sweep  int // size at which dead entries are thrown out
}

// get returns the value of that digest, or keeps and returns what build makes.
func (t *weakTable[T]) get(d digest, build func() *T) *T {
	t.mu.Lock()
	defer t.mu.Unlock()
	if v := t.values[d].Value(); v != nil {
		return v
	}
	if t.values == nil {
		t.values, t.sweep = map[digest]weak.Pointer[T]{}, 1024
	}
	if len(t.values) >= t.sweep {
		for k, p := range t.values {
			if p.Value() == nil {
				delete(t.values, k)
			}
		}
		t.sweep = 2*len(t.values) + 1024
	}
	v := build()
	t.values[d] = weak.Make(v)
	return v
}

// stringGeneration is the number of strings after which those not asked
// for since the last turn are forgotten (not freed: records still hold them).
const stringGeneration = 1 << 16

// stringTable shares equal strings: names of nodes, namespaces, reasons.
type stringTable struct {
	mu       sync.Mutex
	young    map[string]string
	old      map[string]string
	capacity int
}

func (t *stringTable) get(s string) string {
	if s == "" {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if v, ok := t.young[s]; ok {
		return v
	}
	if v, ok := t.old[s]; ok {
		s = v
	}
	if t.young == nil || len(t.young) >= t.capacity {
		t.old, t.young = t.young, map[string]string{}
	}
	t.young[s] = s
	return s
}

var (
	sharedStrings = stringTable{capacity: stringGeneration}
	sharedOwners  weakTable[kube.Owner]
	sharedSpecs   weakTable[kube.PodSpec]
	sharedLabels  weakTable[labels.Set]
)

// Share returns the one copy of a string that all records use, visible.
func Share(s string) string { return sharedStrings.get(kube.Visible(s)) }

// shareMap returns the one copy of a string map that all records use. A record keeps
// the pointer next to the map, because only a pointer can be held weakly.
func shareMap(m map[string]string) *labels.Set {
	if len(m) == 0 {
		return nil
	}
	var buffer [512]byte
	return sharedLabels.get(digestOf(appendMap(buffer[:0], m)), func() *labels.Set {
		copied := make(labels.Set, len(m))
		for k, v := range m {
			copied[Share(k)] = Share(v)
		}
		return &copied
	})
}
