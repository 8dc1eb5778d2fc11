package httptool

import (
	"bytes"
	"errors"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// A mediaKind is what the media type of a response says about its body.
type mediaKind int

const (
	mediaMissing mediaKind = iota // no Content-Type: the body decides
	mediaJSON
	mediaText
	mediaOther // neither, or not readable
)

// A media is the Content-Type of a response.
type media struct {
	kind    mediaKind
	name    string // as the upstream spelled it; "" if it is missing or does not look like a media type
	charset string // lower case; "" if it is not declared
}

var (
	errCharset = errors.New("unsupported charset")
	errNotUTF8 = errors.New("not valid UTF-8")
)

func parseMedia(contentType string) media {
	if strings.TrimSpace(contentType) == "" {
		return media{kind: mediaMissing}
	}
	// A type with parameters that cannot be read is still a type.
	mediaType, params, err := mime.ParseMediaType(contentType)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return media{kind: mediaOther}
	}
	name, _, _ := strings.Cut(contentType, ";")
	m := media{kind: kindOf(mediaType), charset: strings.ToLower(params["charset"])}
	if name = strings.TrimSpace(name); looksLikeMediaType(name) {
		m.name = name
	}
	return m
}

func kindOf(mediaType string) mediaKind {
	switch mediaType {
	case "application/json", "text/json":
		return mediaJSON
	case "application/xml", "application/x-www-form-urlencoded":
		return mediaText
	}
	top, sub, found := strings.Cut(mediaType, "/")
	switch {
	case !found || sub == "":
		return mediaOther
	case strings.HasSuffix(sub, "+json"):
		return mediaJSON
	case top == "text", strings.HasSuffix(sub, "+xml"):
		return mediaText
	}
	return mediaOther
}

// looksLikeMediaType reports whether a name has the form that RFC 6838 gives
// to registered types and a reasonable length. Anything else is not repeated
// to a model.
func looksLikeMediaType(name string) bool {
	top, sub, found := strings.Cut(name, "/")
	return found && len(name) <= maxShownName && isRestrictedName(top) && isRestrictedName(sub)
}

func isRestrictedName(s string) bool {
	for i, c := range []byte(s) {
		alphanumeric := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !alphanumeric && (i == 0 || !strings.ContainsRune("!#$&-^_.+", rune(c))) {
			return false
		}
	}
	return s != ""
}

// utf8Text returns a body as valid UTF-8 without a byte order mark. Bytes that
// are no UTF-8 are never replaced: what stands for a secret in another charset
// must not pass by the redaction.
func (m media) utf8Text(body []byte) ([]byte, error) {
	const mark = "\uFEFF"
	if text, found := bytes.CutPrefix(body, []byte(mark)); found {
		return validUTF8(text)
	}
	switch m.charset {
	case "", "utf-8", "utf8", "us-ascii", "ascii":
		return validUTF8(body)
	case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "l1":
		return charmap.ISO8859_1.NewDecoder().Bytes(body)
	case "windows-1252", "cp1252", "x-cp1252":
		return charmap.Windows1252.NewDecoder().Bytes(body)
	}
	return nil, errCharset
}

func validUTF8(text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, errNotUTF8
	}
	return text, nil
}
