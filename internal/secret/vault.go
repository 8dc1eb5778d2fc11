package secret

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	keepValues = 16             // values of one name that are kept for ever
	keepFor    = 24 * time.Hour // how long any value is kept after it was last added

	maxValues = 4096    // values of all names; beyond, everything is withheld
	maxBytes  = 4 << 20 // the same in bytes

	maxRendered      = 256       // rendered values; beyond, the oldest go
	maxRenderedBytes = 256 << 10 // the same in bytes
	maxRenderedValue = 16 << 10  // one rendered value, in bytes; a longer one is not kept
)

// A Vault keeps the secret values that were seen, so that they can be redacted.
// It is safe for concurrent use.
//
// Of each name it keeps the last 16 values, and any other for 24 hours after it
// was last added. All names together may have 4,096 values of 4 MiB in all. A
// vault that holds more fails closed: its Redactor replaces every text whole,
// until enough values are a day old.
type Vault struct {
	now     func() time.Time
	current atomic.Pointer[Redactor] // nil after a change

	mu       sync.Mutex
	names    map[string][]entry // the one added last stands last
	rendered []string           // the one added last stands last
}

type entry struct {
	value string
	seen  time.Time
}

// NewVault returns an empty vault. now is its clock; nil means time.Now.
func NewVault(now func() time.Time) *Vault {
	if now == nil {
		now = time.Now
	}
	return &Vault{now: now, names: map[string][]entry{}}
}

// Add keeps a value of the named secret. A value that is known already counts
// as seen again. One that is shorter than 8 characters is ignored: it would be
// found everywhere, and Check refuses it.
func (v *Vault) Add(name, value string) {
	if tooShort(value) {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.add(name, entry{value: value, seen: v.now()})
}

func (v *Vault) add(name string, e entry) {
	entries := v.names[name]
	if i := slices.IndexFunc(entries, func(old entry) bool { return old.value == e.value }); i >= 0 {
		if entries[i].seen.After(e.seen) {
			e.seen = entries[i].seen
		}
		entries = slices.Delete(entries, i, i+1)
	} else {
		v.current.Store(nil)
	}
	at, _ := slices.BinarySearchFunc(entries, e.seen, func(old entry, seen time.Time) int {
		if old.seen.After(seen) {
			return 1
		}
		return -1
	})
	v.names[name] = slices.Insert(entries, at, e)
	v.expire(name)
}

// expire drops values of a name that are neither among the last 16 nor young.
func (v *Vault) expire(name string) {
	entries, limit := v.names[name], v.now().Add(-keepFor)
	old := 0
	for len(entries)-old > keepValues && entries[old].seen.Before(limit) {
		old++
	}
	if old > 0 {
		v.names[name] = slices.Delete(entries, 0, old)
		v.current.Store(nil)
	}
}

// AddRendered keeps a whole text that was made with a secret and may come back:
// a header such as "Basic …", a path segment, a query value. Redacting it whole
// hides also what stood beside the secret; the secret in it is redacted by
// itself, so only the last 256 such texts of 256 KiB in all are kept, and none
// over 16 KiB.
func (v *Vault) AddRendered(value string) {
	if unfit(value) || len(value) > maxRenderedValue {
		return
	}
	if text, _ := v.Redactor().Text(value); text == Mark {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.addRendered(value)
}

func (v *Vault) addRendered(value string) {
	if slices.Contains(v.rendered, value) {
		return
	}
	v.rendered = append(v.rendered, value)
	size := 0
	for i, kept := range slices.Backward(v.rendered) {
		if size += len(kept); size > maxRenderedBytes || len(v.rendered)-i > maxRendered {
			v.rendered = slices.Delete(v.rendered, 0, i+1)
			break
		}
	}
	v.current.Store(nil)
}

// Absorb adds what another vault keeps, as seen when that one saw it.
func (v *Vault) Absorb(other *Vault) {
	if v == other {
		return
	}
	names, rendered := other.contents()
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, entries := range names {
		for _, e := range entries {
			v.add(name, e)
		}
	}
	for _, value := range rendered {
		v.addRendered(value)
	}
}

func (v *Vault) contents() (names map[string][]entry, rendered []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	names = make(map[string][]entry, len(v.names))
	for name, entries := range v.names {
		names[name] = slices.Clone(entries)
	}
	return names, slices.Clone(v.rendered)
}

// Redactor returns what redacts everything the vault keeps now. It is the same
// one until the vault changes, and costs no lock.
func (v *Vault) Redactor() *Redactor {
	if r := v.current.Load(); r != nil && !r.withhold {
		return r
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if r := v.current.Load(); r != nil && !r.withhold {
		return r
	}
	r := v.build()
	v.current.Store(r)
	return r
}

func (v *Vault) build() *Redactor {
	var patterns []string
	values, size := 0, 0
	for name := range v.names {
		v.expire(name)
		for _, e := range v.names[name] {
			values++
			size += len(e.value)
		}
	}
	if values > maxValues || size > maxBytes {
		return &Redactor{withhold: true}
	}
	for _, entries := range v.names {
		for _, e := range entries {
			patterns = append(patterns, forms(e.value)...)
		}
	}
	// The lines of a rendered value may be a caller's own words, so it counts whole only.
	return newRedactor(append(patterns, v.rendered...))
}
