package httptool

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
)

// The content codings that a response may have. The zero value is none.
const (
	codingGzip    = "gzip"
	codingDeflate = "deflate"
	codingBrotli  = "br"
)

// acceptEncoding is sent with every request, in the order of preference.
const acceptEncoding = "gzip, deflate, br"

// errTooLarge says that a body is larger than the limit, compressed or not.
var errTooLarge = errors.New("the body is larger than the limit")

// A codingError is a content coding that is not supported.
type codingError struct{ name string }

func (e *codingError) Error() string { return "unsupported content coding" }

// A decodeError is a body that its content coding does not describe.
type decodeError struct {
	coding string
	err    error
}

func (e *decodeError) Error() string { return "decode " + e.coding + ": " + e.err.Error() }
func (e *decodeError) Unwrap() error { return e.err }

// parseCoding reads the values of Content-Encoding. One coding is understood,
// more would be a way to multiply the work that a response costs.
func parseCoding(values []string) (string, error) {
	coding := ""
	for name := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name = strings.TrimSpace(name)
		switch lower := strings.ToLower(name); {
		case lower == "" || lower == "identity":
			continue
		case coding != "":
			return "", &codingError{strings.Join(values, ", ")}
		case lower == "x-gzip":
			coding = codingGzip
		case lower == codingGzip, lower == codingDeflate, lower == codingBrotli:
			coding = lower
		default:
			return "", &codingError{name}
		}
	}
	return coding, nil
}

// readBody reads a whole body. It may have limit bytes, both as it comes and
// after decoding; one more is errTooLarge. What fails in decoding is a
// *decodeError, and an error of body itself is returned as it is. Announced is
// the size that the response claims, or negative; the body may have any other.
func readBody(body io.Reader, coding string, announced, limit int64) ([]byte, error) {
	src := &source{r: body, left: limit}
	data, err := decode(src, coding, announced, limit)
	switch {
	case src.err != nil:
		return nil, src.err
	case errors.Is(err, errTooLarge):
		return nil, errTooLarge
	case err != nil:
		return nil, &decodeError{coding, err}
	}
	return data, nil
}

func decode(src *source, coding string, announced, limit int64) ([]byte, error) {
	if coding == "" {
		return readPlain(src, min(announced, limit))
	}
	in := bufio.NewReader(src)
	if _, err := in.Peek(1); err == io.EOF {
		return nil, nil // an empty body is empty in every coding
	}
	r, err := newDecoder(in, coding)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	n, err := out.ReadFrom(io.LimitReader(r, limit+1))
	if n > limit {
		return nil, errTooLarge
	}
	return out.Bytes(), err
}

// readPlain reads a body that has no coding, which the source bounds.
func readPlain(src *source, announced int64) ([]byte, error) {
	var out bytes.Buffer
	if announced >= 0 {
		out.Grow(int(announced) + bytes.MinRead) // the room that ReadFrom wants to see the end in
	}
	_, err := out.ReadFrom(src)
	return out.Bytes(), err
}

func newDecoder(in *bufio.Reader, coding string) (io.Reader, error) {
	switch coding {
	case codingGzip:
		return gzip.NewReader(in)
	case codingDeflate:
		if isZlib(in) {
			return zlib.NewReader(in)
		}
		return flate.NewReader(in), nil
	}
	return brotli.NewReader(in), nil
}

// isZlib tells the two things apart that servers send as deflate: a zlib
// stream, which is right, and a bare deflate stream.
func isZlib(in *bufio.Reader) bool {
	head, err := in.Peek(2)
	if err != nil {
		return false
	}
	const method, methodDeflate, window = 0x0f, 8, 7
	return head[0]&method == methodDeflate && head[0]>>4 <= window && (int(head[0])<<8|int(head[1]))%31 == 0
}

// A source counts what is read of a body and remembers its error, which a
// decoder would hide in its own.
type source struct {
	r    io.Reader
	left int64
	err  error // neither nil nor io.EOF once the body has failed
}

func (s *source) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if int64(len(p)) > s.left+1 {
		p = p[:s.left+1]
	}
	n, err := s.r.Read(p)
	if int64(n) > s.left {
		s.err = errTooLarge
		return 0, s.err
	}
	s.left -= int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
