package schema

// An Error says what is wrong with a schema or with the Go type it comes from.
type Error struct {
	Pointer string // where in the schema, as a JSON Pointer; for a Go type the path of its fields
	Message string // what is wrong: lower case, no final period
	Hint    string // what to write instead; may be empty
}

// Error returns the pointer, the message and the hint on one line.
func (e *Error) Error() string {
	s := e.Message
	if e.Pointer != "" {
		s = e.Pointer + ": " + s
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}
