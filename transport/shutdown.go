package transport

import (
	"context"
	"time"
)

// Shutdown ends serving. It refuses new calls with 503 from now on, and the
// health path answers 503 too; after [DrainDelay] it ends the streams of
// notifications, each with a cancellation of its request and its result, ends
// sessions, and waits for the running calls: for at most what [WithDrain] says,
// 10 seconds by default, and no longer than ctx. Then it cancels them.
//
// It returns nil when everything has ended, also if calls had to be cancelled,
// and the error of ctx when that ended first. A second Shutdown waits for the
// first. It does not close the listener of the http.Server around the handler:
// call that server's own Shutdown at the same time, or after DrainDelay.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.drain(ctx)
	return h.finish(ctx)
}

// drain refuses what is new, and waits while a load balancer notices.
func (h *Handler) drain(ctx context.Context) {
	if !h.gate.drain() {
		return
	}
	sleep(ctx, h.o.drainDelay)
	close(h.gate.ending)
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// finish waits for what runs, and cancels it when the time is up.
func (h *Handler) finish(ctx context.Context) error {
	var err error
	timer := time.NewTimer(h.drainTime())
	defer timer.Stop()
	select {
	case <-h.gate.idle:
	case <-timer.C:
		h.cancelCalls()
	case <-ctx.Done():
		err = ctx.Err()
		h.cancelCalls()
	}
	h.sessions.end()
	// Cancelled calls are answered by the pipeline, or given up, at once.
	timer.Reset(lastWait)
	select {
	case <-h.gate.idle:
	case <-timer.C:
	}
	return err
}

func (h *Handler) drainTime() time.Duration {
	if h.o.drain == 0 {
		return defaultHTTPDrain
	}
	return h.o.drain
}

func (h *Handler) cancelCalls() {
	n := h.gate.running()
	if n == 0 || !h.gate.cancel() {
		return
	}
	h.logger.Warn(logCancelled, "calls", n)
}
