//go:build linux

package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/jmespath/go-jmespath"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/bench/internal/forecast"
	"github.com/kervan-mcp/kervan/bench/internal/proc"
	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/sandbox"
	"github.com/kervan-mcp/kervan/spec"
)

// envAPI makes the test program serve the API that package forecast calls, and
// names the file for the certificate of its authority.
const envAPI = "KERVAN_BENCH_API"

func TestMain(m *testing.M) {
	caFile := os.Getenv(envAPI)
	if caFile == "" {
		os.Exit(m.Run())
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { // the test holds the other end of the pipe
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	if err := forecast.Serve(ctx, caFile, func(url string) { fmt.Println(url) }); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestWalls measures what surrounds the tools of a kervan.yaml: the processes that
// select, the guard of the network, and loading the file. It takes turns and
// rounds as TestRatios does, and asserts as little about time.
func TestWalls(t *testing.T) {
	rounds := roundsFor(t)
	t.Run("select", func(t *testing.T) { measureSelect(t, rounds) })
	t.Run("guard", func(t *testing.T) { measureGuard(t, rounds) })
	t.Run("load", func(t *testing.T) { measureLoad(t, rounds) })
}

// selectExpression takes about a quarter of what is in the data.
const selectExpression = "items[?active].{id: id, name: name, city: address.city}"

func measureSelect(t *testing.T, rounds int) {
	pool := sandbox.New(sandbox.Options{Children: 1})
	t.Cleanup(func() { _ = pool.Close() })
	for _, size := range []struct {
		name  string
		bytes int
		calls int
		goal  *goal
	}{
		{"1 KB", 1 << 10, 300, atMostAdded(100)},
		{"100 KB", 100 << 10, 20, nil},
		{"1 MiB", 1 << 20, 3, nil},
	} {
		data := selectData(size.bytes)
		want, err := selectHere(selectExpression, data)
		if err != nil {
			t.Fatal(err)
		}
		have, err := pool.Select(t.Context(), selectExpression, data)
		if err != nil || !sameJSON(t, have, want) {
			t.Fatalf("%v: %.200s", err, have)
		}
		contest{title: "select, " + size.name, calls: size.calls, goal: size.goal, ways: []*way{
			{name: "in this process", do: func() error {
				out, err := selectHere(selectExpression, data)
				return sameLength(len(out), len(want), err)
			}},
			{name: "sandbox", do: func() error {
				out, err := pool.Select(t.Context(), selectExpression, data)
				return sameLength(len(out), len(have), err)
			}},
		}}.run(t, rounds)
	}
}

// selectHere is what someone writes who trusts the expression.
func selectHere(expression string, data []byte) ([]byte, error) {
	var document any
	if err := json.Unmarshal(data, &document); err != nil {
		return nil, err
	}
	selected, err := jmespath.Search(expression, document)
	if err != nil {
		return nil, err
	}
	return json.Marshal(selected)
}

// selectData returns a document of about a size.
func selectData(size int) []byte {
	var items []any
	for i, length := 0, 0; length < size; i++ {
		item := map[string]any{
			"id": i, "name": fmt.Sprintf("Customer %d", i), "active": i%2 == 0, "balance": float64(i) + 0.25,
			"tags": []string{"a", "b"}, "address": map[string]any{"street": "12 Harbour Road", "city": "Izmir", "zip": "35210"},
		}
		encoded, err := json.Marshal(item)
		if err != nil {
			panic(err) // plain data of this function
		}
		items, length = append(items, item), length+len(encoded)
	}
	data, err := json.Marshal(map[string]any{"items": items})
	if err != nil {
		panic(err)
	}
	return data
}

// measureGuard compares clients of the API, which is a process of its own.
func measureGuard(t *testing.T, rounds int) {
	api := startAPI(t)
	plain := &http.Client{Transport: api.Transport()}
	guarded, err := guard.NewClient(guard.Policy{AllowPrivate: true, TLS: api.Transport().TLSClientConfig})
	if err != nil {
		t.Fatal(err)
	}
	ways := func(fresh bool) []*way {
		return []*way{
			{name: "net/http", do: func() error { return api.get(plain, fresh) }},
			{name: "guard", do: func() error { return api.get(guarded, fresh) }},
		}
	}
	server := []int{api.process.ID()}
	contest{title: "request, pooled connection", calls: 400, goal: atMostTimes(1.1), ways: ways(false), without: server}.run(t, rounds)
	contest{title: "request, fresh connection", calls: 50, ways: ways(true), without: server}.run(t, rounds)
}

// An apiProcess is the API in a process of its own.
type apiProcess struct {
	forecast.API
	process *proc.Process
}

func startAPI(t *testing.T) apiProcess {
	caFile := filepath.Join(t.TempDir(), "authority.pem")
	p, err := proc.Start(t.Context(), -1, []string{envAPI + "=" + caFile}, os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	api, err := forecast.NewAPI(p.URL, caFile)
	if err != nil {
		t.Fatal(err)
	}
	return apiProcess{api, p}
}

// get asks for a report, and leaves no connection for the next request if that is
// to have a fresh one.
func (a apiProcess) get(client *http.Client, fresh bool) error {
	if fresh {
		defer client.CloseIdleConnections()
	}
	req, err := a.Request(context.Background(), "Izmir", 5)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || !bytes.HasPrefix(body, []byte(`{"location":{"name":"Izmir"`)) {
		return fmt.Errorf("status %d: %.200s (%v)", resp.StatusCode, body, err)
	}
	return nil
}

// measureLoad loads a file with as many tools as one may have.
func measureLoad(t *testing.T, rounds int) {
	file := forecast.Many(200)
	secrets := spec.Options{Secrets: spec.SecretFunc(func(context.Context, string, string, string) (string, error) { return "0123456789abcdef", nil })}
	load := func(also func(*spec.Spec) error) func() error {
		return func() error {
			s, err := spec.Load(t.Context(), file, secrets)
			if err != nil {
				return err
			}
			defer s.Close()
			return also(s)
		}
	}
	contest{title: "a kervan.yaml with 200 tools", calls: 3, ways: []*way{
		{name: "load", do: load(func(s *spec.Spec) error { return nil })},
		{name: "load and register", do: load(func(s *spec.Spec) error {
			app := kervan.NewApp(s.Name(), s.Version())
			app.Add(s.Tools()...)
			return app.Err()
		})},
	}}.run(t, rounds)
}

func sameLength(have, want int, err error) error {
	if err == nil && have != want {
		return fmt.Errorf("%d bytes, %d expected", have, want)
	}
	return err
}

func sameJSON(t *testing.T, a, b []byte) bool {
	var values [2]any
	for i, data := range [][]byte{a, b} {
		if err := json.Unmarshal(data, &values[i]); err != nil {
			t.Fatal(err)
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}
