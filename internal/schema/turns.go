package schema

import "slices"

// rule 1.6a: a schema that refers to itself through several branches makes a validator visit one place of the value again
// and again, b times as often with each turn. Every visit is counted before the validation, as paths through the schema: the
// cost is places × schemas, however large the numbers get.
const (
	maxVisits      = 1_024     // of one recursive schema at one place of the value
	maxTotalVisits = 1_000_000 // of all schemas at all places, for recursive schemas
	maxWays        = 100_000   // through the schemas that apply to one place
	maxChain       = 256       // schemas that apply to one place one through the other
	maxClosures    = 2_000_000 // entries in the tables of one document
)

// A turnLimit counts visits for one schema.
type turnLimit struct {
	nodes    []*subschema
	closures [][]visits // for each schema: what one visit of it makes at the same place, itself included
	inCycle  []bool
}

type visits struct {
	node  int
	count uint64
}

// newTurnLimit refuses schemas that apply themselves to the same value, and those that apply one schema to the same value
// more than maxVisits times. It returns nil when no value can make the visits grow: nothing in the document is recursive, and
// definitions that use each other do not multiply either.
func newTurnLimit(all []*subschema) (*turnLimit, error) {
	order, err := placeOrder(all)
	if err != nil {
		return nil, err
	}
	most, err := countWays(order)
	if err != nil {
		return nil, err
	}
	inCycle, below := cycles(all)
	recursive := slices.Contains(inCycle, true)
	multiplies := recursive || waysDown(below) > maxWays
	if !multiplies && most <= maxVisits {
		return nil, nil
	}
	t := &turnLimit{nodes: all, inCycle: inCycle}
	if err := t.spread(order); err != nil || !multiplies {
		return nil, err
	}
	return t, nil
}

// waysDown returns the largest number of ways from one schema to all others, into the value included. The order has each
// schema after those that it uses; the document must not be recursive.
func waysDown(order []*subschema) uint64 {
	ways := make([]uint64, len(order))
	most := uint64(0)
	for _, n := range order {
		w := uint64(1)
		add := func(sub *subschema) { w = min(w+ways[sub.id], maxWays+1) }
		n.samePlace(add)
		n.below(add)
		ways[n.id], most = w, max(most, w)
	}
	return most
}

// countWays returns the largest number of ways from one schema through all that it applies to the same place.
func countWays(order []*subschema) (uint64, error) {
	ways, chain := make([]uint64, len(order)), make([]int, len(order))
	most := uint64(0)
	for _, n := range order {
		w := uint64(1)
		n.samePlace(func(sub *subschema) {
			w = min(w+ways[sub.id], maxWays+1)
			chain[n.id] = max(chain[n.id], chain[sub.id]+1)
		})
		if chain[n.id] > maxChain {
			return 0, &Error{Pointer: n.pointer, Message: errChain}
		}
		if w > maxWays {
			return 0, &Error{Pointer: n.pointer, Message: errTooManyWays, Hint: hintTooManyWays}
		}
		ways[n.id], most = w, max(most, w)
	}
	return most, nil
}

// spread fills the closures, each from those of the schemas that it applies to the same place.
func (t *turnLimit) spread(order []*subschema) error {
	t.closures = make([][]visits, len(order))
	counts := make([]uint64, len(order))
	size := 0
	for _, n := range order {
		closure := []visits{{n.id, 1}}
		n.samePlace(func(sub *subschema) {
			for _, v := range t.closures[sub.id] {
				if counts[v.node] == 0 {
					closure = append(closure, visits{node: v.node})
				}
				counts[v.node] += v.count
			}
		})
		for i := 1; i < len(closure); i++ {
			v := &closure[i]
			v.count, counts[v.node] = counts[v.node], 0
			if v.count > maxVisits {
				return &Error{Pointer: t.nodes[v.node].pointer, Message: errTooManyWays, Hint: hintTooManyWays}
			}
		}
		t.closures[n.id] = closure
		if size += len(closure); size > maxClosures {
			return &Error{Message: errSchemaSize}
		}
	}
	return nil
}

// placeOrder sorts schemas so that each comes after all that it applies to the same place. There is no such order when a
// schema applies itself.
func placeOrder(all []*subschema) ([]*subschema, error) {
	const (
		fresh = iota
		open
		done
	)
	state := make([]uint8, len(all))
	order := make([]*subschema, 0, len(all))
	var loop *subschema
	var enter func(n *subschema)
	enter = func(n *subschema) {
		state[n.id] = open
		n.samePlace(func(sub *subschema) {
			switch state[sub.id] {
			case fresh:
				enter(sub)
			case open:
				if loop == nil {
					loop = n
				}
			}
		})
		state[n.id] = done
		order = append(order, n)
	}
	for _, n := range all {
		if state[n.id] == fresh {
			enter(n)
		}
	}
	if loop != nil {
		return nil, &Error{Pointer: loop.pointer, Message: errLoop, Hint: hintLoop}
	}
	return order, nil
}

