package jmes

// The steps that are taken here, as the specification says. What is projected leaves null out; null instead of a list,
// an object, or the value of a hash or list gives null.

// stepThen is left.right and left | right: projections were resolved by the parser.
func stepThen(left, right step) step {
	return func(v any) (any, error) {
		v, err := left(v)
		if err != nil {
			return nil, err
		}
		return right(v)
	}
}

func stepList(left, right step) step {
	return func(v any) (any, error) {
		v, err := left(v)
		list, ok := v.([]any)
		if err != nil || !ok {
			return nil, err
		}
		return project(list, right)
	}
}

// stepObject takes the values in the order of their sorted names.
func stepObject(left, right step) step {
	return func(v any) (any, error) {
		v, err := left(v)
		object, ok := v.(map[string]any)
		if err != nil || !ok {
			return nil, err
		}
		return project(valuesOf(object), right)
	}
}

// valuesOf returns the values of an object in the order of their sorted names.
func valuesOf(object map[string]any) []any {
	values := make([]any, 0, len(object))
	for _, name := range sortedKeys(object) {
		values = append(values, object[name])
	}
	return values
}

func project(list []any, right step) (any, error) {
	out := []any{}
	for _, element := range list {
		v, err := right(element)
		if err != nil {
			return nil, err
		}
		if v != nil {
			out = append(out, v)
		}
	}
	return out, nil
}

func stepFilter(left, right, condition step) step {
	return func(v any) (any, error) {
		v, err := left(v)
		list, ok := v.([]any)
		if err != nil || !ok {
			return nil, err
		}
		kept := make([]any, 0, len(list))
		for _, element := range list {
			holds, err := condition(element)
			if err != nil {
				return nil, err
			}
			if isTrue(holds) {
				kept = append(kept, element)
			}
		}
		return project(kept, right)
	}
}

func stepFlatten(left step) step {
	return func(v any) (any, error) {
		v, err := left(v)
		list, ok := v.([]any)
		if err != nil || !ok {
			return nil, err
		}
		out := []any{}
		for _, element := range list {
			if inner, ok := element.([]any); ok {
				out = append(out, inner...)
				continue
			}
			out = append(out, element)
		}
		return out, nil
	}
}

func stepMultiList(elements []step) step {
	return func(v any) (any, error) {
		if v == nil {
			return nil, nil
		}
		list := make([]any, len(elements))
		var err error
		for i, element := range elements {
			if list[i], err = element(v); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
}

func (c *compiler) stepMultiHash(n *node, values []step) step {
	return func(v any) (any, error) {
		if v == nil {
			return nil, nil
		}
		hash := make(map[string]any, len(values))
		var err error
		for i, value := range values {
			if hash[n.keys[i]], err = value(v); err != nil {
				return nil, err
			}
		}
		if n.twin {
			c.program.orders.record(hash, n.keys)
		}
		return hash, nil
	}
}

func stepOr(left, right step) step {
	return func(v any) (any, error) {
		if l, err := left(v); err != nil || isTrue(l) {
			return l, err
		}
		return right(v)
	}
}

func stepAnd(left, right step) step {
	return func(v any) (any, error) {
		if l, err := left(v); err != nil || !isTrue(l) {
			return l, err
		}
		return right(v)
	}
}

func stepNot(operand step) step {
	return func(v any) (any, error) {
		v, err := operand(v)
		return !isTrue(v), err
	}
}

// isTrue reports whether a value counts as true: everything but null, false, and empty strings, arrays and objects.
func isTrue(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}

// stepCompare orders numbers only, and gives null for anything else. A number that is not exact has no order.
func stepCompare(n *node, left, right step) step {
	return func(v any) (any, error) {
		l, err := left(v)
		if err != nil {
			return nil, err
		}
		r, err := right(v)
		if err != nil {
			return nil, err
		}
		switch n.name {
		case "==":
			return equal(l, r), nil
		case "!=":
			return !equal(l, r), nil
		}
		x, exact, isNumber := numberOf(l)
		y, alsoExact, bothNumbers := numberOf(r)
		switch {
		case !isNumber || !bothNumbers:
			return nil, nil
		case !exact || !alsoExact:
			return nil, fail(n.at, textInexact(n.name))
		}
		return compare(n.name, x, y), nil
	}
}

func compare(operator string, x, y float64) bool {
	switch operator {
	case "<":
		return x < y
	case "<=":
		return x <= y
	case ">":
		return x > y
	}
	return x >= y
}
