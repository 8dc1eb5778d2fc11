// Command rulesoff proves that every security rule has a test that needs it:
// it switches one rule off at a time, by a small edit that only the compiler
// sees, runs the rule's test, and fails if the test passes.
//
//	go run ./internal/rulesoff           # all rules
//	go run ./internal/rulesoff 1.6 1.12  # those whose number begins so
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A switchOff is an edit that removes one rule, and the test that must then
// fail.
type switchOff struct {
	Rule string // its number, and what of it is removed
	File string
	Old  string // stands in File exactly once
	New  string
	Test string // package and test: "./internal/jsonx TestRule1_6_Duplicates"
}

// workers is how many rules are tried at once; each is mostly compiling.
const workers = 3

func main() {
	var chosen []switchOff
	for _, s := range rules {
		if selected(s.Rule, os.Args[1:]) {
			chosen = append(chosen, s)
		}
	}
	failed := 0
	for i, err := range checkAll(chosen) {
		if s := chosen[i]; err != nil {
			failed++
			fmt.Printf("FAIL  %s: %v\n", s.Rule, err)
		} else {
			fmt.Printf("ok    %s: %s fails without it\n", s.Rule, s.Test)
		}
	}
	fmt.Printf("%d passed, %d failed\n", len(chosen)-failed, failed)
	if failed > 0 || len(chosen) == 0 {
		os.Exit(1)
	}
}

// checkAll checks several rules at a time, and yields the outcomes in order.
func checkAll(chosen []switchOff) iter.Seq2[int, error] {
	outcomes := make([]chan error, len(chosen))
	next := make(chan int)
	for i := range chosen {
		outcomes[i] = make(chan error, 1)
	}
	for range workers {
		go func() {
			for i := range next {
				outcomes[i] <- check(chosen[i])
			}
		}()
	}
	go func() {
		for i := range chosen {
			next <- i
		}
		close(next)
	}()
	return func(yield func(int, error) bool) {
		for i, outcome := range outcomes {
			if !yield(i, <-outcome) {
				return
			}
		}
	}
}

func selected(rule string, prefixes []string) bool {
	if len(prefixes) == 0 {
		return true
	}
	for _, p := range prefixes {
		if strings.HasPrefix(rule, p) {
			return true
		}
	}
	return false
}

// check switches s off and expects its test to fail.
func check(s switchOff) error {
	pkg, test, ok := strings.Cut(s.Test, " ")
	if !ok {
		return fmt.Errorf("the test %q names no package", s.Test)
	}
	edited, err := s.edit("")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "rulesoff")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, err := writeOverlay(dir, s.File, edited)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "test", "-vet=off", "-count=1", "-timeout=60s", "-run=^"+test+"$", pkg)
	// By GOFLAGS, programs that a test builds have the edit too.
	cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil && bytes.Contains(out, []byte("no tests to run")):
		return fmt.Errorf("there is no test %s", s.Test)
	case err == nil:
		return fmt.Errorf("%s passes without the rule", s.Test)
	case !errors.As(err, &exit):
		return err
	case bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")):
		return fmt.Errorf("the edited file does not build:\n%s", out)
	case !bytes.Contains(out, []byte("--- FAIL")) && !bytes.Contains(out, []byte("panic:")) && !bytes.Contains(out, []byte("fatal error:")):
		return fmt.Errorf("the test run failed in an unexpected way:\n%s", out)
	}
	return nil
}

// edit returns the file, below root, without the rule.
func (s switchOff) edit(root string) ([]byte, error) {
	source, err := os.ReadFile(filepath.Join(root, s.File))
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(source, []byte(s.Old)); n != 1 {
		return nil, fmt.Errorf("%s has the text to edit %d times, want once; the edit is stale", s.File, n)
	}
	return bytes.Replace(source, []byte(s.Old), []byte(s.New), 1), nil
}

// writeOverlay writes what go test reads instead of file.
func writeOverlay(dir, file string, edited []byte) (string, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	replacement := filepath.Join(dir, filepath.Base(file))
	if err := os.WriteFile(replacement, edited, 0o600); err != nil {
		return "", err
	}
	data, err := json.Marshal(map[string]any{"Replace": map[string]string{path: replacement}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, data, 0o600)
}
