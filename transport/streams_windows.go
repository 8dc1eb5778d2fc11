package transport

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// streams are the process's standard input and output while they are served.
type streams struct {
	in, out *os.File

	null                 *os.File
	handleIn, handleOut  windows.Handle
	variableIn, variable *os.File
}

// takeStreams duplicates the standard handles for the stream, without
// inheritance, and replaces the standard handles and the variables of package
// os: output by standard error, input by the null device. A read that blocks
// cannot be ended: its goroutine stays until the client sends or closes.
func takeStreams() (*streams, error) {
	s := &streams{variableIn: os.Stdin, variable: os.Stdout}
	var err error
	if s.handleIn, err = windows.GetStdHandle(windows.STD_INPUT_HANDLE); err != nil {
		return nil, err
	}
	if s.handleOut, err = windows.GetStdHandle(windows.STD_OUTPUT_HANDLE); err != nil {
		return nil, err
	}
	if s.in, err = duplicate(s.handleIn, "stdin"); err != nil {
		return nil, err
	}
	if s.out, err = duplicate(s.handleOut, "stdout"); err != nil {
		_ = s.in.Close()
		return nil, err
	}
	if s.null, err = os.OpenFile(os.DevNull, os.O_RDWR, 0); err != nil {
		_ = s.in.Close()
		_ = s.out.Close()
		return nil, err
	}
	if err := s.redirect(); err != nil {
		s.restore()
		return nil, err
	}
	return s, nil
}

func duplicate(h windows.Handle, name string) (*os.File, error) {
	self := windows.CurrentProcess()
	var private windows.Handle
	err := windows.DuplicateHandle(self, h, self, &private, 0, false, windows.DUPLICATE_SAME_ACCESS)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(private), name), nil
}

func (s *streams) redirect() error {
	out, err := windows.GetStdHandle(windows.STD_ERROR_HANDLE)
	if err != nil || out == 0 || out == windows.InvalidHandle {
		out = windows.Handle(s.null.Fd())
	}
	if err := windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, out); err != nil {
		return err
	}
	if err := windows.SetStdHandle(windows.STD_INPUT_HANDLE, windows.Handle(s.null.Fd())); err != nil {
		return err
	}
	os.Stdin, os.Stdout = s.null, os.Stderr
	return nil
}

// restore gives the process its streams back and closes the private ones.
func (s *streams) restore() {
	_ = windows.SetStdHandle(windows.STD_INPUT_HANDLE, s.handleIn)
	_ = windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, s.handleOut)
	os.Stdin, os.Stdout = s.variableIn, s.variable
	_ = s.in.Close()
	_ = s.out.Close()
	_ = s.null.Close()
}

// surviveBrokenPipes does nothing: there is no signal for broken pipes.
func surviveBrokenPipes() (undo func()) { return func() {} }

func isBrokenPipe(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}
