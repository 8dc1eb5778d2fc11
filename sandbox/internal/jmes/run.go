package jmes

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
)

// runEngine leaves the function to go-jmespath.
func runEngine(c *call, args []any) (any, error) { return c.engine(args) }

func runSum(c *call, args []any) (any, error) {
	numbers, err := c.addends(args[0].([]any))
	if err != nil {
		return nil, err
	}
	return c.engine([]any{numbers})
}

// runAverage gives null for an empty list, for which go-jmespath divides by zero.
func runAverage(c *call, args []any) (any, error) {
	numbers, err := c.addends(args[0].([]any))
	if err != nil || len(numbers) == 0 {
		return nil, err
	}
	return c.engine([]any{numbers})
}

// addends returns numbers to add up, as float64. Integers whose sum could pass 2^53 on the way are refused, for their sum
// would look exact without being it, and so are numbers whose sum could be infinite.
func (c *call) addends(list []any) ([]any, error) {
	numbers := make([]any, len(list))
	integers, passed, total := true, false, 0.0
	for i, v := range list {
		f, err := c.float(v)
		if err != nil {
			return nil, err
		}
		numbers[i] = f
		magnitude := math.Abs(f)
		integers = integers && magnitude == math.Trunc(magnitude) && magnitude <= maxExact
		passed = passed || magnitude > maxExact-total
		total += magnitude
	}
	if integers && passed || math.IsInf(total, 0) {
		return nil, fail(c.at, textInexactSum(c.name))
	}
	return numbers, nil
}

// runOrdered orders the elements of a list by themselves.
func runOrdered(c *call, args []any) (any, error) {
	list := args[0].([]any)
	return c.ordered(list, list)
}

// runOrderedBy orders the elements of a list by what the argument with & gives for each.
func runOrderedBy(c *call, args []any) (any, error) {
	list := args[0].([]any)
	keys, err := c.each(list)
	if err != nil {
		return nil, err
	}
	if elementsOf(keys) == 0 {
		return nil, fail(c.at, textKeys(c.name, keys))
	}
	return c.ordered(list, keys)
}

// ordered hands pairs to go-jmespath, so that it neither reorders the list itself, which is a part of the data, nor
// evaluates a key more than once.
func (c *call) ordered(list, keys []any) (any, error) {
	pairs := make([]any, len(list))
	for i, key := range keys {
		if typeOf(key) == typeNumber {
			f, err := c.float(key)
			if err != nil {
				return nil, err
			}
			key = f
		}
		pairs[i] = []any{key, list[i]}
	}
	return c.engine(pairs)
}

func runMap(c *call, args []any) (any, error) {
	list, err := c.each(args[1].([]any))
	if err != nil {
		return nil, err
	}
	return list, nil
}

// each applies the argument with & to the elements of a list.
func (c *call) each(list []any) ([]any, error) {
	results := make([]any, len(list))
	for i, element := range list {
		var err error
		if results[i], err = c.ref(element); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// runContains finds arrays and objects too, on which go-jmespath panics.
func runContains(_ *call, args []any) (any, error) {
	if text, ok := args[0].(string); ok {
		part, ok := args[1].(string)
		return ok && strings.Contains(text, part), nil
	}
	return slices.ContainsFunc(args[0].([]any), func(v any) bool { return equal(v, args[1]) }), nil
}

// runJoin refuses a text that would be larger than the result may be: joining a text with itself doubles it.
func runJoin(c *call, args []any) (any, error) {
	list := args[1].([]any)
	size := len(args[0].(string)) * max(0, len(list)-1)
	for _, v := range list {
		size += len(v.(string))
	}
	if size > c.program.max {
		return nil, tooLarge(c.program.max)
	}
	return c.engine(args)
}

func runKeys(_ *call, args []any) (any, error) {
	names := sortedKeys(args[0].(map[string]any))
	keys := make([]any, len(names))
	for i, name := range names {
		keys[i] = name
	}
	return keys, nil
}

func runValues(_ *call, args []any) (any, error) { return valuesOf(args[0].(map[string]any)), nil }

// runToNumber takes the numbers of JSON only, with all their digits.
func runToNumber(_ *call, args []any) (any, error) {
	switch v := args[0].(type) {
	case string:
		if v != "" && numberEnd(v, 0) == len(v) {
			return decodeNumber(v), nil
		}
	case float64, json.Number:
		return v, nil
	}
	return nil, nil
}

// runToString writes a value as the result is written.
func runToString(c *call, args []any) (any, error) {
	if text, ok := args[0].(string); ok {
		return text, nil
	}
	out, err := c.program.encode(args[0])
	return string(out), err
}

func runType(_ *call, args []any) (any, error) { return typeName(typeOf(args[0])), nil }
