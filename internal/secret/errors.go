package secret

import "errors"

// Error returns an error whose text is redacted and which errors.Is and
// errors.As see as they see err. It hides the chain from anyone else, so that no
// logger that walks it prints what was redacted. err itself comes back if neither
// its text nor that of any error it wraps holds a secret; nil stays nil.
func (r *Redactor) Error(err error) error {
	if err == nil || !r.tainted(err) {
		return err
	}
	text, _ := r.Text(err.Error())
	return &redactedError{text: text, cause: err}
}

// tainted reports whether the text of an error or of one that it wraps would be
// redacted.
func (r *Redactor) tainted(err error) bool {
	if _, n := r.Text(err.Error()); n > 0 {
		return true
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		inner := e.Unwrap()
		return inner != nil && r.tainted(inner)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			if inner != nil && r.tainted(inner) {
				return true
			}
		}
	}
	return false
}

type redactedError struct {
	text  string
	cause error
}

func (e *redactedError) Error() string        { return e.text }
func (e *redactedError) GoString() string     { return e.text }
func (e *redactedError) Is(target error) bool { return errors.Is(e.cause, target) }
func (e *redactedError) As(target any) bool   { return errors.As(e.cause, target) }
