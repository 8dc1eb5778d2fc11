package httptool

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/andybalholm/brotli"
	"github.com/stretchr/testify/require"
)

// encode returns data in a coding; "raw" is deflate without zlib's frame.
func encode(t testing.TB, coding string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case codingGzip:
		w = gzip.NewWriter(&b)
	case codingDeflate:
		w = zlib.NewWriter(&b)
	case "raw":
		w, _ = flate.NewWriter(&b, flate.BestCompression)
	case codingBrotli:
		w = brotli.NewWriter(&b)
	default:
		return data
	}
	_, err := w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// codings are those of Content-Encoding, with what encode calls them.
var codings = map[string]string{"": "", "gzip": codingGzip, "zlib": codingDeflate, "raw": codingDeflate, "br": codingBrotli}

func encodeAs(t testing.TB, name string, data []byte) []byte {
	if name == "zlib" {
		name = codingDeflate
	}
	return encode(t, name, data)
}

// TestRule8_1_AnnouncedSizes: what a response says of its size neither lets more
// in nor keeps anything out.
func TestRule8_1_AnnouncedSizes(t *testing.T) {
	const limit = 10_000
	for name, coding := range codings {
		for _, size := range []int{0, 1, 511, 512, 513, limit - 1, limit, limit + 1, limit + 2000} {
			data := []byte(strings.Repeat("a", size))
			encoded := encodeAs(t, name, data)
			for _, announced := range []int64{-1, 0, 1, int64(size) - 1, int64(size), int64(size) + 1, int64(len(encoded)), limit, limit + 1, math.MaxInt64} {
				for _, r := range []io.Reader{bytes.NewReader(encoded), iotest.OneByteReader(bytes.NewReader(encoded)), iotest.DataErrReader(bytes.NewReader(encoded))} {
					got, err := readBody(r, coding, announced, limit)
					if size > limit {
						require.ErrorIs(t, err, errTooLarge, "%s: %d bytes, announced as %d", name, size, announced)
						require.Nil(t, got)
						continue
					}
					require.NoError(t, err, "%s: %d bytes, announced as %d", name, size, announced)
					require.Equal(t, string(data), string(got), "%s: %d bytes, announced as %d", name, size, announced)
				}
			}
		}
	}
	lost := errors.New("connection lost")
	got, err := readBody(io.MultiReader(strings.NewReader("hello"), iotest.ErrReader(lost)), "", 5, limit)
	require.Equal(t, lost, err, "after all that was announced")
	require.Nil(t, got)
}

// A body of the announced size takes the room for it and no more.
func TestRule8_1_AnnouncedSizeIsRoom(t *testing.T) {
	data := bytes.Repeat([]byte("a"), 50_000)
	got, err := readBody(bytes.NewReader(data), "", int64(len(data)), 1<<20)
	require.NoError(t, err)
	require.Less(t, cap(got), len(data)+8<<10)
	got, err = readBody(strings.NewReader("x"), "", math.MaxInt64, 1000)
	require.NoError(t, err)
	require.Less(t, cap(got), 4<<10, "never more than the limit")
}

func TestRule8_1_Codings(t *testing.T) {
	random := make([]byte, 50_000)
	for i := range random {
		random[i] = byte(rand.Uint32())
	}
	for name, coding := range codings {
		for what, data := range map[string][]byte{
			"empty": nil, "one byte": []byte("x"), "text": []byte(strings.Repeat("hello, ", 9000)), "random": random,
		} {
			encoded := encodeAs(t, name, data)
			for _, r := range []io.Reader{bytes.NewReader(encoded), iotest.OneByteReader(bytes.NewReader(encoded)), iotest.DataErrReader(bytes.NewReader(encoded))} {
				got, err := readBody(r, coding, -1, 1<<20)
				require.NoError(t, err, "%s, %s", name, what)
				require.Equal(t, string(data), string(got), "%s, %s", name, what)
			}
		}
	}
}

func TestRule8_1_NoBytesAreEmptyInEveryCoding(t *testing.T) {
	for name, coding := range codings {
		got, err := readBody(strings.NewReader(""), coding, -1, 10)
		require.NoError(t, err, name)
		require.Empty(t, got, name)
	}
}

func TestRule8_1_ExactlyTheLimitPasses(t *testing.T) {
	const limit = 100_000
	for name, coding := range codings {
		data := []byte(strings.Repeat("a", limit))
		got, err := readBody(bytes.NewReader(encodeAs(t, name, data)), coding, -1, limit)
		require.NoError(t, err, name)
		require.Len(t, got, limit, name)
		_, err = readBody(bytes.NewReader(encodeAs(t, name, append(data, 'a'))), coding, -1, limit)
		require.ErrorIs(t, err, errTooLarge, name)
	}
}

// What comes is counted too: here it is larger than what it decodes to.
func TestRule8_1_CompressedBytesCount(t *testing.T) {
	for _, name := range []string{"gzip", "zlib"} {
		padded := encode(t, codings[name], []byte("x"))
		_, err := readBody(bytes.NewReader(padded), codings[name], -1, int64(len(padded)))
		require.NoError(t, err, name)
		_, err = readBody(bytes.NewReader(padded), codings[name], -1, int64(len(padded))-1)
		require.ErrorIs(t, err, errTooLarge, name)
	}
	empties := bytes.Repeat(encode(t, codingGzip, nil), 5000)
	_, err := readBody(bytes.NewReader(empties), codingGzip, -1, 100_000)
	require.ErrorIs(t, err, errTooLarge, "gzip members that decode to nothing")
}

