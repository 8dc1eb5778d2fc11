package template

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// pathKept are the characters that literal text of a path may hold
	// unencoded, besides letters and digits (RFC 3986, pchar and the slash).
	pathKept      = "/-._~!$&'()*+,;=:@"
	pathForbidden = `\?#` // many servers read a backslash as a slash; the others end the path

	// pathStandIn takes the place of every value when only the literal text is
	// judged. It makes no segment a dot segment.
	pathStandIn = "x"

	// maxLayers is how many layers of percent-encoding are looked through.
	// Proxies and servers that decode more than once do it two or three times.
	maxLayers = 4
)

// Path renders the path of a URL, percent-encoded. Every reference must be
// present and scalar, and no value can add, end or remove a segment: values
// that are empty, "." or "..", that hold "../", "..\" or control characters,
// are refused, and so is a path that as a whole would mean another one to a
// server that normalises or decodes it. The path of an empty text is "/". An
// error is an *Error.
func (t *Text) Path(v Values, taint *Taint) (string, error) {
	var secret []int // the segments that hold one
	escaped, err := t.assemblePath(func(r Ref, slashes int) (string, error) {
		value, err := v.scalar(placePath, r)
		if err != nil {
			return "", err
		}
		if fault := pathValueFault(value); fault != "" {
			return "", &Error{placePath, textPathValue(r, fault)}
		}
		if r.Root == Secrets {
			secret = append(secret, slashes)
		}
		return value, nil
	})
	if err != nil {
		return "", err
	}
	if fault := pathFault(escaped); fault != "" {
		return "", &Error{placePath, textPathWith(t.Refs(), fault)}
	}
	segments := strings.Split(escaped, "/")
	for _, i := range secret {
		taint.add(unescape(segments[i]))
	}
	return escaped, nil
}

// CheckPath reports what is wrong with the literal text of a path whatever the
// values: a percent sign that begins no escape, a dot segment or an empty one,
// a backslash, a control character, or no slash at its beginning. The error is
// an *Error.
func (t *Text) CheckPath() error {
	escaped, err := t.assemblePath(func(Ref, int) (string, error) { return pathStandIn, nil })
	if err != nil {
		return err
	}
	if fault := pathFault(escaped); fault != "" {
		return &Error{placePath, textPath(fault)}
	}
	return nil
}

// assemblePath joins the literal text and the encoded values. value is told how
// many slashes stand before the reference.
func (t *Text) assemblePath(value func(r Ref, slashes int) (string, error)) (string, error) {
	if len(t.parts) == 0 {
		return "/", nil
	}
	path := ""
	for _, p := range t.parts {
		if p.ref == nil {
			literal, fault := escapeLiteral(p.literal, pathKept, pathForbidden)
			if fault != "" {
				return "", &Error{placePath, textPath(fault)}
			}
			path += literal
			continue
		}
		s, err := value(*p.ref, strings.Count(path, "/"))
		if err != nil {
			return "", err
		}
		path += escape(s, "%20")
	}
	return path, nil
}

// pathValueFault judges one value by itself.
func pathValueFault(s string) string {
	switch {
	case s == "":
		return textValueEmpty
	case s == ".", s == "..":
		return textValueDots
	case strings.Contains(s, "../"), strings.Contains(s, `..\`):
		return textValueTraversal
	case strings.ContainsFunc(s, unicode.IsControl):
		return textValueControl
	case vanishes(s):
		return textValueVanishes
	}
	return ""
}

// vanishes reports whether nothing of a value is left for a server that decodes
// it and merges slashes: its segment would be gone.
func vanishes(s string) bool {
	for range maxLayers {
		if strings.Trim(lookalikes.Replace(s), "/ ") == "" {
			return true
		}
		next := unescape(s)
		if next == s {
			return false
		}
		s = next
	}
	return false // pathFault refuses so many layers
}

// pathFault judges an assembled path, percent-encoded, as the readers on the
// way may see it: merged slashes, dot segments removed, escapes decoded once
// or more often before either is done.
func pathFault(escaped string) string {
	if !strings.HasPrefix(escaped, "/") {
		return textNoSlash
	}
	if strings.Contains(escaped, "//") {
		return textEmptySegment
	}
	decoded := unescape(escaped)
	if !utf8.ValidString(decoded) {
		return textEscapesNotUTF8
	}
	if strings.ContainsFunc(decoded, unicode.IsControl) {
		return textControl
	}
	for range maxLayers {
		if hasDotSegment(decoded) {
			return textDotSegment
		}
		next := unescape(decoded)
		if next == decoded {
			return ""
		}
		decoded = next
	}
	return textLayers
}

// hasDotSegment reports whether a decoded path has a segment that a server may
// take for "." or "..". What some readers drop is dropped: path parameters
// (/..;x/), what follows the end of a path or of a C string, and blanks
// around a name.
func hasDotSegment(path string) bool {
	for segment := range strings.SplitSeq(lookalikes.Replace(path), "/") {
		if i := strings.IndexAny(segment, ";?#\x00"); i >= 0 {
			segment = segment[:i]
		}
		if segment = strings.Trim(segment, " "); segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

// lookalikes writes what some readers turn into dots and slashes as those: the
// backslash, compatibility forms (NFKC and the best-fit tables of Windows) and
// overlong UTF-8.
var lookalikes = strings.NewReplacer(
	`\`, "/",
	"\uFF0F", "/", "\u2044", "/", "\u2215", "/", "\uFF3C", "/", "\uFE68", "/", "\u2216", "/",
	"\uFF0E", ".", "\u2024", ".", "\uFE52", ".", "\u2025", "..",
	"\xC0\xAE", ".", "\xC0\xAF", "/", "\xC1\x9C", "/",
)
