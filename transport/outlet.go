package transport

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// An outlet carries the messages for one HTTP request from the goroutines that
// make them to the one that serves the request, which alone touches the
// ResponseWriter. So nothing is written once that one has returned.
type outlet struct {
	frames chan frame
	gone   chan struct{} // closed when nothing is written any more
	once   sync.Once
}

// A frame is a message, encoded, in a buffer that goes back to the pool. Without
// a message it only begins a stream of events.
type frame struct {
	buf    *[]byte
	status int  // of the HTTP response, should the frame be all of it
	final  bool // the answer, after which nothing comes
}

// Lengths of the queues of frames. A call whose client reads slowly waits; a
// stream whose client does is ended, so that it delays no other.
const (
	callQueue   = 2
	streamQueue = 64
)

func newOutlet(queue int) outlet {
	return outlet{frames: make(chan frame, queue), gone: make(chan struct{})}
}

func (o *outlet) close() { o.once.Do(func() { close(o.gone) }) }

// send waits for a place in the queue. It reports false when nothing is written
// any more.
func (o *outlet) send(ctx context.Context, f frame) bool {
	select {
	case o.frames <- f:
		return true
	default:
	}
	select {
	case o.frames <- f:
		return true
	case <-o.gone:
	case <-ctx.Done():
	}
	return false
}

// offer closes the outlet if there is no place in the queue.
func (o *outlet) offer(f frame) bool {
	select {
	case o.frames <- f:
		return true
	default:
		o.close()
		return false
	}
}

// An ending says why an outlet stopped.
type ending int

const (
	endAnswered  ending = iota
	endGone             // the client went away, or does not read
	endCancelled        // the server shuts down and does not wait for calls
	endStream           // the stream has lived long enough, or the server shuts down
)

// A drainer writes an outlet's frames into a response: the answer as a JSON
// body if it comes first, otherwise all of them as events.
type drainer struct {
	q    *request
	from *outlet
	// life, if positive, makes it a stream, which has to end after that time and
	// when the server begins to shut down.
	life time.Duration

	started bool // events were begun
	beat    *time.Timer
}

func (d *drainer) run() ending {
	if d.life <= 0 {
		return d.loop(nil, nil)
	}
	timer := time.NewTimer(d.life)
	defer timer.Stop()
	return d.loop(timer.C, d.q.h.gate.ending)
}

func (d *drainer) loop(life <-chan time.Time, end <-chan struct{}) ending {
	defer d.stopBeat()
	done, cancelling := d.q.r.Context().Done(), d.q.h.gate.cancelling
	var beats <-chan time.Time
	for {
		select {
		case f := <-d.from.frames:
			if err := d.write(f); err != nil {
				return endGone
			}
			if f.final {
				return endAnswered
			}
			beats = d.resetBeat()
		case <-beats:
			if d.comment() != nil {
				return endGone
			}
			beats = d.resetBeat()
		case <-done:
			return endGone
		case <-d.from.gone:
			return endGone
		case <-life:
			return endStream
		case <-end:
			return endStream
		case <-cancelling:
			return endCancelled
		}
	}
}

// write writes a frame in the form that the response has, or takes now.
func (d *drainer) write(f frame) error {
	defer putBuffer(f.buf)
	if f.buf == nil {
		d.begin()
		return d.comment()
	}
	if f.final && !d.started {
		d.q.w.Header()["Content-Type"] = typeJSON
		d.q.writeBody(f.status, *f.buf)
		return nil
	}
	return d.event(*f.buf)
}

// begin sends the headers of a stream of events. What follows it at once makes
// proxies that wait for the first bytes of a body pass them on.
func (d *drainer) begin() {
	d.started = true
	header := d.q.w.Header()
	header["Content-Type"] = typeEvent
	header["Cache-Control"] = noStoreEvents
	header["X-Accel-Buffering"] = noBuffering
	d.q.w.WriteHeader(http.StatusOK)
}

// noStoreEvents also keeps proxies from compressing, which holds events back.
var (
	noStoreEvents = []string{"no-store, no-transform"}
	noBuffering   = []string{"no"}
)

func (d *drainer) event(message []byte) error {
	if !d.started {
		d.begin()
	}
	return d.put([]byte("event: message\ndata: "), message, []byte("\n\n"))
}

// comment writes what clients skip.
func (d *drainer) comment() error { return d.put([]byte(": \n\n")) }

// put writes parts and flushes them. Each piece has its own time to leave.
func (d *drainer) put(parts ...[]byte) error {
	control := http.NewResponseController(d.q.w)
	for _, part := range parts {
		for len(part) > 0 {
			piece := part[:min(len(part), writePiece)]
			_ = control.SetWriteDeadline(time.Now().Add(d.q.h.times.write))
			if _, err := d.q.w.Write(piece); err != nil {
				return err
			}
			part = part[len(piece):]
		}
	}
	return control.Flush()
}

// resetBeat makes the next comment due, if the response is a stream of events.
func (d *drainer) resetBeat() <-chan time.Time {
	if !d.started {
		return nil
	}
	if d.beat == nil {
		d.beat = time.NewTimer(d.q.h.times.keepAlive)
	} else {
		d.beat.Reset(d.q.h.times.keepAlive)
	}
	return d.beat.C
}

func (d *drainer) stopBeat() {
	if d.beat != nil {
		d.beat.Stop()
	}
}