// cycles marks the schemas that lie on a cycle of references, whether it descends into the value or not (Tarjan's algorithm).
// Where there is no cycle, the order has each schema after all that it uses.
func cycles(all []*subschema) (inCycle []bool, order []*subschema) {
	var (
		index   = make([]int, len(all)) // 0 before the visit
		low     = make([]int, len(all))
		onStack = make([]bool, len(all))
		stack   []*subschema
		next    = 1
		enter   func(n *subschema)
	)
	inCycle = make([]bool, len(all))
	enter = func(n *subschema) {
		index[n.id], low[n.id] = next, next
		next++
		stack, onStack[n.id] = append(stack, n), true
		follow := func(sub *subschema) {
			switch {
			case index[sub.id] == 0:
				enter(sub)
				low[n.id] = min(low[n.id], low[sub.id])
			case onStack[sub.id]:
				low[n.id] = min(low[n.id], index[sub.id])
			}
			if sub == n {
				inCycle[n.id] = true
			}
		}
		n.samePlace(follow)
		n.below(follow)
		if low[n.id] != index[n.id] {
			return
		}
		size := len(stack)
		for stack[size-1] != n {
			size--
		}
		for _, member := range stack[size-1:] {
			onStack[member.id] = false
			order = append(order, member)
			if len(stack)-size+1 > 1 {
				inCycle[member.id] = true
			}
		}
		stack = stack[:size-1]
	}
	for _, n := range all {
		if index[n.id] == 0 {
			enter(n)
		}
	}
	return inCycle, order
}

// A turnWalk is one count over one value.
type turnWalk struct {
	limit  *turnLimit
	counts []uint64 // by schema, zero between places
	total  uint64
	stack  []visits // of the places that are open
	below  []*subschema
	sorted bool   // whether members are visited in order, so that the place reported is always the same
	path   []step // of the place that is too deep, from the inside out
}

// check returns the pointer of a place that would be visited too often when a value is validated with the schema from.
func (t *turnLimit) check(from *subschema, value any) (pointer string, ok bool) {
	root := []visits{{from.id, 1}}
	w := &turnWalk{limit: t, counts: make([]uint64, len(t.nodes))}
	if w.place(value, root) {
		return "", true
	}
	w = &turnWalk{limit: t, counts: make([]uint64, len(t.nodes)), sorted: true}
	w.place(value, root)
	slices.Reverse(w.path)
	return stepsPointer(w.path), false
}

// place counts what the visits in make at one place of the value and at all below it.
func (w *turnWalk) place(v any, in []visits) bool {
	start := len(w.stack)
	for _, from := range in {
		for _, to := range w.limit.closures[from.node] {
			if w.counts[to.node] == 0 {
				w.stack = append(w.stack, visits{node: to.node})
			}
			w.counts[to.node] += from.count * to.count
		}
	}
	ok := true
	here := w.stack[start:]
	for i := range here {
		count := w.counts[here[i].node]
		w.counts[here[i].node] = 0
		here[i].count = count
		w.total += count
		ok = ok && (count <= maxVisits || !w.limit.inCycle[here[i].node])
	}
	if !ok || w.total > maxTotalVisits {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		return w.members(v, here)
	case []any:
		return w.elements(v, here)
	}
	return true
}

func (w *turnWalk) members(v map[string]any, here []visits) bool {
	if w.sorted {
		for _, name := range sortedKeys(v) {
			if !w.member(name, v[name], here) {
				return false
			}
		}
		return true
	}
	for name, sub := range v {
		if !w.member(name, sub, here) {
			return false
		}
	}
	return true
}

func (w *turnWalk) member(name string, v any, here []visits) bool {
	start := len(w.stack)
	for _, from := range here {
		w.below = w.limit.nodes[from.node].forMember(w.below[:0], name)
		for _, sub := range w.below {
			w.stack = append(w.stack, visits{sub.id, from.count})
		}
	}
	return w.descend(v, start, step{name: name, index: -1})
}

func (w *turnWalk) elements(v []any, here []visits) bool {
	for i, sub := range v {
		start := len(w.stack)
		for _, from := range here {
			n := w.limit.nodes[from.node]
			w.below = n.forItem(w.below[:0], i)
			if n.contains != nil {
				w.below = append(w.below, n.contains)
			}
			for _, sub := range w.below {
				w.stack = append(w.stack, visits{sub.id, from.count})
			}
		}
		if !w.descend(sub, start, step{index: i}) {
			return false
		}
	}
	return true
}

// descend goes to the place below, for which the stack holds the visits from start on.
func (w *turnWalk) descend(v any, start int, s step) bool {
	in := w.stack[start:]
	ok := len(in) == 0 || w.place(v, in)
	w.stack = w.stack[:start]
	if !ok {
		w.path = append(w.path, s)
	}
	return ok
}
