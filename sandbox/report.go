package sandbox

import (
	"maps"
	"slices"
)

// A Layer is one of the things that hold a select process.
type Layer string

// The layers. Which of them exist depends on the system.
const (
	// LayerProcess: expressions are evaluated in a process of their own.
	LayerProcess Layer = "separate process"
	// LayerEnvironment: the process has no environment variables.
	LayerEnvironment Layer = "empty environment"
	// LayerWatchdog: the process ends itself when a call needs too much memory or
	// time.
	LayerWatchdog Layer = "watchdog for memory and time"
	// LayerDescriptors: the process has no files or connections of its parent.
	LayerDescriptors Layer = "closed descriptors"
	// LayerPrivileges: the process cannot gain privileges or be traced.
	LayerPrivileges Layer = "dropped privileges"
	// LayerLimits: the system bounds what the process may use.
	LayerLimits Layer = "resource limits"
	// LayerDataLimit: the system bounds the memory of the process.
	LayerDataLimit Layer = "memory limit of the system"
	// LayerSystemCalls: the system refuses all but a few calls: no network, no
	// files, no other processes.
	LayerSystemCalls Layer = "system call filter"
)

// A Report says what holds the select processes of a pool.
type Report struct {
	// Started tells whether the pool has started a process yet. Until then it is
	// not known what the system grants, and the other fields are empty.
	Started bool
	// Layers are in force, in the order in which they are set up.
	Layers []Layer
	// Missing are the layers that are not in force, with the reason.
	Missing map[Layer]string
	// Weakened tells that a layer is missing without which the pool evaluates
	// nothing unless [Options.ProcessOnly] is set.
	Weakened bool
}

// A measure is one layer, and what became of it when a process started.
type measure struct {
	Layer    Layer  `json:"layer"`
	Problem  string `json:"problem,omitempty"`  // why it is not in force
	Optional bool   `json:"optional,omitempty"` // the pool does without it
}

// measured returns the measure of a layer whose set-up returned err.
func measured(layer Layer, err error) measure {
	if err == nil {
		return measure{Layer: layer}
	}
	return measure{Layer: layer, Problem: err.Error()}
}

func newReport(measures []measure) Report {
	r := Report{Started: true, Missing: map[Layer]string{}}
	for _, m := range measures {
		if m.Problem == "" {
			r.Layers = append(r.Layers, m.Layer)
			continue
		}
		r.Missing[m.Layer] = m.Problem
		r.Weakened = r.Weakened || !m.Optional
	}
	return r
}

// clone returns a copy that shares nothing with r.
func (r Report) clone() Report {
	r.Layers = slices.Clone(r.Layers)
	r.Missing = maps.Clone(r.Missing)
	return r
}

// weakness returns the first layer that is required and missing.
func weakness(measures []measure) (measure, bool) {
	for _, m := range measures {
		if m.Problem != "" && !m.Optional {
			return m, true
		}
	}
	return measure{}, false
}
