package main

import "sync"

type order struct {
	ID      int64  `json:"id"`
	Item    string `json:"item"`
	Shipped bool   `json:"shipped"`
}

// A shop is what the service had before it spoke MCP.
type shop struct {
	mu     sync.Mutex
	orders map[int64]order
}

func newShop() *shop {
	return &shop{orders: map[int64]order{
		7: {ID: 7, Item: "tent"},
		8: {ID: 8, Item: "lantern"},
	}}
}

func (s *shop) find(id int64) (order, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.orders[id]
	return o, ok
}

func (s *shop) ship(id int64) (order, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.orders[id]
	if ok {
		o.Shipped = true
		s.orders[id] = o
	}
	return o, ok
}
