package main

import (
	"context"
	"strings"
	"sync"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

// tenants are fixed here. Where they come and go, keep them in a map under a
// lock, so that a tenant always gets the same registry object.
type tenants map[string]*tenant

// resolve chooses the tools of a request by who was authenticated, never by
// something that the client could have made up.
func (t tenants) resolve(_ context.Context, r *transport.Request) (kervan.Registry, error) {
	tenant, ok := t[tenantOf(r.Auth)]
	if !ok {
		return nil, transport.ErrForbidden
	}
	r.Name = tenant.name
	return &tenant.tools, nil
}

// A tenant is a customer with tools and data of its own.
type tenant struct {
	name  string
	tools kervan.MemoryRegistry

	mu    sync.Mutex
	notes []string
}

func newTenants(names ...string) (tenants, error) {
	all := tenants{}
	for _, name := range names {
		t := &tenant{name: name}
		err := t.tools.Add(
			kervan.Tool("add_note", "Keeps a note.", t.addNote),
			kervan.Tool("install", "Installs another tool.", t.install),
		)
		if err != nil {
			return nil, err
		}
		all[name] = t
	}
	return all, nil
}

type noteIn struct {
	Text string `json:"text" jsonschema:"minLength=1,maxLength=1000"`
}

func (t *tenant) addNote(_ context.Context, in noteIn) (kervan.None, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes = append(t.notes, in.Text)
	return kervan.None{}, nil
}

type installIn struct {
	Tool string `json:"tool" jsonschema:"enum=list_notes,enum=search_notes"`
}

// install adds a tool while clients are connected; they are told of it.
func (t *tenant) install(_ context.Context, in installIn) (string, error) {
	def := kervan.Tool("list_notes", "Lists all notes.", t.listNotes).ReadOnly()
	if in.Tool == "search_notes" {
		def = kervan.Tool("search_notes", "Lists the notes that hold a text.", t.searchNotes).ReadOnly()
	}
	if err := t.tools.Add(def); err != nil {
		return "", kervan.ToolErrorf("%s is installed already", in.Tool).WithCause(err)
	}
	return in.Tool + " is installed", nil
}

func (t *tenant) listNotes(context.Context, kervan.None) ([]string, error) { return t.find(""), nil }

func (t *tenant) searchNotes(_ context.Context, in noteIn) ([]string, error) {
	return t.find(in.Text), nil
}

func (t *tenant) find(text string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var found []string
	for _, note := range t.notes {
		if strings.Contains(note, text) {
			found = append(found, note)
		}
	}
	return found
}
