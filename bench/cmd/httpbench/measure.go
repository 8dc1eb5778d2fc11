package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/kervan-mcp/kervan/bench/internal/servers"
)

// settings say how to measure.
type settings struct {
	rounds   int
	requests int           // a round; 0: as many as fit into duration
	duration time.Duration // of a server's turn in a round

	server   string // the program that serves, for all kinds of Go
	script   string // the same for Node
	core     int    // of the servers, negative: any
	profiles string // folder for CPU profiles
}

// A sample is what one unit of the work took in one round.
type sample struct {
	cpu       time.Duration
	perSecond float64
	p50, p99  time.Duration
	units     int
}

// A row is a server with its samples, one of each round.
type row struct {
	server  server
	process *process
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
		w, err := newWorkload(ctx, p.url, s)
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
	before, err := r.process.cpu()
	if err != nil {
		return err
	}
	p, err := clients.do(times(r.units))
	if err != nil {
		return err
	}
	after, err := r.process.cpu()
	if err != nil {
		return err
	}
	r.samples = append(r.samples, sample{
		cpu:       after.since(before) / time.Duration(p.units),
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
	processes map[server]*process
}

func (b *bed) process(ctx context.Context, kind, set string) (*process, error) {
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
	p, err := start(ctx, b.settings.core, environment, command...)
	if err != nil {
		return nil, err
	}
	b.processes[key] = p
	return p, nil
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
			p.stop()
			delete(b.processes, key)
		}
	}
}
