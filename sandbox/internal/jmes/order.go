package jmes

import (
	"reflect"
	"slices"
)

// orders decides in which order the members of an object are written: as in the multi-select hash that has the same
// keys, else sorted. Two hashes with the same keys in different order would leave that open, so the objects that such
// hashes make are remembered.
type orders struct {
	hashes [][]string       // the keys of each hash, as written
	made   map[uintptr]made // in one evaluation
}

type made struct {
	object map[string]any // keeps the address from being used again
	keys   []string
}

// collect takes in the hashes of an expression and marks the twins.
func (o *orders) collect(root *node) {
	root.walk(func(n *node) {
		if n.kind != kindMultiHash {
			return
		}
		same := slices.IndexFunc(o.hashes, func(keys []string) bool { return sameKeys(keys, n.keys) })
		if same < 0 {
			o.hashes = append(o.hashes, n.keys)
			return
		}
		n.twin = !slices.Equal(o.hashes[same], n.keys)
	})
}

func sameKeys(a, b []string) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(key string) bool { return !slices.Contains(b, key) })
}

// names returns the names of the members of an object, in order.
func (o *orders) names(object map[string]any) []string {
	if len(o.made) > 0 {
		if m, ok := o.made[reflect.ValueOf(object).Pointer()]; ok {
			return m.keys
		}
	}
	for _, keys := range o.hashes {
		if hasKeys(object, keys) {
			return keys
		}
	}
	return sortedKeys(object)
}

// record remembers that an object was made by the hash with these keys.
func (o *orders) record(object map[string]any, keys []string) {
	if o.made == nil {
		o.made = make(map[uintptr]made)
	}
	o.made[reflect.ValueOf(object).Pointer()] = made{object, keys}
}

// forget ends an evaluation.
func (o *orders) forget() { o.made = nil }

// hasKeys reports whether the keys, which are all different, are those of the object.
func hasKeys(object map[string]any, keys []string) bool {
	if len(object) != len(keys) {
		return false
	}
	for _, key := range keys {
		if _, ok := object[key]; !ok {
			return false
		}
	}
	return true
}

func sortedKeys(object map[string]any) []string {
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
