package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kervan-mcp/kervan/bench/internal/forecast"
	"github.com/kervan-mcp/kervan/bench/internal/servers"
	"github.com/kervan-mcp/kervan/bench/internal/work"
)

// typescriptKind is the one server that is not a Go program.
const typescriptKind = "typescript"

var (
	defaultPeers = []string{servers.Kervan, servers.GoSDK, servers.GoSDKTyped, servers.MCPGo, typescriptKind, servers.Echo}
	allPeers     = append(slices.Clone(defaultPeers), servers.MCPGoBoth)
)

// A scenario is work for a number of clients in an era.
type scenario struct {
	name    string
	era     work.Era
	clients int

	set    string // of tools, in each server
	call   *work.Call
	listed int // how many tools are listed, if nothing is called

	// servers are the rows of the table; ratios refer to the first one.
	servers []server
	// goals say for some servers how much of their processor time Kervan may use.
	goals map[string]float64
	// within, if positive, is how far the ratio of the second server may be from 1.
	within float64
}

// A server is a row of a table.
type server struct {
	name string
	kind string
	set  string
}

func (s scenario) title() string {
	clients := "1 client"
	if s.clients > 1 {
		clients = fmt.Sprintf("%d clients", s.clients)
	}
	return fmt.Sprintf("%s, %s, %s", s.name, s.era, clients)
}

// What Kervan may use at most of a peer's processor time.
var (
	callGoals  = map[string]float64{servers.GoSDKTyped: 0.20, servers.MCPGo: 0.70, typescriptKind: 0.08, servers.Echo: 1.2}
	orderGoals = map[string]float64{servers.GoSDKTyped: 0.15, servers.MCPGo: 0.35, servers.Echo: 1.0}
	listGoals  = map[string]float64{servers.GoSDKTyped: 0.02, servers.MCPGo: 0.10}
	// yamlGoals compare tools of a kervan.yaml with the same ones written by hand.
	yamlGoals = map[string]float64{servers.Kervan: 1.5}
)

// names are what -scenarios may say.
var names = []string{"call/add", "call/order", "list/200", "list/5000", "yaml/select", "yaml/raw", "registered"}

// A choice is what the flags select.
type choice struct {
	scenarios []string // names, or the part before the slash
	eras      []work.Era
	clients   []int
	peers     []string
}

// selected returns the scenarios of a choice, those with the same tools together.
func (c choice) selected() []scenario {
	var all []scenario
	for _, name := range names {
		if !c.wants(name) {
			continue
		}
		for _, clients := range c.clientsFor(name) {
			for _, e := range c.eras {
				all = append(all, c.scenario(name, e, clients))
			}
		}
	}
	return all
}

func (c choice) wants(name string) bool {
	group, _, _ := strings.Cut(name, "/")
	return slices.Contains(c.scenarios, name) || slices.Contains(c.scenarios, group)
}

// clientsFor returns how many clients a scenario is run with, each number once.
// Lists are read by one client, and registered is compared under load.
func (c choice) clientsFor(name string) []int {
	switch {
	case strings.HasPrefix(name, "list/"):
		return []int{1}
	case name == "registered":
		return []int{slices.Max(c.clients)}
	}
	return c.clients
}

func (c choice) scenario(name string, e work.Era, clients int) scenario {
	s := scenario{name: name, era: e, clients: clients}
	switch name {
	case "call/add":
		s.set, s.call, s.goals = "call", work.Add, callGoals
	case "call/order":
		s.set, s.call, s.goals = "call", work.Order, orderGoals
	case "list/200":
		s.set, s.listed, s.goals = "200", 200, listGoals
	case "list/5000":
		s.set, s.listed, s.goals = "5000", 5000, listGoals
	case "yaml/select":
		return c.yaml(s, forecast.Select)
	case "yaml/raw":
		return c.yaml(s, forecast.Raw)
	case "registered":
		s.call, s.within = work.Add, 0.10
		s.servers = []server{
			{"kervan, 1 tool", servers.Kervan, "add"},
			{"kervan, 5,000 tools", servers.Kervan, "add-of-5000"},
		}
		return s
	}
	for _, peer := range c.peers {
		s.servers = append(s.servers, server{peer, peer, s.set})
	}
	return s
}

// yaml fills in a scenario of tools that call an API.
func (c choice) yaml(s scenario, call *work.Call) scenario {
	s.call, s.goals = call, yamlGoals
	s.servers = []server{
		{"kervan.yaml", servers.YAML, forecast.Set},
		{"kervan, by hand", servers.Kervan, forecast.Set},
	}
	if slices.Contains(c.peers, typescriptKind) {
		s.servers = append(s.servers, server{"typescript, by hand", typescriptKind, forecast.Set})
	}
	return s
}
