package watch

import "time"

// A burst is a series of changes that are told of once. The zero burst has
// none.
type burst struct {
	first time.Time
	timer *time.Timer
}

// add adds a change at an instant: the burst is over when it was quiet for a
// while after the last one, or has lasted long enough.
func (b *burst) add(now time.Time) {
	if b.timer == nil {
		b.first = now
		b.timer = time.NewTimer(quiet)
		return
	}
	b.timer.Reset(min(quiet, max(0, longest-now.Sub(b.first))))
}

// over is ready when the burst is over; nil while there is none.
func (b *burst) over() <-chan time.Time {
	if b.timer == nil {
		return nil
	}
	return b.timer.C
}

// end makes room for the next burst.
func (b *burst) end() {
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
}
