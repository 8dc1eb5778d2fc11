package main

import (
	"path/filepath"
	"testing"
)

// TestEditsApply finds an edit that has gone stale without the time it takes
// to try them all.
func TestEditsApply(t *testing.T) {
	for _, s := range rules {
		if _, err := s.edit(filepath.Join("..", "..")); err != nil {
			t.Errorf("%s: %v", s.Rule, err)
		}
	}
}
