package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"reflect"
	"regexp"
	"strings"

	"github.com/kervan-mcp/kervan/spec"
)

// inputs are what decides what is served, at one time: the text of the spec,
// and the environment with the environment files.
type inputs struct {
	text    []byte
	textErr error // why there is no text
	env     *spec.Env
	envErr  error
}

// read reads the files anew.
func (c *runCommand) read() inputs {
	var in inputs
	in.text, in.textErr = readSpec(c.Spec)
	var err error
	if in.env, err = spec.EnvFiles(c.EnvFiles...); err != nil {
		in.envErr = textEnvFiles(lines(err))
	}
	return in
}

// equal reports whether both say the same. A comment of an environment file
// says nothing.
func (in inputs) equal(other inputs) bool {
	return bytes.Equal(in.text, other.text) && sameError(in.textErr, other.textErr) &&
		reflect.DeepEqual(in.env, other.env) && sameError(in.envErr, other.envErr)
}

func sameError(a, b error) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Error() == b.Error()
}

// maxSpec bounds what is read of a spec, in bytes: one more than it may have, so
// that its loader sees that there is too much.
const maxSpec = 1<<20 + 1

func readSpec(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, textSpecFile(path, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSpec))
	if err != nil {
		return nil, textSpecFile(path, err)
	}
	return data, nil
}

// files are the paths of all that is read.
func (c *runCommand) files() []string { return append([]string{c.Spec}, c.EnvFiles...) }

// checkWatch returns which files cannot be read again, such as a pipe.
func (c *runCommand) checkWatch() problems {
	var wrong problems
	for _, path := range c.files() {
		if info, err := os.Stat(path); c.Watch && err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			wrong.add(textUnwatchable(path))
		}
	}
	return wrong
}

// isProduction reports whether options for development are refused.
func isProduction(env *spec.Env) bool {
	mode, _ := env.Lookup("KERVAN_ENV")
	return strings.EqualFold(strings.TrimSpace(mode), "production")
}

// isName reports how environment variables with secrets are called.
var isName = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,127}$`).MatchString

// lines parts an error that stands for several.
func lines(err error) problems {
	var list problems
	switch e := err.(type) {
	case nil:
	case problems:
		return e
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			list.add(lines(one)...)
		}
	case *spec.LoadError:
		for line := range strings.SplitSeq(e.Error(), "\n") {
			list.add(errors.New(line))
		}
	default:
		list.add(err)
	}
	return list
}
