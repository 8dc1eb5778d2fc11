package wire

import (
	"bufio"
	"bytes"
	"io"
)

const (
	readBuffer = 64 << 10
	keepBuffer = 256 << 10 // a longer line's buffer is not kept for the next one
)

var bom = []byte("\xef\xbb\xbf")

// A lineReader reads lines of at most max bytes in bounded memory.
type lineReader struct {
	r        *bufio.Reader
	max      int
	buf      []byte // what has been read of a line longer than the reader's buffer
	skipping bool   // the rest of the line that is being read was given up
}

func newLineReader(r io.Reader, max int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, readBuffer), max: max}
}

// next returns the next line without its end, valid until the following call.
// tooLong is reported once for a line over the bound, as soon as it is known;
// the rest of that line is skipped by the next call. The last line may come
// together with the reader's error.
func (l *lineReader) next() (line []byte, tooLong bool, err error) {
	if cap(l.buf) > keepBuffer {
		l.buf = nil
	}
	l.buf = l.buf[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		ended := err == nil
		if err == bufio.ErrBufferFull {
			err = nil
		}
		switch {
		case l.skipping:
			l.skipping = !ended
		case len(l.buf)+len(bytes.TrimRight(part, "\r\n")) > l.max:
			l.skipping = !ended
			return nil, true, err
		case ended && len(l.buf) == 0:
			return trimLine(part), false, nil
		default:
			l.buf = append(l.buf, part...)
			if ended {
				return trimLine(l.buf), false, nil
			}
		}
		if err != nil {
			return trimLine(l.buf), false, err
		}
	}
}

// trimLine drops a byte order mark and blanks around the line.
func trimLine(line []byte) []byte {
	return bytes.Trim(bytes.TrimPrefix(line, bom), " \t\r\n")
}
