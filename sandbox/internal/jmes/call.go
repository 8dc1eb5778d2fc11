package jmes

// A call is a function with everything that it needs besides its arguments.
type call struct {
	*function
	at      int
	ref     step // the argument with &
	engine  step // the function in go-jmespath, on the list of its arguments; nil if it is not computed there
	program *program
}

func (c *compiler) call(n *node) (step, error) {
	call := &call{function: functionNamed(n.name), at: n.pos, program: c.program}
	var err error
	if !call.own {
		if call.engine, err = c.engine(engineText(call.function, len(n.kids)), n.pos); err != nil {
			return nil, err
		}
	}
	args := make([]step, len(n.kids))
	for i, kid := range n.kids {
		if kid.kind == kindRef {
			call.ref, err = c.step(kid.kids[0])
		} else {
			args[i], err = c.step(kid)
		}
		if err != nil {
			return nil, err
		}
	}
	return func(v any) (any, error) { return call.apply(args, v) }, nil
}

// apply evaluates the arguments, checks their types and calls the function. The place of the argument with & holds nil.
func (c *call) apply(args []step, v any) (any, error) {
	values := make([]any, len(args))
	for i, arg := range args {
		if arg == nil {
			continue
		}
		value, err := arg(v)
		if err != nil {
			return nil, err
		}
		if values[i], err = c.argument(i, value); err != nil {
			return nil, err
		}
	}
	return c.run(c, values)
}

// argument checks the type of an argument and returns it as the function takes it: numbers to calculate with are
// float64.
func (c *call) argument(i int, v any) (any, error) {
	wanted := c.param(i)
	switch {
	case wanted&typeOf(v) != 0:
		if wanted == typeNumber {
			return c.float(v)
		}
		return v, nil
	case wanted&(typeNumbers|typeTexts) != 0 && typeOf(v) == typeArray:
		if wanted&elementsOf(v.([]any)) != 0 {
			return v, nil
		}
	}
	return nil, fail(c.at, textArgument(c.function, i, wanted, v))
}

// elementsOf returns which arrays of one type a list is; an empty one is all of them.
func elementsOf(list []any) typeSet {
	types := typeNumbers | typeTexts
	for _, element := range list {
		switch typeOf(element) {
		case typeNumber:
			types &= typeNumbers
		case typeText:
			types &= typeTexts
		default:
			return 0
		}
	}
	return types
}

// float returns a number to calculate with.
func (c *call) float(v any) (float64, error) {
	f, exact, _ := numberOf(v)
	if !exact {
		return 0, fail(c.at, textInexact(c.name+"()"))
	}
	return f, nil
}
