package jmes

// A Kind says what sort of fault an Error is.
type Kind int

// The kinds of faults.
const (
	Expression Kind = iota // the expression is not JMESPath, or is refused; Check finds it
	Document               // the data is not JSON, or nested too deeply
	Evaluation             // the expression does not fit the data
	TooLarge               // the result, or a text on the way to it, has more bytes than allowed
)

// An Error says what is wrong, and never shows anything of the data: only the expression's own names, and types.
type Error struct {
	Kind    Kind
	Offset  int    // bytes from the beginning of the expression, or of the data for kind Document; -1 means no one place
	Message string // lower case, without a final period
	Hint    string // what to write instead; may be empty
}

// Error returns the message and the hint.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

// refuse returns an error of the expression.
func refuse(offset int, message, hint string) *Error {
	return &Error{Kind: Expression, Offset: offset, Message: message, Hint: hint}
}

// fail returns an error of the evaluation at a place of the expression.
func fail(offset int, message string) *Error {
	return &Error{Kind: Evaluation, Offset: offset, Message: message}
}
