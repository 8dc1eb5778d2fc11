package jmes

// A typeSet is a set of types, of values or of what a parameter accepts.
type typeSet uint16

const (
	typeNull typeSet = 1 << iota
	typeBoolean
	typeNumber
	typeText
	typeArray
	typeObject
	typeNumbers // an array of numbers only
	typeTexts   // an array of strings only
	typeRef     // &expression

	typeAny = typeNull | typeBoolean | typeNumber | typeText | typeArray | typeObject
)

// A function is one of the specification.
type function struct {
	name     string
	params   []typeSet
	variadic bool    // the last parameter may be repeated
	result   typeSet // of a call that does not fail
	own      bool    // run does without go-jmespath
	run      func(c *call, args []any) (any, error)
}

// functions are in alphabetical order.
var functions = [...]function{
	{name: "abs", params: []typeSet{typeNumber}, result: typeNumber, run: runEngine},
	{name: "avg", params: []typeSet{typeNumbers}, result: typeNumber | typeNull, run: runAverage},
	{name: "ceil", params: []typeSet{typeNumber}, result: typeNumber, run: runEngine},
	{name: "contains", params: []typeSet{typeArray | typeText, typeAny}, result: typeBoolean, own: true, run: runContains},
	{name: "ends_with", params: []typeSet{typeText, typeText}, result: typeBoolean, run: runEngine},
	{name: "floor", params: []typeSet{typeNumber}, result: typeNumber, run: runEngine},
	{name: "join", params: []typeSet{typeText, typeTexts}, result: typeText, run: runJoin},
	{name: "keys", params: []typeSet{typeObject}, result: typeArray, own: true, run: runKeys},
	{name: "length", params: []typeSet{typeText | typeArray | typeObject}, result: typeNumber, run: runEngine},
	{name: "map", params: []typeSet{typeRef, typeArray}, result: typeArray, own: true, run: runMap},
	{name: "max", params: []typeSet{typeNumbers | typeTexts}, result: typeNumber | typeText | typeNull, run: runOrdered},
	{name: "max_by", params: []typeSet{typeArray, typeRef}, result: typeAny, run: runOrderedBy},
	{name: "merge", params: []typeSet{typeObject}, variadic: true, result: typeObject, run: runEngine},
	{name: "min", params: []typeSet{typeNumbers | typeTexts}, result: typeNumber | typeText | typeNull, run: runOrdered},
	{name: "min_by", params: []typeSet{typeArray, typeRef}, result: typeAny, run: runOrderedBy},
	{name: "not_null", params: []typeSet{typeAny}, variadic: true, result: typeAny, run: runEngine},
	{name: "reverse", params: []typeSet{typeText | typeArray}, result: typeText | typeArray, run: runEngine},
	{name: "sort", params: []typeSet{typeNumbers | typeTexts}, result: typeArray, run: runOrdered},
	{name: "sort_by", params: []typeSet{typeArray, typeRef}, result: typeArray, run: runOrderedBy},
	{name: "starts_with", params: []typeSet{typeText, typeText}, result: typeBoolean, run: runEngine},
	{name: "sum", params: []typeSet{typeNumbers}, result: typeNumber, run: runSum},
	{name: "to_array", params: []typeSet{typeAny}, result: typeArray, run: runEngine},
	{name: "to_number", params: []typeSet{typeAny}, result: typeNumber | typeNull, own: true, run: runToNumber},
	{name: "to_string", params: []typeSet{typeAny}, result: typeText, own: true, run: runToString},
	{name: "type", params: []typeSet{typeAny}, result: typeText, own: true, run: runType},
	{name: "values", params: []typeSet{typeObject}, result: typeArray, own: true, run: runValues},
}

func functionNamed(name string) *function {
	for i := range functions {
		if functions[i].name == name {
			return &functions[i]
		}
	}
	return nil
}

// param returns what the argument with an index may be.
func (f *function) param(i int) typeSet { return f.params[min(i, len(f.params)-1)] }

// takes reports whether a call with n arguments is right.
func (f *function) takes(n int) bool {
	return n == len(f.params) || f.variadic && n > len(f.params)
}

// typeOf returns the type of a value, one bit of typeAny.
func typeOf(v any) typeSet {
	switch v.(type) {
	case nil:
		return typeNull
	case bool:
		return typeBoolean
	case string:
		return typeText
	case []any:
		return typeArray
	case map[string]any:
		return typeObject
	}
	return typeNumber
}

// typesOf returns what an expression can evaluate to, as far as its form tells.
func typesOf(n *node) typeSet {
	switch n.kind {
	case kindLiteral:
		return typeOf(n.value)
	case kindCompare:
		if n.orders() {
			return typeBoolean | typeNull
		}
		return typeBoolean
	case kindNot:
		return typeBoolean
	case kindList, kindObject, kindFilter, kindFlatten, kindMultiList, kindSlice:
		return typeArray | typeNull
	case kindMultiHash:
		return typeObject | typeNull
	case kindOr, kindAnd:
		return typesOf(n.left()) | typesOf(n.right())
	case kindPipe, kindSub:
		return typesOf(n.right())
	case kindCall:
		if f := functionNamed(n.name); f != nil {
			return f.result
		}
	case kindRef:
		return typeRef
	}
	return typeAny
}
