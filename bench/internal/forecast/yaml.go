package forecast

import (
	"context"
	"crypto/tls"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/internal/limit"
	"github.com/kervan-mcp/kervan/spec"
)

//go:embed kervan.yaml
var file string

// fileURL is where the API is in the file.
const fileURL = "https://forecast.example"

// Spec returns the tools of kervan.yaml with the default options, but for what a
// private network needs, and for a limiter that counts each call and refuses none.
// It must be closed.
func (a API) Spec(ctx context.Context) (*spec.Spec, error) {
	return spec.Load(ctx, []byte(strings.ReplaceAll(file, fileURL, a.URL)), spec.Options{
		Secrets: spec.MapSecrets(map[string]string{"FORECAST_KEY": key}),
		Network: guard.Policy{AllowPrivate: true, TLS: &tls.Config{RootCAs: a.Trust}},
		Limiter: counter{limit.NewLimiter(0)},
	})
}

type counter struct{ *limit.Limiter }

func (c counter) Acquire(ctx context.Context, key string, _, concurrency int) (func(), time.Duration, error) {
	return c.Limiter.Acquire(ctx, key, 1_000_000_000, concurrency)
}

// Many returns a kervan.yaml with n tools, all of them like the first one of
// kervan.yaml but for their names.
func Many(n int) []byte {
	head, tools, _ := strings.Cut(file, "tools:\n")
	first, _, _ := strings.Cut(tools, "\n  - name: "+rawName)
	var all strings.Builder
	all.WriteString(head + "tools:\n")
	for i := range n {
		all.WriteString(strings.Replace(first, "- name: "+selectName, "- name: "+NameOf(i), 1) + "\n")
	}
	return []byte(all.String())
}

// NameOf returns the name of a tool of Many.
func NameOf(i int) string { return fmt.Sprintf("%s_%03d", selectName, i) }
