package sandbox

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"time"
)

// Parent and process talk in frames over two pipes. A request is a header of four
// numbers of 32 bits (length of the expression, length of the data, greatest
// length of the output, milliseconds until the deadline), the expression and the
// data. A reply is a status byte, a length of 32 bits, and so many bytes. The
// process begins with a reply of its own, the hello.

// protocolVersion changes with the frames. Two ends of different versions meet
// when the file of a running program was replaced, on systems that start
// processes from files.
const protocolVersion = 1

const (
	requestHeader = 16
	replyHeader   = 5
	maxExpression = 4096 // bytes: 1,000 characters of up to four
	maxMessage    = 1024 // bytes of an error message
	maxHello      = 8192
	frameBuffer   = 64 << 10
)

var errFrame = errors.New("a frame breaks the protocol")

// A request asks for one evaluation.
type request struct {
	expression string
	data       []byte
	maxOutput  int
	timeLeft   time.Duration
}

// A status tells what the bytes of a reply are.
type status byte

const (
	statusHello             status = iota + 1 // a hello
	statusOK                                  // the result
	statusInvalidExpression                   // a message; so are the following
	statusEvaluation
	statusTooLarge
)

// A reply answers a request.
type reply struct {
	status status
	body   []byte
}

// A hello says what holds a process that is ready.
type hello struct {
	Protocol int       `json:"protocol"`
	Measures []measure `json:"measures"`
}

func writeRequest(w *bufio.Writer, r request) error {
	var header [requestHeader]byte
	binary.BigEndian.PutUint32(header[0:], uint32(len(r.expression)))
	binary.BigEndian.PutUint32(header[4:], uint32(len(r.data)))
	binary.BigEndian.PutUint32(header[8:], uint32(r.maxOutput))
	binary.BigEndian.PutUint32(header[12:], uint32(r.timeLeft.Milliseconds()))
	_, _ = w.Write(header[:]) // a bufio.Writer keeps its first error
	_, _ = w.WriteString(r.expression)
	_, _ = w.Write(r.data)
	return w.Flush()
}

// readRequest reads a request into buf, if it is large enough, and returns the
// bytes it used. io.EOF means that the parent is gone.
func readRequest(in *bufio.Reader, buf []byte) (request, []byte, error) {
	var header [requestHeader]byte
	if _, err := io.ReadFull(in, header[:]); err != nil {
		return request{}, buf, err
	}
	expression := int(binary.BigEndian.Uint32(header[0:]))
	data := int(binary.BigEndian.Uint32(header[4:]))
	if expression > maxExpression || data > maxInputCeiling {
		return request{}, buf, errFrame
	}
	if cap(buf) < expression+data {
		buf = make([]byte, expression+data)
	}
	buf = buf[:expression+data]
	if _, err := io.ReadFull(in, buf); err != nil {
		return request{}, buf, err
	}
	return request{
		expression: string(buf[:expression]),
		data:       buf[expression:],
		maxOutput:  int(binary.BigEndian.Uint32(header[8:])),
		timeLeft:   time.Duration(binary.BigEndian.Uint32(header[12:])) * time.Millisecond,
	}, buf, nil
}

func writeReply(w *bufio.Writer, r reply) error {
	var header [replyHeader]byte
	header[0] = byte(r.status)
	binary.BigEndian.PutUint32(header[1:], uint32(len(r.body)))
	_, _ = w.Write(header[:])
	_, _ = w.Write(r.body)
	return w.Flush()
}

// readReply reads the reply to a request. It is the process that is not trusted:
// a reply that claims to be longer than maxOutput, or than a message may be, is
// refused before a byte of it is read.
func readReply(in *bufio.Reader, maxOutput int) (reply, error) {
	s, length, err := readHead(in)
	if err != nil {
		return reply{}, err
	}
	limit := maxMessage
	switch s {
	case statusOK:
		limit = maxOutput
	case statusInvalidExpression, statusEvaluation, statusTooLarge:
	default:
		return reply{}, errFrame
	}
	body, err := readBody(in, length, limit)
	return reply{status: s, body: body}, err
}

func readHead(in *bufio.Reader) (status, uint32, error) {
	var header [replyHeader]byte
	_, err := io.ReadFull(in, header[:])
	return status(header[0]), binary.BigEndian.Uint32(header[1:]), err
}

func readBody(in *bufio.Reader, length uint32, limit int) ([]byte, error) {
	if uint64(length) > uint64(limit) {
		return nil, errFrame
	}
	body := make([]byte, length)
	_, err := io.ReadFull(in, body)
	return body, err
}

func writeHello(w *bufio.Writer, measures []measure) error {
	body, err := json.Marshal(hello{Protocol: protocolVersion, Measures: measures})
	if err != nil {
		return err
	}
	return writeReply(w, reply{status: statusHello, body: body})
}

// readHello reads the first frame of a process.
func readHello(in *bufio.Reader) ([]measure, error) {
	s, length, err := readHead(in)
	if err != nil {
		return nil, err
	}
	if s != statusHello {
		return nil, errFrame
	}
	body, err := readBody(in, length, maxHello)
	if err != nil {
		return nil, err
	}
	var h hello
	if json.Unmarshal(body, &h) != nil || h.Protocol != protocolVersion {
		return nil, errFrame
	}
	return h.Measures, nil
}
