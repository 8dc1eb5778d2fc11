package docs

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/kerventest"
)

var discard = slog.New(slog.DiscardHandler)

type account struct {
	Owner   string `json:"owner"`
	Balance int64  `json:"balance"`
}

func balance(context.Context, kervan.None) (account, error) { return account{"Ada", 100}, nil }

func timing(next kervan.Handler) kervan.Handler {
	return func(ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
		start := time.Now()
		res, err := next(ctx, call)
		call.Logger().Info("called", "took", time.Since(start), "failed", err != nil)
		return res, err
	}
}

func redact(next kervan.Handler) kervan.Handler {
	return func(ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
		res, err := next(ctx, call)
		if err != nil {
			return nil, err
		}
		if out, ok := res.StructuredContent.(account); ok {
			out.Owner = "***"
			res.StructuredContent = out
		}
		return res, nil
	}
}

type fetchIn struct {
	Name string `json:"name"`
}

var fetches int

func fetch(context.Context, string) (string, error) {
	if fetches++; fetches < 3 {
		return "", errors.New("try again")
	}
	return "body", nil
}

func fetchWithRetry(ctx context.Context, in fetchIn) (string, error) {
	for attempt := 1; ; attempt++ {
		body, err := fetch(ctx, in.Name)
		if err == nil || attempt == 3 || ctx.Err() != nil {
			return body, err
		}
	}
}

func TestMiddlewarePage(t *testing.T) {
	app := kervan.NewApp("bank", "1", kervan.WithLogger(discard))
	app.Use(timing)
	app.Add(kervan.Tool("balance", "The balance of an account.", balance).Use(redact))
	app.Add(kervan.Tool("fetch", "Fetches.", fetchWithRetry))
	c := kerventest.New(t, app)
	if got := c.Call("balance", nil); got.Text != `{"owner":"***","balance":100}` || string(got.Structured) != got.Text {
		t.Errorf("%s", got.Raw)
	}
	if got := kerventest.MustCall[string](c, "fetch", fetchIn{Name: "x"}); got != "body" {
		t.Error(got)
	}
}

func report(context.Context, kervan.None) (string, error) { return "report", nil }

func changeTools(app *kervan.App) error {
	if err := app.AddTool(kervan.Tool("report", "Makes the report.", report)); err != nil {
		return err
	}
	if err := app.ReplaceTool(kervan.Tool("report", "Makes the yearly report.", report)); err != nil {
		return err
	}
	app.RemoveTool("report")
	return nil
}

func syncTools() error {
	var registry kervan.MemoryRegistry
	month := kervan.Tool("report_month", "Makes the monthly report.", report)
	if err := registry.Sync("reports", month); err != nil {
		return err
	}
	year := kervan.Tool("report_year", "Makes the yearly report.", report)
	return registry.Sync("reports", month, year)
}

func isStaff(context.Context) bool { return false }

func TestRegistryPage(t *testing.T) {
	app := kervan.NewApp("billing", "1.0.0", kervan.WithVisibility(func(ctx context.Context, tool kervan.ToolInfo) bool {
		return tool.Name != "refund" || isStaff(ctx)
	}))
	app.Add(kervan.Tool("refund", "Refunds.", report), kervan.Tool("bill", "Bills.", report))
	if err := changeTools(app); err != nil {
		t.Fatal(err)
	}
	if names := kerventest.New(t, app).ToolNames(); len(names) != 1 || names[0] != "bill" {
		t.Error(names)
	}
	if err := syncTools(); err != nil {
		t.Error(err)
	}
	var registry kervan.MemoryRegistry
	err := registry.Update(func(draft *kervan.MemoryRegistry) error {
		draft.Remove("report")
		return draft.Add(
			kervan.Tool("report_month", "Makes the monthly report.", report),
			kervan.Tool("report_year", "Makes the yearly report.", report),
		)
	})
	if err != nil || len(registry.Tools()) != 2 {
		t.Error(err, registry.Tools())
	}
}

// TestDocumentedCode finds every block of Go in the pages in a Go file that
// is compiled.
func TestDocumentedCode(t *testing.T) {
	var code strings.Builder
	for _, pattern := range []string{"*_test.go", "../examples/*/*.go", "../*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			code.WriteString(squeeze(string(data)) + "\n")
		}
	}
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	for _, page := range append(pages, "../README.md", "../CONTRIBUTING.md") {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range goBlocks(string(data)) {
			blocks++
			if !strings.Contains(code.String(), squeeze(block)) {
				t.Errorf("%s: this code is in no Go file that is compiled:\n%s", page, block)
			}
		}
	}
	if blocks < 10 {
		t.Errorf("only %d blocks of Go were found", blocks)
	}
}

// prose returns a page without its blocks of code.
func prose(page string) string {
	var b strings.Builder
	for i, part := range strings.Split(page, "```") {
		if i%2 == 0 {
			b.WriteString(part)
		}
	}
	return b.String()
}

// squeeze drops indentation and blank lines.
func squeeze(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func goBlocks(page string) []string {
	var blocks []string
	for i, part := range strings.Split(page, "```") {
		if code, ok := strings.CutPrefix(part, "go\n"); ok && i%2 == 1 {
			blocks = append(blocks, code)
		}
	}
	return blocks
}

// TestLinks finds every relative link of the pages.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "../README.md", "../CONTRIBUTING.md", "../SECURITY.md") {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(prose(string(data)), "](")[1:] {
			link, _, _ := strings.Cut(part, ")")
			if strings.Contains(link, "://") {
				continue
			}
			file, _, _ := strings.Cut(link, "#")
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), file)); file != "" && err != nil {
				t.Errorf("%s links to %s, which is not there", page, link)
			}
		}
	}
}
