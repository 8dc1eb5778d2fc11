//go:build unix && !aix

package transport

import (
	"errors"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	fdIn  = 0
	fdOut = 1
	fdErr = 2

	// firstPrivate keeps duplicates away from the standard descriptors, which may
	// be closed and would then be taken.
	firstPrivate = 3
)

// streams are the process's standard input and output while they are served.
type streams struct {
	in  *input
	out *os.File

	savedIn, savedOut int
}

// takeStreams moves the process's streams to private descriptors that no child
// process inherits. Descriptor 1 becomes standard error, or the null device when
// that is closed, and descriptor 0 the null device.
func takeStreams() (_ *streams, err error) {
	var open []int
	defer func() {
		if err != nil {
			for _, fd := range open {
				_ = unix.Close(fd)
			}
		}
	}()
	dup := func(fd int) (int, error) {
		private, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, firstPrivate)
		if err == nil {
			open = append(open, private)
		}
		return private, err
	}
	s := new(streams)
	if s.savedIn, err = dup(fdIn); err != nil {
		return nil, err
	}
	if s.savedOut, err = dup(fdOut); err != nil {
		return nil, err
	}
	in, err := dup(fdIn)
	if err != nil {
		return nil, err
	}
	out, err := dup(fdOut)
	if err != nil {
		return nil, err
	}
	if err := redirect(); err != nil {
		_ = unix.Dup2(s.savedIn, fdIn)
		_ = unix.Dup2(s.savedOut, fdOut)
		return nil, err
	}
	if s.in, err = newInput(in); err != nil {
		s.putBack()
		return nil, err
	}
	s.out = os.NewFile(uintptr(out), "stdout")
	return s, nil
}

// redirect points the standard descriptors away from the stream.
func redirect() error {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	// Where standard error is closed, the null device opens in its place, and
	// stays there so that nothing else does.
	if null != fdErr {
		defer func() { _ = unix.Close(null) }()
	}
	if err := unix.Dup2(null, fdIn); err != nil {
		return err
	}
	return unix.Dup2(fdErr, fdOut)
}

func (s *streams) putBack() {
	_ = unix.Dup2(s.savedIn, fdIn)
	_ = unix.Dup2(s.savedOut, fdOut)
}

// restore gives the process its streams back and closes the private ones.
func (s *streams) restore() {
	s.putBack()
	_ = unix.Close(s.savedIn)
	_ = unix.Close(s.savedOut)
	_ = s.in.Close()
	_ = s.out.Close()
}

// surviveBrokenPipes keeps the process alive when nobody reads its standard
// error: unless SIGPIPE is handled, the runtime ends the process at a write to
// descriptor 1 or 2 that fails so. The returned function undoes it.
func surviveBrokenPipes() (undo func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGPIPE)
	return func() { signal.Stop(c) }
}

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
