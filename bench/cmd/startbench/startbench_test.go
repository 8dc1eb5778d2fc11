package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/kervan-mcp/kervan/bench/internal/work"
)

// TestStart checks what the benchmark relies on without measuring anything: that
// the runner starts and lists its tools in both eras.
func TestStart(t *testing.T) {
	scratch := t.TempDir()
	kervan, err := build(t.Context(), scratch)
	if err != nil {
		t.Fatal(err)
	}
	programs, err := kervanPrograms(kervan, scratch)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range work.Eras {
		for _, p := range programs {
			if s, err := p.start(t.Context(), e); err != nil || s.wall <= 0 || s.cpu <= 0 {
				t.Errorf("%s: %+v, %v", e, s, err)
			}
		}
		wrong := program{"wrong", 2, programs[0].command}
		if _, err := wrong.start(t.Context(), e); err == nil {
			t.Error("one tool passes for two")
		}
	}
}

func TestTable(t *testing.T) {
	kervan, node := &row{program: program{name: "a", command: []string{"kervan"}}}, &row{program: program{name: "b", command: []string{"node"}}}
	for _, ms := range []time.Duration{10, 30, 20} {
		kervan.samples = append(kervan.samples, sample{ms * time.Millisecond, ms * time.Millisecond})
		node.samples = append(node.samples, sample{10 * ms * time.Millisecond, 5 * ms * time.Millisecond})
	}
	var text bytes.Buffer
	printTable(&text, work.Modern, []*row{kervan, node})
	if !strings.Contains(text.String(), "b  200.0             0.100     (0.100–0.100)   100.0             0.200  ≤ 0.15  yes") {
		t.Error(text.String())
	}
}
