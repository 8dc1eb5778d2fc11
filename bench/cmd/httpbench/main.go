// Command httpbench measures what a request costs a server built with Kervan, in
// processor time, side by side with servers built with its peers. README.md of
// this module tells how to read what it prints.
//
//	cd bench
//	go run ./cmd/httpbench -rounds 3
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kervan-mcp/kervan/bench/internal/proc"
	"github.com/kervan-mcp/kervan/bench/internal/work"
	"github.com/kervan-mcp/kervan/bench/typescript"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "httpbench:", err)
		os.Exit(1)
	}
}

// errNotWithin ends the program when the scenario registered fails.
var errNotWithin = errors.New("tools that are not called make a call dearer than they may")

// flags are the command line.
type flags struct {
	settings
	choice
	json  string
	cache string
	unpin bool
	given map[string]bool
}

func parse(args []string) (*flags, error) {
	f := &flags{given: map[string]bool{}}
	set := flag.NewFlagSet("httpbench", flag.ContinueOnError)
	set.IntVar(&f.rounds, "rounds", 3, "`number` of rounds; registered takes 7 unless it is given")
	set.IntVar(&f.requests, "requests", 0, "`number` of calls or lists of a server in a round, in all clients together; 0: as many as fit into -duration")
	set.DurationVar(&f.duration, "duration", 200*time.Millisecond, "a server's turn in a round")
	peers := set.String("peers", strings.Join(defaultPeers, ","), "servers, the first being what the others are compared with; also mcp-go-both")
	scenarios := set.String("scenarios", "call,list", "some of call, list, yaml, "+strings.Join(names, ", "))
	set.StringVar(scenarios, "scenario", *scenarios, "the same")
	eras := set.String("eras", "2026-07-28,2025-11-25", "protocol versions")
	clients := set.String("clients", "1,16", "numbers of clients that call at the same time")
	set.StringVar(&f.json, "json", "", "also write the outcome to `file`")
	set.StringVar(&f.cache, "cache", "", "`folder` for what npm installs (default: kervan-bench in the user's cache folder)")
	set.BoolVar(&f.unpin, "unpin", false, "leave servers and clients on any core")
	set.StringVar(&f.profiles, "profiles", "", "write CPU profiles of the Go servers into `folder`; costs a few per cent")
	set.StringVar(&f.server, "server", "", "`program` built of ./cmd/httpserver (default: build it)")
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	set.Visit(func(g *flag.Flag) { f.given[g.Name] = true })
	if set.NArg() > 0 || f.rounds < 1 || f.requests < 0 || f.duration <= 0 {
		return nil, errors.New("rounds and duration must be positive, requests not negative, and there are no arguments")
	}
	return f, f.choose(*peers, *scenarios, *eras, *clients)
}

// choose takes the lists of the command line in.
func (f *flags) choose(peers, scenarios, eras, clients string) error {
	f.peers, f.scenarios = strings.Split(peers, ","), strings.Split(scenarios, ",")
	for _, peer := range f.peers {
		if !slices.Contains(allPeers, peer) {
			return fmt.Errorf("there is no peer %q; there are %s", peer, strings.Join(allPeers, ", "))
		}
	}
	for _, name := range f.scenarios {
		known := slices.ContainsFunc(names, func(n string) bool { return n == name || strings.HasPrefix(n, name+"/") })
		if !known {
			return fmt.Errorf("there is no scenario %q; there are call, list, yaml, %s", name, strings.Join(names, ", "))
		}
	}
	for e := range strings.SplitSeq(eras, ",") {
		if !slices.Contains(work.Eras, work.Era(e)) {
			return fmt.Errorf("there is no era %q; there are %s and %s", e, work.Modern, work.Legacy)
		}
		f.eras = append(f.eras, work.Era(e))
	}
	for text := range strings.SplitSeq(clients, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 1000 {
			return fmt.Errorf("%q is not a number of clients, 1 to 1,000", text)
		}
		f.clients = append(f.clients, n)
	}
	return nil
}

func run(ctx context.Context, args []string) error {
	f, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "httpbench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if err := f.prepare(ctx, scratch); err != nil {
		return err
	}
	out := &report{Began: time.Now().UTC(), Go: runtime.Version(), Cores: runtime.NumCPU(), Pinned: f.core >= 0, Versions: versions()}
	failed := f.measureAll(ctx, out)
	if f.json != "" && len(out.Scenarios) > 0 {
		failed = errors.Join(failed, out.write(f.json))
	}
	return failed
}

// prepare gets the servers ready and takes the cores.
func (f *flags) prepare(ctx context.Context, scratch string) error {
	f.scratch = scratch
	if f.profiles != "" {
		if err := os.MkdirAll(f.profiles, 0o755); err != nil {
			return err
		}
	}
	if f.server == "" {
		f.server = filepath.Join(scratch, "httpserver")
		build := exec.CommandContext(ctx, "go", "build", "-o", f.server, "github.com/kervan-mcp/kervan/bench/cmd/httpserver")
		if output, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w\n%s", err, output)
		}
	}
	if err := f.installTypeScript(ctx); err != nil {
		if f.given["peers"] {
			return err
		}
		notice("leaving the TypeScript SDK out: %v", err)
		f.peers = slices.DeleteFunc(f.peers, func(p string) bool { return p == typescriptKind })
	}
	f.core = -1
	if f.unpin {
		return nil
	}
	core, err := proc.Cores()
	if err != nil {
		notice("servers and clients are not pinned to cores: %v", err)
		return nil
	}
	f.core = core
	return nil
}

// installTypeScript installs the TypeScript SDK if a scenario needs it.
func (f *flags) installTypeScript(ctx context.Context) error {
	needed := slices.ContainsFunc(f.selected(), func(s scenario) bool {
		return slices.ContainsFunc(s.servers, func(v server) bool { return v.kind == typescriptKind })
	})
	if !needed {
		return nil
	}
	folder, err := typescript.Install(ctx, f.cache)
	f.script = filepath.Join(folder, typescript.HTTPServer)
	return err
}

// measureAll runs the scenarios and prints each table when it is there.
func (f *flags) measureAll(ctx context.Context, out *report) error {
	b := &bed{settings: f.settings, processes: map[server]*proc.Process{}}
	defer b.close()
	var failed error
	scenarios := f.selected()
	for i, s := range scenarios {
		b.release(scenarios[i:])
		b.settings.rounds, b.settings.duration = f.rounds, f.duration
		if s.within > 0 {
			f.forRegistered(&b.settings)
		}
		rows, err := b.measure(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.title(), err)
		}
		t := newTable(s, rows)
		t.print(os.Stdout)
		out.Scenarios = append(out.Scenarios, t)
		if t.Within != nil && !*t.Within {
			failed = errNotWithin
		}
	}
	return failed
}

// forRegistered makes rounds long enough to have several garbage collections,
// which many tools make rarer and longer.
func (f *flags) forRegistered(s *settings) {
	if !f.given["rounds"] {
		s.rounds = 7
	}
	if !f.given["duration"] {
		s.duration = 2 * time.Second
	}
}

func notice(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "httpbench: "+format+"\n", args...)
}

// versions returns those of the peers, as this program was built with them.
func versions() map[string]string {
	found := map[string]string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return found
	}
	for _, m := range info.Deps {
		switch m.Path {
		case "github.com/mark3labs/mcp-go", "github.com/modelcontextprotocol/go-sdk":
			found[m.Path] = m.Version
		}
	}
	for name, version := range typescript.Versions() {
		found[name] = version
	}
	return found
}
