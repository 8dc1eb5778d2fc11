package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/kervan-mcp/kervan/bench/internal/forecast"
	"github.com/kervan-mcp/kervan/bench/internal/proc"
	"github.com/kervan-mcp/kervan/bench/internal/servers"
)

// settings say how to measure.
type settings struct {
	rounds   int
	requests int           // a round; 0: as many as fit into duration
	duration time.Duration // of a server's turn in a round

	server   string // the program that serves, for all kinds of Go
	script   string // the same for Node
	scratch  string // folder for files of the run
	core     int    // of the servers, negative: any
	profiles string // folder for CPU profiles
}

// A sample is what one unit of the work took in one round.
type sample struct {
	cpu       time.Duration // of the server and its children
	children  time.Duration // the part of the children
	perSecond float64
	p50, p99  time.Duration
	units     int
}

// A row is a server with its samples, one of each round.
type row struct {
	server  server
	process *proc.Process
	work    *workload
	units   int // a round
	samples []sample
}

// leastUnits is how many units a round has at least, for each client.
const leastUnits = 2

// measure runs a scenario: a warm-up, then rounds in which each server has its
// turn, every round beginning with another one.
func (b *bed) measure(ctx context.Context, s scenario) ([]*row, error) {
	var rows []*row
	for _, server := range s.servers {
		p, err := b.process(ctx, server.kind, server.set)
		if err != nil {
			return nil, err
		}
		w, err := newWorkload(ctx, p.URL, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", server.name, err)
		}
		rows = append(rows, &row{server: server, process: p, work: w})
	}
	for _, r := range rows {
		if err := r.warmUp(ctx, b.settings); err != nil {
			return nil, fmt.Errorf("%s: %w", r.server.name, err)
		}
	}
	for round := range b.settings.rounds {
		for i := range rows {
			r := rows[(round+i)%len(rows)]
			if err := r.turn(ctx); err != nil {
				return nil, fmt.Errorf("%s: %w", r.server.name, err)
			}
		}
	}
	return rows, nil
}

// warmUp works for a while and settles how much a round is.
func (r *row) warmUp(ctx context.Context, s settings) error {
	clients, err := r.work.connect(ctx)
	if err != nil {
		return err
	}
	defer clients.close()
	p, err := clients.do(until(2*s.duration, r.work.clients))
	if err != nil {
		return err
	}
	if r.units = s.requests; r.units == 0 {
		r.units = max(leastUnits*r.work.clients, int(float64(p.units)*s.duration.Seconds()/p.wall.Seconds()))
	}
	return nil
}

// turn is one server's part of a round.
func (r *row) turn(ctx context.Context) error {
	clients, err := r.work.connect(ctx)
	if err != nil {
		return err
	}
	defer clients.close()
	before, err := r.process.Clock()
	if err != nil {
		return err
	}
	p, err := clients.do(times(r.units))
	if err != nil {
		return err
	}
	after, err := r.process.Clock()
	if err != nil {
		return err
	}
	own, children := after.Since(before)
	r.samples = append(r.samples, sample{
		cpu:       (own + children) / time.Duration(p.units),
		children:  children / time.Duration(p.units),
		perSecond: float64(p.units) / p.wall.Seconds(),
		p50:       p.quantile(0.50),
		p99:       p.quantile(0.99),
		units:     p.units,
	})
	return nil
}

// A bed has the servers, each of which runs from when it is first needed.
type bed struct {
	settings  settings
	processes map[server]*proc.Process
	api       *proc.Process // what the tools of forecast.Set call; nil: not needed so far
}

func (b *bed) process(ctx context.Context, kind, set string) (*proc.Process, error) {
	key := server{kind: kind, set: set}
	if p := b.processes[key]; p != nil {
		return p, nil
	}
	var environment []string
	command := []string{b.settings.server, "-kind", kind, "-tools", set}
	if kind == typescriptKind {
		command = []string{"node", b.settings.script, set}
		environment = []string{"NODE_ENV=production"}
	} else if b.settings.profiles != "" && kind != servers.Echo {
		command = append(command, "-cpuprofile", filepath.Join(b.settings.profiles, kind+"-"+set+".pprof"))
	}
	if set == forecast.Set {
		if err := b.startAPI(ctx); err != nil {
			return nil, err
		}
		environment = append(environment, forecast.Environment(b.api.URL, b.settings.authority())...)
	}
	p, err := proc.Start(ctx, b.settings.core, environment, command...)
	if err != nil {
		return nil, err
	}
	b.processes[key] = p
	return p, nil
}

// startAPI starts the API that tools call, on the core of the clients.
func (b *bed) startAPI(ctx context.Context) (err error) {
	if b.api == nil {
		b.api, err = proc.Start(ctx, -1, nil, b.settings.server, "-api", b.settings.authority())
	}
	return err
}

// authority is the file with the certificate of whom the API's clients trust.
func (s settings) authority() string { return filepath.Join(s.scratch, "authority.pem") }

// close stops everything.
func (b *bed) close() {
	b.release(nil)
	if b.api != nil {
		b.api.Stop()
	}
}

// release stops the servers that none of the scenarios needs.
func (b *bed) release(coming []scenario) {
	needed := map[server]bool{}
	for _, s := range coming {
		for _, each := range s.servers {
			needed[server{kind: each.kind, set: each.set}] = true
		}
	}
	for key, p := range b.processes {
		if !needed[key] {
			p.Stop()
			delete(b.processes, key)
		}
	}
}
