package transport

import (
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/kervan-mcp/kervan/internal/jsonx"
	"github.com/kervan-mcp/kervan/internal/wire"
)

// serveListen serves subscriptions/listen: a stream that tells of changes until
// its client goes away, its time is up, or the server shuts down. It counts as a
// stream, not as a call.
func (q *request) serveListen() *refusal {
	if !q.modern {
		return refuseNoMethod.with(q.id())
	}
	key := q.streamKey()
	if no := q.h.gate.enterStream(key); no != nil {
		return no.with(q.id())
	}
	defer q.h.gate.leaveStream(key)
	q.leaveCall()

	x := q.newExchange(streamQueue)
	x.listen = true
	session, no := q.connect(x)
	if no != nil {
		return no
	}
	d := &drainer{q: q, from: &x.outlet, life: q.streamLife()}
	end := d.run()
	if end == endStream || end == endCancelled {
		q.endListen(d)
		end = endStream
	}
	q.end(x, session, end)
	return answered
}

// leaveCall stops counting the request as a call.
func (q *request) leaveCall() {
	if q.entered {
		q.entered = false
		q.h.gate.leave()
	}
}

// streamLife is how long a stream may last: no longer than the credentials it
// was opened with.
func (q *request) streamLife() time.Duration {
	life := q.h.times.stream
	if q.info != nil && !q.info.Expiration.IsZero() {
		life = min(life, max(time.Until(q.info.Expiration), time.Nanosecond))
	}
	return life
}

// endListen tells the client that its request is cancelled, and answers it.
func (q *request) endListen(d *drainer) {
	buf := getBuffer()
	defer putBuffer(buf)
	id := q.id()
	b := append((*buf)[:0], `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`...)
	b = append(b, id...)
	b = jsonx.AppendString(append(b, `,"reason":`...), reasonEnding)
	b = append(b, "}}"...)
	*buf = b
	if d.event(b) != nil {
		return
	}
	b = append(b[:0], `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":`...)
	b = append(b, id...)
	b = append(b, `},"resultType":"complete"}}`...)
	*buf = b
	_ = d.event(b)
}

// giveUp answers a call that was cancelled because the server shuts down.
func (q *request) giveUp(d *drainer) {
	if !d.started {
		q.refuse(refuseDraining.with(q.id()))
		return
	}
	buf := getBuffer()
	defer putBuffer(buf)
	*buf = wire.AppendError(*buf, q.id(), &jsonrpc.Error{Code: wire.CodeUnavailable, Message: refuseDraining.message})
	_ = d.event(*buf)
}

// publish queues a notification of a stream. The acknowledgement comes first,
// though the SDK may tell of a change before it.
func (x *exchange) publish(m *jsonrpc.Request) error {
	const acknowledged = "notifications/subscriptions/acknowledged"
	if m.Method != acknowledged && !isSubscribed(m) {
		return nil
	}
	f, err := encode(m)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if m.Method != acknowledged && !x.acknowledged {
		if len(x.held) < streamQueue/2 {
			x.held = append(x.held, f)
		}
		return nil
	}
	x.acknowledged = true
	ok := x.offer(f)
	for _, f := range x.held {
		ok = ok && x.offer(f)
	}
	x.held = nil
	if !ok {
		return errUndelivered
	}
	return nil
}