// An endless reader counts what is read of it.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return len(p), nil
}

func TestRule8_1_Bombs(t *testing.T) {
	const limit = 100_000
	zeros := make([]byte, 8<<20)
	for name, coding := range codings {
		bomb := encodeAs(t, name, zeros)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readBody(bytes.NewReader(bomb), coding, -1, limit)
		runtime.ReadMemStats(&after)
		require.ErrorIs(t, err, errTooLarge, name)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20), name)
	}
	source := &endless{}
	for _, announced := range []int64{-1, 10, limit, limit + 1} {
		source.read = 0
		_, err := readBody(source, "", announced, limit)
		require.ErrorIs(t, err, errTooLarge)
		require.LessOrEqual(t, source.read, limit+1, "no more is read than needed to know")
	}
}

func TestRule8_1_Malformed(t *testing.T) {
	text := []byte(strings.Repeat("hello, world. ", 1000))
	for name, coding := range codings {
		if coding == "" {
			continue
		}
		encoded := encodeAs(t, name, text)
		var fault *decodeError
		for cut := 1; cut < len(encoded); cut += 7 {
			_, err := readBody(bytes.NewReader(encoded[:cut]), coding, -1, 1<<20)
			require.ErrorAs(t, err, &fault, "%s cut after %d of %d bytes", name, cut, len(encoded))
		}
		_, err := readBody(strings.NewReader(`{"not":"encoded"}`), coding, -1, 1<<20)
		require.ErrorAs(t, err, &fault, name)
	}
	for _, coding := range []string{codingGzip, codingDeflate} {
		broken := encode(t, coding, text)
		broken[len(broken)-2] ^= 1
		var fault *decodeError
		_, err := readBody(bytes.NewReader(broken), coding, -1, 1<<20)
		require.ErrorAs(t, err, &fault, "%s with a wrong checksum", coding)
	}
}

// An error of the connection stays one, in whatever coding the body is.
func TestRule8_1_ConnectionErrorsAreNotDecodeErrors(t *testing.T) {
	lost := errors.New("connection lost")
	for name, coding := range codings {
		encoded := encodeAs(t, name, []byte(strings.Repeat("hello, world. ", 1000)))
		_, err := readBody(io.MultiReader(bytes.NewReader(encoded[:len(encoded)/2]), iotest.ErrReader(lost)), coding, -1, 1<<20)
		require.Equal(t, lost, err, name)
	}
}

func TestRule8_1_ContentEncoding(t *testing.T) {
	for _, c := range []struct {
		values []string
		want   string
	}{
		{nil, ""},
		{[]string{""}, ""},
		{[]string{"identity"}, ""},
		{[]string{"GZIP"}, "gzip"},
		{[]string{" x-gzip "}, "gzip"},
		{[]string{"Deflate"}, "deflate"},
		{[]string{"BR"}, "br"},
		{[]string{"identity, gzip"}, "gzip"},
		{[]string{"gzip", "identity", ""}, "gzip"},
	} {
		coding, err := parseCoding(c.values)
		require.NoError(t, err, "%q", c.values)
		require.Equal(t, c.want, coding, "%q", c.values)
	}
	for _, values := range [][]string{
		{"gzip, gzip"}, {"gzip", "gzip"}, {"gzip, br"}, {"br,identity,br"}, {"deflate,gzip"},
		{"zstd"}, {"compress"}, {"x-br"}, {"gzip;q=1"}, {"gzip gzip"}, {"*"}, {"aws-chunked"},
	} {
		_, err := parseCoding(values)
		var unsupported *codingError
		require.ErrorAs(t, err, &unsupported, "%q", values)
	}
}

func FuzzDecompress(f *testing.F) {
	for name := range codings {
		f.Add(encodeAs(f, name, []byte(strings.Repeat("hello ", 50))), name, int64(100))
		f.Add(encodeAs(f, name, make([]byte, 1<<14)), name, int64(1000))
	}
	f.Fuzz(func(t *testing.T, data []byte, name string, limit int64) {
		coding := codings[name]
		limit = min(max(limit, 0), 1<<16)
		got, err := readBody(bytes.NewReader(data), coding, -1, limit)
		if err != nil {
			require.Nil(t, got)
			return
		}
		require.LessOrEqual(t, int64(len(got)), limit)
		require.LessOrEqual(t, len(data), int(limit)+trailing(data, coding), "what comes counts")
		again, err := readBody(iotest.OneByteReader(bytes.NewReader(data)), coding, int64(len(data)/2), limit)
		require.NoError(t, err)
		require.Equal(t, got, again, "how it comes does not matter")
	})
}

// trailing allows for what follows the end of an encoded stream, which is not
// read.
func trailing(data []byte, coding string) int {
	if coding == codingDeflate || coding == codingBrotli {
		return len(data)
	}
	return 0
}
