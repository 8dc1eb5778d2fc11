package template

import (
	"errors"
	"strings"
	"unicode"
)

// Header renders the value of a header, as the bytes to send: characters up to
// U+00FF are one byte each (Latin-1). ok is false when the template is exactly
// one argument, and that was not given: the header is then left out.
//
// Line breaks, tabs and all other control characters, characters outside of
// Latin-1, and blanks at either end, which a receiver would drop, are refused
// with an *Error that names the header only.
func (t *Text) Header(name string, v Values, taint *Taint) (value string, ok bool, err error) {
	place := placeHeader(name)
	text, given, err := t.optionalText(place, v)
	if err != nil || !given {
		return "", false, err
	}
	value, fault := latin1(text)
	if fault == "" {
		fault = blankFault(text, text)
	}
	if fault != "" {
		return "", false, &Error{place, textHeader(place, fault)}
	}
	if t.hasSecret() {
		taint.add(text)
	}
	return value, true, nil
}

// CheckHeader reports what is wrong with the literal text of a header's value
// whatever the values put into it. The error is an *Error.
func (t *Text) CheckHeader(name string) error {
	if len(t.parts) == 0 {
		return nil
	}
	fault := blankFault(t.parts[0].literal, t.parts[len(t.parts)-1].literal)
	for _, p := range t.parts {
		if _, f := latin1(p.literal); f != "" {
			fault = f
		}
	}
	if fault != "" {
		return &Error{placeHeader(name), textHeader(placeHeader(name), fault)}
	}
	return nil
}

// CheckHeaderName reports why a name, in whatever case, cannot be that of a
// header: it is no token of RFC 9110, or it belongs to the client that sends
// the request.
func CheckHeaderName(name string) error {
	if !isToken(name) {
		return errors.New(textHeaderName(name))
	}
	switch lower := strings.ToLower(name); lower {
	case "host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer", "accept-encoding":
		return errors.New(textManagedHeader(name))
	default:
		if strings.HasPrefix(lower, "proxy-") {
			return errors.New(textManagedHeader(name))
		}
		return nil
	}
}

// latin1 encodes text as one byte a character, or says why it cannot.
func latin1(s string) (encoded, fault string) {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		switch {
		case r > unicode.MaxLatin1:
			return "", textNotLatin1
		case unicode.IsControl(r):
			return "", textHeaderControl
		}
		b = append(b, byte(r))
	}
	return string(b), ""
}

// blankFault judges the two ends of a value.
func blankFault(first, last string) string {
	if strings.HasPrefix(first, " ") || strings.HasSuffix(last, " ") {
		return textHeaderBlank
	}
	return ""
}

func isToken(s string) bool {
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && strings.IndexByte("!#$%&'*+-.^_`|~", s[i]) < 0 {
			return false
		}
	}
	return s != ""
}
