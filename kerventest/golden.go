package kerventest

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/tools/txtar"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

// UpdateFlag is the test flag that rewrites golden files: go test -update. A
// flag of that name that the test binary already has is used instead.
const UpdateFlag = "update"

func init() {
	if flag.Lookup(UpdateFlag) == nil {
		flag.Bool(UpdateFlag, false, "rewrite the golden transcripts of kerventest")
	}
}

func updating() bool {
	f := flag.Lookup(UpdateFlag)
	return f != nil && f.Value.String() == "true"
}

// Golden compares the exchange so far with the txtar file at path, which has
// a file "client" and a file "server" with the lines of each side. What
// differs from run to run, such as references of masked errors, is replaced
// first. With -update the file is written; its comment is kept.
func (c *Client) Golden(path string) {
	c.t.Helper()
	golden(c.t, path, map[string]string{
		"client": stable(c.exchange.of("client")),
		"server": c.exchange.of("server"),
	})
}

// Replay sends the lines of the file "client" in the txtar file at path to
// app over stdio framing, as they are, and compares what comes back with the
// file "server". With -update the file is written; the client's lines are
// kept. It is for input that no client would send.
//
// It runs under fake time ([synctest.Test]): each line is sent when the
// server has nothing left to do but wait, so that a call that sleeps is still
// running when the next line arrives, and the order of answers is fixed.
func Replay(t *testing.T, app *kervan.App, path string) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatalf("reading the transcript: %v", err)
	}
	input := fileOf(archive, "client")
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- transport.ServeStdio(context.Background(), app, transport.WithIO(r, &out)) }()
		for line := range strings.Lines(input) {
			if _, err := io.WriteString(w, line); err != nil {
				break // the server has ended; its answers tell why
			}
			synctest.Wait()
		}
		_ = w.Close()
		if err := <-done; err != nil {
			t.Fatalf("serving: %v", err)
		}
	})
	golden(t, path, map[string]string{"client": input, "server": out.String()})
}

func golden(t testing.TB, path string, got map[string]string) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if updating() {
		if err != nil {
			archive = &txtar.Archive{}
		}
		archive.Files = []txtar.File{
			{Name: "client", Data: []byte(got["client"])},
			{Name: "server", Data: []byte(stable(got["server"]))},
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err != nil {
		t.Fatalf("reading the golden transcript (write it with -update): %v", err)
	}
	for _, side := range []string{"client", "server"} {
		want, have := stable(fileOf(archive, side)), stable(got[side])
		if want != have {
			t.Errorf("%s: the %s lines differ from the golden transcript (accept them with -update)\n--- golden\n%s--- now\n%s", path, side, want, have)
		}
	}
}

func fileOf(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

var (
	refPattern   = regexp.MustCompile(`ref: [0-9a-f]{8}`)
	statePattern = regexp.MustCompile(`"requestState":"[^"]*"`)
)

// stable replaces what differs from run to run.
func stable(s string) string {
	s = refPattern.ReplaceAllString(s, "ref: ########")
	return statePattern.ReplaceAllString(s, `"requestState":"########"`)
}
