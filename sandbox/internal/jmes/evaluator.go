package jmes

// Bounds of what an Evaluator keeps, which is less than 20 MB: a piece in go-jmespath has a table of all functions
// of its own, of 3 KB, and a character of an expression may need 200 bytes.
const (
	maxPrograms = 64
	maxPieces   = 512 // of all programs together
)

// An Evaluator evaluates expressions. It keeps the newest 64 that it was given, or fewer if they are large, ready for
// the next document, and nothing of a document or a result. The zero value is ready for use. An Evaluator is not safe
// for concurrent use.
type Evaluator struct {
	programs map[string]*program // by expression
	order    []string            // their expressions, oldest first
	pieces   int
}

// Evaluate applies the expression to a JSON document and returns the result as compact JSON. Numbers that are selected
// keep the digits they came with.
//
// Writing stops with an error of kind TooLarge once the result has more than maxOutput bytes, however large it would
// become; zero or less lets nothing pass. All errors are *Error, and none shows anything of the data. A panic of the
// evaluation is such an error too.
//
// Time and memory are not bounded here, beyond the result: the caller runs this in a process that it can end.
func (e *Evaluator) Evaluate(expression string, data []byte, maxOutput int) (out []byte, err error) {
	defer recovered(&err)
	p, err := e.program(expression)
	if err != nil {
		return nil, err
	}
	return p.apply(data, maxOutput)
}

// program returns the program of an expression, which is compiled unless it is kept.
func (e *Evaluator) program(expression string) (*program, error) {
	if p, ok := e.programs[expression]; ok {
		return p, nil
	}
	p, err := compile(expression)
	if err != nil {
		return nil, err
	}
	e.keep(expression, p)
	return p, nil
}

// keep adds a program and lets the oldest ones go that have no room any more.
func (e *Evaluator) keep(expression string, p *program) {
	if e.programs == nil {
		e.programs = make(map[string]*program)
	}
	e.programs[expression] = p
	e.order = append(e.order, expression)
	e.pieces += p.pieces
	for len(e.order) > maxPrograms || e.pieces > maxPieces {
		oldest := e.order[0]
		e.order = e.order[1:]
		e.pieces -= e.programs[oldest].pieces
		delete(e.programs, oldest)
	}
}
