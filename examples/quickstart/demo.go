package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// demoNow is what the server's clock shows in the demo, so that it prints the
// same every day.
var demoNow = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// The two eras of the protocol, by the version that a client asks for.
const (
	newEra = "2026-07-28"
	oldEra = "2025-11-25"
)

// A section is one heading of the demo with the calls under it.
type section struct {
	heading string
	calls   []call
}

type call struct {
	tool string
	args string // JSON
}

var sections = []section{
	{"Good calls", []call{
		{"search_zones", `{"query":"istanbul"}`},
		{"convert_time", `{"time":"2026-10-25T02:30","from":"Europe/Berlin","to":"America/New_York"}`},
		{"next_clock_change", `{"zone":"Australia/Lord_Howe"}`},
	}},
	{"A tool of kervan.yaml: an HTTP API, and no code", []call{
		{"sun_times", `{"latitude":41.01,"longitude":28.95,"date":"2026-06-21"}`},
		{"sun_times", `{"latitude":69.65,"longitude":18.96,"date":"2026-06-21"}`},
	}},
	{"An error that the tool writes for the model", []call{
		{"convert_time", `{"time":"2026-03-29T02:30","from":"Europe/Berlin","to":"Asia/Tokyo"}`},
		{"next_clock_change", `{"zone":"Europe/Instanbul"}`},
	}},
	{"Refused arguments: the report a model gets (the handler does not run)", []call{
		{"convert_time", `{"time":"2026-03-29T02:30","form":"Europe/Berlin","to":"Asia/Tokyo","prefer":"latest"}`},
	}},
	{"A masked failure: the error's text stays inside", []call{
		{"broken_sundial", `{}`},
	}},
}

// demo shows one app to a client of each era.
func demo(ctx context.Context, p *printer) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var log bytes.Buffer // written during calls, read when no session is open
	app := newApp(func() time.Time { return demoNow }, kervan.WithLogger(textLogger(&log)))
	stop, err := addSun(ctx, app)
	if err != nil {
		return err
	}
	defer stop()

	p.title("worldclock: a Kervan server and the official MCP client in one process")
	p.para("The server's clock stands at %s for this demo.", demoNow.Format(time.RFC3339))

	var answers []string
	err = withSession(ctx, app, newEra, func(session *mcp.ClientSession) (err error) {
		answers, err = showEverything(ctx, p, session)
		return err
	})
	if err != nil {
		return err
	}
	p.heading("What the operator sees of it: the log")
	p.block(log.String())
	err = withSession(ctx, app, oldEra, func(session *mcp.ClientSession) error {
		return showSame(ctx, p, session, answers)
	})
	if err != nil {
		return err
	}
	p.title("Connect a client (from the folder of the module)")
	for _, c := range clients {
		p.heading("%s", c.heading)
		p.verbatim(c.text)
	}
	return p.err
}

// textLogger writes what an operator would see on stderr, without the time.
func textLogger(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey && len(groups) == 0 {
				return slog.Attr{}
			}
			return a
		},
	}))
}

// withSession serves app over a pair of pipes, as stdio does it, and runs use
// with a client connected to it. It returns when the server has ended.
func withSession(ctx context.Context, app *kervan.App, version string, use func(*mcp.ClientSession) error) error {
	serverIn, clientOut := io.Pipe()
	clientIn, serverOut := io.Pipe()
	served := make(chan error, 1)
	go func() {
		err := transport.ServeStdio(ctx, app, transport.WithIO(serverIn, serverOut))
		serverIn.Close()
		serverOut.Close()
		served <- err
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "worldclock-demo", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, &mcp.IOTransport{Reader: clientIn, Writer: clientOut},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		clientOut.Close()
		return fmt.Errorf("connect in era %s: %w", version, firstError(<-served, err))
	}
	err = use(session)
	session.Close()
	return firstError(err, <-served)
}

// firstError returns the first error that is one.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// showEverything prints the tools and every call, and returns the answers.
func showEverything(ctx context.Context, p *printer, session *mcp.ClientSession) ([]string, error) {
	p.title("Protocol %s: every request stands alone", session.InitializeResult().ProtocolVersion)
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	p.heading("Tools")
	for _, tool := range tools.Tools {
		p.item("%s(%s)", tool.Name, strings.Join(argumentNames(tool.InputSchema), ", "))
		p.block(tool.Description)
	}
	var answers []string
	for _, s := range sections {
		p.heading("%s", s.heading)
		for _, c := range s.calls {
			result, err := do(ctx, session, c)
			if err != nil {
				return nil, err
			}
			p.call(c, result)
			answers = append(answers, fingerprint(result))
		}
	}
	return answers, nil
}

// showSame makes the same calls, and prints whether the answers are the same.
func showSame(ctx context.Context, p *printer, session *mcp.ClientSession, answers []string) error {
	p.title("Protocol %s: a handshake opens a session", session.InitializeResult().ProtocolVersion)
	p.para("The same calls, by a client of the older era, of the same server:")
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	p.item("%-18s %d tools", "tools/list", len(tools.Tools))
	i := 0
	for _, s := range sections {
		for _, c := range s.calls {
			result, err := do(ctx, session, c)
			if err != nil {
				return err
			}
			verdict := "the same answer"
			if fingerprint(result) != answers[i] {
				verdict = "ANOTHER ANSWER: " + textOf(result)
			}
			p.item("%-18s %s: %s", c.tool, status(result), verdict)
			i++
		}
	}
	return nil
}

func do(ctx context.Context, session *mcp.ClientSession, c call) (*mcp.CallToolResult, error) {
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: c.tool, Arguments: json.RawMessage(c.args)})
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", c.tool, err)
	}
	return result, nil
}

var refPattern = regexp.MustCompile(`\(ref: [0-9a-f]{8}\)`)

// fingerprint is what must be equal in both eras: all but the reference of a
// masked error.
func fingerprint(result *mcp.CallToolResult) string {
	return status(result) + refPattern.ReplaceAllString(textOf(result), "(ref)")
}

func status(result *mcp.CallToolResult) string {
	if result.IsError {
		return "error"
	}
	return "ok"
}

func textOf(result *mcp.CallToolResult) string {
	var parts []string
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			parts = append(parts, text.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// argumentNames lists a schema's members, the optional ones last and marked.
func argumentNames(schema any) []string {
	object, _ := schema.(map[string]any)
	properties, _ := object["properties"].(map[string]any)
	var names, optional []string
	required, _ := object["required"].([]any)
	for _, name := range required {
		names = append(names, fmt.Sprint(name))
	}
	for name := range properties {
		if !slices.Contains(names, name) {
			optional = append(optional, name+"?")
		}
	}
	slices.Sort(optional)
	return append(names, optional...)
}
