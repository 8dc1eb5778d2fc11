//go:build unix && !aix

package transport

import (
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// An input reads a descriptor so that Close ends a read in progress. The usual
// way, the non-blocking mode, is a property of the open file that other
// processes may share, a shell for one; so input waits with poll instead, which
// changes nothing about the file.
type input struct {
	fd           int
	wakeR, wakeW *os.File

	mu      sync.Mutex // held while reading
	closing sync.Once
	closed  bool
	blocks  bool // poll does not work for this file: a read cannot be ended
}

// newInput takes over fd, unless it fails.
func newInput(fd int) (*input, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &input{fd: fd, wakeR: r, wakeW: w}, nil
}

// Read reads what is there, or waits for it. After Close it returns io.EOF. It
// is not for concurrent use.
func (in *input) Read(p []byte) (int, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for !in.closed {
		if !in.blocks {
			closed, err := in.wait()
			if closed {
				return 0, io.EOF
			}
			if err != nil {
				return 0, err
			}
		}
		n, err := unix.Read(in.fd, p)
		switch {
		case err == unix.EINTR || err == unix.EAGAIN && !in.blocks:
			continue
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		}
		return n, nil
	}
	return 0, io.EOF
}

// wait returns when the descriptor can be read or the input was closed.
func (in *input) wait() (closed bool, err error) {
	fds := []unix.PollFd{{Fd: int32(in.fd), Events: unix.POLLIN}, {Fd: int32(in.wakeR.Fd()), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, -1)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return false, err
		case fds[1].Revents != 0:
			return true, nil
		case fds[0].Revents&unix.POLLNVAL != 0:
			in.blocks = true // some systems cannot poll terminals
			return false, nil
		case fds[0].Revents != 0:
			return false, nil
		}
	}
}

// Close ends a read in progress and closes the descriptors. A read that cannot
// be ended keeps its descriptor and its goroutine until it returns.
func (in *input) Close() error {
	in.closing.Do(func() {
		_ = in.wakeW.Close() // the other end becomes readable
		go func() {
			in.mu.Lock()
			defer in.mu.Unlock()
			_ = in.wakeR.Close()
			_ = unix.Close(in.fd)
			in.closed = true
		}()
	})
	return nil
}
