package main

import (
	"bytes"
	"testing"
)

// TestSoak is a soak too short to judge the heap.
func TestSoak(t *testing.T) {
	var out bytes.Buffer
	ok, err := run(t.Context(), &out, config{calls: 2000, clients: 16, seed: 1, anyHeap: true})
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		t.Error(out.String())
	}
}

func TestWeights(t *testing.T) {
	sum := 0
	for _, k := range kinds {
		sum += k.weight
	}
	if sum != 100 {
		t.Errorf("the weights add up to %d", sum)
	}
}
