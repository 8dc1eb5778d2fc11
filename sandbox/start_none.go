//go:build !unix && !windows

package sandbox

import (
	"errors"
	"os"
	"os/exec"
)

func enlarge(*os.File) {}

func command(program, []string, *os.File, *os.File) (*exec.Cmd, error) {
	return nil, errors.ErrUnsupported
}

func contain(*exec.Cmd) (measures []measure, release func()) { return nil, func() {} }

func childPipes([]string) (requests, replies *os.File, err error) {
	return nil, nil, errors.ErrUnsupported
}

func childArguments(string) ([]string, bool) { return nil, false }
