package main

import (
	"bytes"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kervan-mcp/kervan/bench/internal/servers"
	"github.com/kervan-mcp/kervan/bench/internal/work"
)

// TestAnswers checks what the benchmark relies on without measuring anything:
// that each server built with Go answers each scenario rightly.
func TestAnswers(t *testing.T) {
	scenarios := choice{scenarios: []string{"call", "list/200"}, eras: work.Eras, clients: []int{3}, peers: slices.DeleteFunc(slices.Clone(allPeers), func(p string) bool { return p == typescriptKind })}
	for _, s := range scenarios.selected() {
		tools, err := work.Set(s.set)
		if err != nil {
			t.Fatal(err)
		}
		for _, each := range s.servers {
			t.Run(s.title()+"/"+each.name, func(t *testing.T) {
				handler, err := servers.New(each.kind, tools)
				if err != nil {
					t.Fatal(err)
				}
				listening := httptest.NewServer(handler)
				defer listening.Close()
				w, err := newWorkload(t.Context(), listening.URL+"/mcp", s)
				if err != nil {
					t.Fatal(err)
				}
				clients, err := w.connect(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				defer clients.close()
				p, err := clients.do(times(20))
				if err != nil || p.units != 20 {
					t.Fatalf("%d units, %v", p.units, err)
				}
			})
		}
	}
}

// TestWrongLength sees that an answer which changes ends the measuring.
func TestWrongLength(t *testing.T) {
	handler, err := servers.New(servers.Echo, []work.Tool{work.AddTool})
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewServer(handler)
	defer listening.Close()
	s := choice{peers: []string{servers.Echo}}.scenario("call/add", work.Modern, 1)
	w, err := newWorkload(t.Context(), listening.URL+"/mcp", s)
	if err != nil {
		t.Fatal(err)
	}
	w.lengths[0]++
	if _, err := w.connect(t.Context()); err == nil {
		t.Error("an answer of another length is accepted")
	}
}

func TestParse(t *testing.T) {
	for _, bad := range []string{
		"-rounds 0", "-peers kervan,nobody", "-scenarios calls", "-eras 2024-11-05", "-clients 0", "-clients x", "-duration 0s", "more",
	} {
		if _, err := parse(strings.Fields(bad)); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
	f, err := parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, s := range f.selected() {
		titles = append(titles, s.title())
	}
	if len(titles) != 12 || titles[0] != "call/add, 2026-07-28, 1 client" || titles[11] != "list/5000, 2025-11-25, 1 client" {
		t.Errorf("%q", titles)
	}
	if f, err = parse([]string{"-scenario", "registered"}); err != nil || len(f.selected()) != 2 {
		t.Errorf("%v", err)
	}
}

func TestTable(t *testing.T) {
	s := choice{peers: []string{servers.Kervan, servers.MCPGo}}.scenario("call/add", work.Modern, 1)
	rows := []*row{{server: s.servers[0]}, {server: s.servers[1]}}
	for i, cpu := range []time.Duration{10, 30, 20} {
		rows[0].samples = append(rows[0].samples, sample{cpu: cpu * time.Microsecond})
		rows[1].samples = append(rows[1].samples, sample{cpu: cpu * time.Microsecond * time.Duration(i+1)})
	}
	table := newTable(s, rows)
	if r := table.Rows[1].Ratio; r != (spread{2, 1, 3}) {
		t.Errorf("ratio %+v", r)
	}
	if r := table.Rows[1].Inverse; r != (spread{0.5, 1.0 / 3, 1}) {
		t.Errorf("inverse %+v", r)
	}
	var text bytes.Buffer
	table.print(&text)
	if !strings.Contains(text.String(), "≤ 0.7  yes") {
		t.Error(text.String())
	}
	s.within = 0.10
	if *newTable(s, rows).Within {
		t.Error("a ratio of 2 passes for one of 1")
	}
}
