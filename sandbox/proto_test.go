package sandbox

import (
	"bufio"
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzRequest: what one end writes, the other reads, and nothing else is accepted
// as longer than it may be.
func FuzzRequest(f *testing.F) {
	f.Add("a.b", []byte(`{"a":1}`), 100, int64(1500))
	f.Add("", []byte{}, 0, int64(0))
	f.Fuzz(func(t *testing.T, expression string, data []byte, maxOutput int, milliseconds int64) {
		if len(expression) > maxExpression || maxOutput < 0 || maxOutput > maxOutputCeiling || milliseconds < 0 || milliseconds > 1<<31 {
			return
		}
		want := request{expression, data, maxOutput, time.Duration(milliseconds) * time.Millisecond}
		var wire bytes.Buffer
		require.NoError(t, writeRequest(bufio.NewWriter(&wire), want))
		got, used, err := readRequest(bufio.NewReader(&wire), make([]byte, 0, 16))
		require.NoError(t, err)
		assert.Equal(t, want.expression, got.expression)
		assert.True(t, bytes.Equal(want.data, got.data))
		assert.Equal(t, want.maxOutput, got.maxOutput)
		assert.Equal(t, want.timeLeft, got.timeLeft)
		assert.Len(t, used, len(expression)+len(data))
		assert.Zero(t, wire.Len())
	})
}

// FuzzReply: whatever a process writes, its parent reads no more than it allows.
func FuzzReply(f *testing.F) {
	for _, r := range []reply{{statusOK, []byte("[1,2]")}, {statusEvaluation, []byte("no")}, {statusHello, []byte("{}")}} {
		var wire bytes.Buffer
		require.NoError(f, writeReply(bufio.NewWriter(&wire), r))
		f.Add(wire.Bytes(), 4)
		f.Add(wire.Bytes(), 5)
	}
	f.Add([]byte{byte(statusOK), 0xff, 0xff, 0xff, 0xff, 1}, 1000)
	f.Fuzz(func(t *testing.T, wire []byte, maxOutput int) {
		maxOutput = min(max(maxOutput, 0), maxOutputCeiling)
		r, err := readReply(bufio.NewReader(bytes.NewReader(wire)), maxOutput)
		assert.LessOrEqual(t, len(r.body), max(maxOutput, maxMessage))
		if err != nil {
			_, err = readHello(bufio.NewReader(bytes.NewReader(wire)))
			_ = err // any, but no panic
			return
		}
		var again bytes.Buffer
		require.NoError(t, writeReply(bufio.NewWriter(&again), r))
		assert.True(t, bytes.HasPrefix(wire, again.Bytes()))
	})
}

func TestRule8_7_HelloIsRead(t *testing.T) {
	want := []measure{{Layer: LayerProcess}, {Layer: LayerLimits, Problem: "refused", Optional: true}}
	var wire bytes.Buffer
	require.NoError(t, writeHello(bufio.NewWriter(&wire), want))
	got, err := readHello(bufio.NewReader(&wire))
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestRule8_7_HelloOfAnotherVersion(t *testing.T) {
	for _, body := range []string{``, `{}`, `{"protocol":2,"measures":[]}`, `{"protocol":1,"measures":7}`} {
		var wire bytes.Buffer
		require.NoError(t, writeReply(bufio.NewWriter(&wire), reply{statusHello, []byte(body)}))
		_, err := readHello(bufio.NewReader(&wire))
		assert.ErrorIs(t, err, errFrame, body)
	}
	_, err := readHello(bufio.NewReader(bytes.NewReader(nil)))
	assert.ErrorIs(t, err, io.EOF)
}

// A process refuses what its parent would not send.
func TestRule8_7_RequestsAreBounded(t *testing.T) {
	for name, r := range map[string]request{
		"expression": {expression: string(make([]byte, maxExpression+1))},
		"data":       {data: make([]byte, maxInputCeiling+1)},
	} {
		var wire bytes.Buffer
		require.NoError(t, writeRequest(bufio.NewWriter(&wire), r))
		_, _, err := readRequest(bufio.NewReader(&wire), nil)
		assert.ErrorIs(t, err, errFrame, name)
	}
}
