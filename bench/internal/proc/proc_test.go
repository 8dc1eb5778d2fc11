package proc

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestCores(t *testing.T) {
	cores, err := parseCores("0-2,5")
	if err != nil || !slices.Equal(cores, []int{0, 1, 2, 5}) {
		t.Errorf("%v %v", cores, err)
	}
	if _, err := parseCores("a"); err == nil {
		t.Error("a is accepted")
	}
}

func TestTicks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stat")
	if err := os.WriteFile(file, []byte("7 (a ) name) S 1 7 7 0 -1 4194560 100 0 0 0 12 30 5 1 20 0 5 0 100 1000 10\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for field, want := range map[int]time.Duration{itself: 420 * time.Millisecond, waitedFor: 60 * time.Millisecond} {
		if d, err := ticks(file, field); err != nil || d != want {
			t.Errorf("%v %v, not %v", d, err, want)
		}
	}
}

func TestUsage(t *testing.T) {
	before := usage{threads: map[string]time.Duration{"1": 5, "2": 7}, ticks: 10}
	for name, test := range map[string]struct {
		after usage
		want  time.Duration
	}{
		"a new thread":   {usage{map[string]time.Duration{"1": 6, "2": 9, "3": 4}, 20}, 7},
		"a thread ended": {usage{map[string]time.Duration{"1": 6}, 20}, 10},
		"no schedstat":   {usage{nil, 20}, 10},
	} {
		if got := test.after.since(before); got != test.want {
			t.Errorf("%s: %d", name, got)
		}
	}
}

func TestChildren(t *testing.T) {
	child := func(ns time.Duration) usage { return usage{map[string]time.Duration{"1": ns}, ns} }
	before := Clock{children: map[string]usage{"7": child(100)}, ended: 1000}
	for name, test := range map[string]struct {
		after Clock
		want  time.Duration
	}{
		"the same":         {Clock{children: map[string]usage{"7": child(130)}, ended: 1000}, 30},
		"one more":         {Clock{children: map[string]usage{"7": child(130), "8": child(5)}, ended: 1000}, 35},
		"ended":            {Clock{ended: 1140}, 40},
		"ended, uncounted": {Clock{ended: 1000}, 0},
		"one for other":    {Clock{children: map[string]usage{"8": child(5)}, ended: 1140}, 45},
	} {
		if _, got := test.after.Since(before); got != test.want {
			t.Errorf("%s: %d, not %d", name, got, test.want)
		}
	}
}
