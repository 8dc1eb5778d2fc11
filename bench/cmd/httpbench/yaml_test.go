package main

import (
	"crypto/x509"
	"net/http/httptest"
	"testing"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/bench/internal/forecast"
	"github.com/kervan-mcp/kervan/bench/internal/servers"
	"github.com/kervan-mcp/kervan/bench/internal/work"
	"github.com/kervan-mcp/kervan/transport"
)

// TestForecasts checks that a kervan.yaml and the tools written by hand answer
// alike.
func TestForecasts(t *testing.T) {
	listening := httptest.NewTLSServer(forecast.Handler())
	t.Cleanup(listening.Close)
	api := forecast.API{URL: listening.URL, Trust: x509.NewCertPool()}
	api.Trust.AddCert(listening.Certificate())
	spec, err := api.Spec(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = spec.Close() })
	scenarios := choice{scenarios: []string{"yaml"}, eras: work.Eras, clients: []int{1, 3}}.selected()
	if len(scenarios) != 8 {
		t.Errorf("%d scenarios", len(scenarios))
	}
	for kind, tools := range map[string][]*kervan.ToolDef{servers.YAML: spec.Tools(), servers.Kervan: api.ByHand()} {
		app := kervan.NewApp("bench", "1.0.0")
		app.Add(tools...)
		handler, err := transport.NewHandler(app, servers.Options()...)
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		for _, s := range scenarios {
			t.Run(s.title()+"/"+kind, func(t *testing.T) {
				w, err := newWorkload(t.Context(), server.URL+"/mcp", s)
				if err != nil {
					t.Fatal(err)
				}
				clients, err := w.connect(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				defer clients.close()
				if p, err := clients.do(times(20)); err != nil || p.units != 20 {
					t.Errorf("%d units, %v", p.units, err)
				}
			})
		}
	}
}
