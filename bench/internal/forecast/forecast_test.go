package forecast

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kervan-mcp/kervan/spec"
)

// TestSizes holds the API's answer to the size that README.md tells.
func TestSizes(t *testing.T) {
	body, err := json.Marshal(reportOn("Izmir Karşıyaka", 5))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(body); n < 900 || n > 1150 {
		t.Errorf("a report has %d bytes, not about 1 KB", n)
	}
}

// TestServe reads the API through its authority, and sees that it refuses
// requests that are not as the tools have to send them.
func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	caFile := filepath.Join(t.TempDir(), "authority.pem")
	urls, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- Serve(ctx, caFile, func(url string) { urls <- url }) }()
	for _, variable := range Environment(<-urls, caFile) {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	api, err := FromEnvironment()
	if err != nil {
		t.Fatal(err)
	}
	c := api.client()
	if out, err := c.outlook(ctx, input{"Izmir", 2}); err != nil || out.City != "Izmir" || len(out.Days) != 2 {
		t.Errorf("%+v %v", out, err)
	}
	if _, err := c.raw(ctx, input{"Izmir", 17}); err == nil {
		t.Error("17 days are forecast")
	}
	resp, err := c.http.Get(api.URL + "/v1/cities/Izmir/forecast?days=1")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 401 {
		t.Errorf("status %d without a key", resp.StatusCode)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(caFile); err != nil {
		t.Error(err)
	}
}

func TestMany(t *testing.T) {
	s, err := spec.Load(t.Context(), Many(200), spec.Options{Secrets: spec.MapSecrets(map[string]string{"FORECAST_KEY": key})})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := len(s.Tools()); n != 200 {
		t.Errorf("%d tools", n)
	}
}
