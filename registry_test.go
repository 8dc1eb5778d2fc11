package kervan_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/internal/bridge"
	"github.com/kervan-mcp/kervan/kerventest"
)

// must fails the test for an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// plain makes a tool of which only name and description matter.
func plain(name, description string) *kervan.ToolDef { return kervan.Tool(name, description, ok) }

func namesOf(tools []*kervan.RegisteredTool) string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Info().Name
	}
	return strings.Join(names, " ")
}

// sameTools reports whether two lists are one slice.
func sameTools(a, b []*kervan.RegisteredTool) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// inBubble runs f in fake time, in each era.
func inBubble(t *testing.T, f func(t *testing.T, era kerventest.Option)) {
	t.Helper()
	for _, era := range []kerventest.Era{kerventest.Modern, kerventest.Legacy} {
		t.Run(string(era), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { f(t, kerventest.InEra(era)) })
		})
	}
}

// settle lets everything happen that is going to happen, in fake time.
func settle() {
	time.Sleep(time.Second)
	synctest.Wait()
}

func TestRule2_3_Identity(t *testing.T) {
	var r kervan.MemoryRegistry
	if r.Tools() != nil {
		t.Error("the zero value is empty")
	}
	must(t, r.Add(plain("a", "d"), plain("b", "d"), plain("c", "d")))
	first := r.Tools()
	if !sameTools(first, r.Tools()) {
		t.Error("nothing changed, so the slice is the same")
	}
	must(t, r.Replace(plain("b", "new")))
	second := r.Tools()
	if namesOf(second) != "a b c" {
		t.Errorf("replace keeps the position: %s", namesOf(second))
	}
	if second[0] != first[0] || second[2] != first[2] || second[1] == first[1] {
		t.Error("only the replaced tool is new")
	}
	if namesOf(first) != "a b c" || first[1].Info().Description != "d" {
		t.Error("a list that was given out does not change")
	}
	must(t, r.Add(plain("d", "d")))
	if !r.Remove("b") || r.Remove("b") || r.Remove("none") {
		t.Error("Remove reports whether there was one")
	}
	must(t, r.Add(plain("b", "again")))
	if got := r.Tools(); namesOf(got) != "a c d b" || got[0] != first[0] || got[1] != first[2] {
		t.Errorf("new ones go last: %s", namesOf(got))
	}
	last := r.Tools()
	for name, change := range map[string]func() error{
		"add of a taken name": func() error { return r.Add(plain("e", "d"), plain("a", "d")) },
		"bad definition":      func() error { return r.Add(plain("e", "d"), plain("f", "")) },
		"replace of none":     func() error { return r.Replace(plain("a", "new"), plain("none", "d")) },
		"twice in one add":    func() error { return r.Add(plain("e", "d"), plain("e", "d")) },
	} {
		if err := change(); err == nil || !sameTools(last, r.Tools()) {
			t.Errorf("%s: all or none, got %v %s", name, err, namesOf(r.Tools()))
		}
	}
	must(t, r.Add())
	if r.Remove("none") || !sameTools(last, r.Tools()) {
		t.Error("nothing changed, so the slice is the same")
	}
}

func TestRule2_4_Update(t *testing.T) {
	var r kervan.MemoryRegistry
	must(t, r.Add(plain("a", "d"), plain("b", "d")))
	before := r.Tools()
	failed := errors.New("no")
	err := r.Update(func(draft *kervan.MemoryRegistry) error {
		must(t, draft.Add(plain("c", "d")))
		if !draft.Remove("a") || namesOf(draft.Tools()) != "b c" {
			t.Errorf("the draft has its own state: %s", namesOf(draft.Tools()))
		}
		if !sameTools(before, r.Tools()) {
			t.Error("nobody sees the draft yet")
		}
		return failed
	})
	if err != failed || !sameTools(before, r.Tools()) {
		t.Errorf("an error changes nothing: %v %s", err, namesOf(r.Tools()))
	}
	func() {
		defer func() { _ = recover() }()
		_ = r.Update(func(draft *kervan.MemoryRegistry) error { draft.Remove("a"); panic("no") })
	}()
	if !sameTools(before, r.Tools()) {
		t.Error("a panic changes nothing")
	}
	var kept *kervan.MemoryRegistry
	must(t, r.Update(func(draft *kervan.MemoryRegistry) error {
		kept = draft
		draft.Remove("a")
		return errors.Join(draft.Add(plain("a", "new"), plain("c", "d")), draft.Replace(plain("b", "new")))
	}))
	after := r.Tools()
	if namesOf(after) != "b a c" {
		t.Errorf("the update took effect: %s", namesOf(after))
	}
	kept.Remove("a")
	if !sameTools(after, r.Tools()) {
		t.Error("a draft is nothing any more once Update has returned")
	}
	must(t, r.Update(func(*kervan.MemoryRegistry) error { return nil }))
	if !sameTools(after, r.Tools()) {
		t.Error("an update of nothing changes nothing")
	}
}

func TestRule5_12_Sync(t *testing.T) {
	var r kervan.MemoryRegistry
	a, b, c := plain("a", "d"), plain("b", "d"), plain("c", "d")
	must(t, r.Add(plain("x", "d")))
	must(t, r.Sync("file", a, b, c))
	must(t, r.Add(plain("y", "d")))
	first := r.Tools()
	if namesOf(first) != "x a b c y" || first[1].Info().Owner != "file" || first[0].Info().Owner != nil {
		t.Fatalf("got %s", namesOf(first))
	}
	must(t, r.Sync("file", a, b, c))
	if !sameTools(first, r.Tools()) {
		t.Error("the same definitions change nothing")
	}
	b2 := plain("b", "new")
	must(t, r.Sync("file", c, b2, a, plain("d", "d"), plain("e", "d")))
	second := r.Tools()
	if namesOf(second) != "x c b a d e y" || second[1] != first[3] || second[3] != first[1] || second[2] == first[2] || second[0] != first[0] {
		t.Errorf("order follows the definitions, and equal ones keep their tool: %s", namesOf(second))
	}
	must(t, r.Sync("other", plain("z", "d")))
	must(t, r.Sync("file", b2))
	if got := namesOf(r.Tools()); got != "x b y z" {
		t.Errorf("what the owner had and lacks now is gone, and nothing else: %s", got)
	}
	last := r.Tools()
	for name, defs := range map[string][]*kervan.ToolDef{
		"a foreign name":            {b2, plain("x", "d")},
		"another owner's name":      {plain("z", "d")},
		"the same definition twice": {b2, b2},
		"one name twice":            {plain("f", "d"), plain("f", "d")},
		"a bad definition":          {plain("f", ""), b2},
		"no definition":             {nil},
	} {
		if err := r.Sync("file", defs...); err == nil || !sameTools(last, r.Tools()) {
			t.Errorf("%s: an error, and nothing changes; got %v, %s", name, err, namesOf(r.Tools()))
		}
	}
	if err := r.Sync("file", plain("x", "d")); !errors.Is(err, &kervan.DefinitionError{Code: kervan.DuplicateTool}) {
		t.Errorf("got %v", err)
	}
	if err := r.Sync(nil); !errors.Is(err, &kervan.DefinitionError{Code: kervan.InvalidAppOptions}) {
		t.Errorf("no owner would be the owner of all others' tools: %v", err)
	}
	must(t, r.Sync("file"))
	if got := namesOf(r.Tools()); got != "x y z" {
		t.Errorf("got %s", got)
	}
	must(t, r.Replace(plain("z", "mine")))
	if err := r.Sync("other", plain("z", "theirs")); err == nil {
		t.Error("a tool that was replaced by another is not the owner's any more")
	}
}

// TestRefusedDefinitionIsNotInUse: a definition that was not registered may
// still be corrected.
func TestRefusedDefinitionIsNotInUse(t *testing.T) {
	var r kervan.MemoryRegistry
	must(t, r.Add(plain("taken", "d")))
	double, lonely, refusedWithIt := plain("taken", "d"), plain("none", "d"), plain("good", "d")
	if r.Add(double) == nil || r.Replace(lonely) == nil || r.Add(refusedWithIt, plain("bad name", "d")) == nil {
		t.Fatal("want three refusals")
	}
	dropped := plain("dropped", "d")
	if r.Update(func(draft *kervan.MemoryRegistry) error { return errors.Join(draft.Add(dropped), errors.New("no")) }) == nil {
		t.Fatal("want the error of the update")
	}
	must(t, r.Add(double.Rename("double"), lonely.Rename("lonely"), refusedWithIt.ReadOnly(), dropped.Rename("picked_up")))
	if got := namesOf(r.Tools()); got != "taken double lonely good picked_up" {
		t.Error(got)
	}
}

func TestRule2_5_Subscribers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		app, rec := newApp()
		r := app.Registry()
		var calls [3]atomic.Int64
		one := r.Subscribe(func() { calls[0].Add(1) })
		two := r.Subscribe(func() { calls[1].Add(1); panic("a subscriber " + secret) })
		three := r.Subscribe(func() { calls[2].Add(1) })
		change := func(want ...int64) {
			t.Helper()
			must(t, app.AddTool(plain(fmt.Sprint("t", len(r.Tools())), "d")))
			settle()
			for i, n := range want {
				if got := calls[i].Load(); got != n {
					t.Errorf("subscriber %d ran %d times, want %d", i, got, n)
				}
			}
		}
		change(1, 1, 1)
		wantContains(t, rec.logs(), "a subscriber of a registry panicked", "hunter2")
		one()
		one()
		change(1, 2, 2)
		again := r.Subscribe(func() { calls[0].Add(1) })
		one() // of another subscription
		change(2, 3, 3)
		again()
		two()
		three()
		change(2, 3, 3)
	})
}

// TestRule2_5_UnsubscribedInTheBurst: who left before the burst was over does
// not hear of it.
func TestRule2_5_UnsubscribedInTheBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r kervan.MemoryRegistry
		var gone, stays atomic.Int64
		leave := r.Subscribe(func() { gone.Add(1) })
		r.Subscribe(func() { stays.Add(1) })
		must(t, r.Add(plain("a", "d")))
		leave()
		settle()
		if gone.Load() != 0 || stays.Load() != 1 {
			t.Errorf("%d and %d callbacks", gone.Load(), stays.Load())
		}
	})
}

// TestRule2_4_Coalescing measures in fake time: one callback for a burst,
// within 10 ms of its last change and 100 ms of its first.
func TestRule2_4_Coalescing(t *testing.T) {
	tests := map[string]struct {
		changes  int
		every    time.Duration
		min, max int // callbacks
	}{
		"one change":      {1, 0, 1, 1},
		"all at once":     {100, 0, 1, 1},
		"a dense burst":   {20, time.Millisecond, 1, 1},
		"constant change": {500, time.Millisecond, 5, 13},
		"far apart":       {5, 50 * time.Millisecond, 5, 5},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var r kervan.MemoryRegistry
				var mu sync.Mutex
				var told []time.Time
				r.Subscribe(func() {
					mu.Lock()
					defer mu.Unlock()
					told = append(told, time.Now())
				})
				var changed []time.Time
				for i := range tt.changes {
					if i > 0 {
						time.Sleep(tt.every)
					}
					must(t, r.Add(plain(fmt.Sprint("t", i), "d")))
					changed = append(changed, time.Now())
				}
				last := time.Now()
				settle()
				mu.Lock()
				defer mu.Unlock()
				if len(told) < tt.min || len(told) > tt.max {
					t.Fatalf("%d callbacks for %d changes, want %d to %d", len(told), tt.changes, tt.min, tt.max)
				}
				if d := told[len(told)-1].Sub(last); d < 0 || d > 10*time.Millisecond {
					t.Errorf("the last callback came %v after the last change", d)
				}
				for _, at := range changed { // each is told of within 100 ms
					i := slices.IndexFunc(told, func(when time.Time) bool { return !when.Before(at) })
					if i < 0 || told[i].Sub(at) > 100*time.Millisecond {
						t.Fatalf("a change at %v was not told of in time", at.Sub(changed[0]))
					}
				}
			})
		})
	}
}

// TestRule2_4_UpdateIsOneChange, however long it takes.
func TestRule2_4_UpdateIsOneChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r kervan.MemoryRegistry
		var calls atomic.Int64
		r.Subscribe(func() { calls.Add(1) })
		must(t, r.Update(func(draft *kervan.MemoryRegistry) error {
			for i := range 5 {
				must(t, draft.Add(plain(fmt.Sprint("t", i), "d")))
				time.Sleep(time.Second)
			}
			return nil
		}))
		settle()
		if calls.Load() != 1 {
			t.Errorf("%d callbacks", calls.Load())
		}
		if r.Remove("none") || r.Update(func(*kervan.MemoryRegistry) error { return nil }) != nil {
			t.Error("nothing to do")
		}
		settle()
		if calls.Load() != 1 {
			t.Errorf("%d callbacks, though nothing changed", calls.Load())
		}
	})
}

// TestRule2_4_ListChanged: clients of both eras are told once for a burst, and
// only if their list differs.
func TestRule2_4_ListChanged(t *testing.T) {
	tests := []struct {
		name   string
		change func(t *testing.T, app *kervan.App, r *kervan.MemoryRegistry)
		want   int
	}{
		{"first tool", func(t *testing.T, app *kervan.App, _ *kervan.MemoryRegistry) { must(t, app.AddTool(plain("a", "d"))) }, 1},
		{"equal replacement", func(t *testing.T, app *kervan.App, _ *kervan.MemoryRegistry) {
			must(t, app.ReplaceTool(plain("a", "d")))
		}, 0},
		{"another handler", func(t *testing.T, app *kervan.App, _ *kervan.MemoryRegistry) {
			must(t, app.ReplaceTool(kervan.Tool("a", "d", func(context.Context, kervan.None) (string, error) { return "other", nil }).Timeout(time.Minute)))
		}, 0},
		{"another description", func(t *testing.T, app *kervan.App, _ *kervan.MemoryRegistry) {
			must(t, app.ReplaceTool(plain("a", "better")))
		}, 1},
		{"another hint", func(t *testing.T, app *kervan.App, _ *kervan.MemoryRegistry) {
			must(t, app.ReplaceTool(plain("a", "better").ReadOnly()))
		}, 1},
		{"there and back", func(t *testing.T, app *kervan.App, _ *kervan.MemoryRegistry) {
			must(t, app.ReplaceTool(plain("a", "worse")))
			must(t, app.ReplaceTool(plain("a", "better").ReadOnly()))
		}, 0},
		{"add and remove in one burst", func(t *testing.T, app *kervan.App, _ *kervan.MemoryRegistry) {
			must(t, app.AddTool(plain("b", "d")))
			if !app.RemoveTool("b") {
				t.Error("not removed")
			}
		}, 0},
		{"remove nothing", func(t *testing.T, app *kervan.App, _ *kervan.MemoryRegistry) {
			if app.RemoveTool("none") {
				t.Error("removed")
			}
		}, 0},
		{"500 tools", func(t *testing.T, app *kervan.App, _ *kervan.MemoryRegistry) {
			for i := range 500 {
				must(t, app.AddTool(plain(fmt.Sprint("t", i), "d")))
			}
		}, 1},
		{"another order", func(t *testing.T, _ *kervan.App, r *kervan.MemoryRegistry) {
			must(t, r.Update(func(draft *kervan.MemoryRegistry) error {
				draft.Remove("a")
				return draft.Add(plain("a", "better").ReadOnly())
			}))
		}, 1},
		{"refused", func(t *testing.T, app *kervan.App, _ *kervan.MemoryRegistry) {
			if app.AddTool(plain("a", "d")) == nil {
				t.Error("not refused")
			}
		}, 0},
		{"two bursts", func(t *testing.T, app *kervan.App, _ *kervan.MemoryRegistry) {
			must(t, app.AddTool(plain("u", "d")))
			settle()
			must(t, app.AddTool(plain("v", "d")))
		}, 2},
	}
	inBubble(t, func(t *testing.T, era kerventest.Option) {
		app, rec := newApp()
		r := app.Registry().(*kervan.MemoryRegistry)
		c := kerventest.New(t, app, era)
		if caps := c.Session().InitializeResult().Capabilities; caps.Tools == nil || !caps.Tools.ListChanged {
			t.Errorf("an empty app has the listChanged capability too: %+v", caps)
		}
		if names := c.ToolNames(); len(names) != 0 {
			t.Errorf("tools %v", names)
		}
		wantContains(t, c.Exchange(), `"tools":[]`)
		told := 0
		for _, tt := range tests {
			before := c.ListChanges()
			tt.change(t, app, r)
			settle()
			if got := c.ListChanges() - before; got != tt.want {
				t.Errorf("%s: %d list_changed, want %d", tt.name, got, tt.want)
			}
			told += tt.want
		}
		sent := 0
		for _, e := range eventsOf[kervan.RegistryEvent](rec) {
			if e.ListChanged {
				sent++
			}
		}
		if sent != told {
			t.Errorf("%d events say that clients were told, want %d", sent, told)
		}
		if got := strings.Count(c.Exchange(), "notifications/tools/list_changed"); got != told {
			t.Errorf("%d notifications on the wire, want %d", got, told)
		}
		if names := c.ToolNames(); len(names) != 503 || names[500] != "a" {
			t.Errorf("%d tools, %v at the end", len(names), names[len(names)-3:])
		}
	})
}

// TestRule2_4_EveryClientIsTold, and one that came later is not told of what
// it has seen.
func TestRule2_4_EveryClientIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		app, _ := newApp()
		first := kerventest.New(t, app)
		second := kerventest.New(t, app, kerventest.InEra(kerventest.Legacy))
		must(t, app.AddTool(plain("a", "d")))
		settle()
		late := kerventest.New(t, app)
		must(t, app.AddTool(plain("b", "d")))
		settle()
		if first.ListChanges() != 2 || second.ListChanges() != 2 || late.ListChanges() != 1 {
			t.Errorf("%d, %d and %d", first.ListChanges(), second.ListChanges(), late.ListChanges())
		}
	})
}

// TestRule2_6_Pages: registration order, 1,000 tools a page.
func TestRule2_6_Pages(t *testing.T) {
	t.Parallel()
	want := make([]string, 2500)
	defs := make([]*kervan.ToolDef, len(want))
	for i := range want {
		want[i] = fmt.Sprintf("t%04d", (i*7919)%len(want)) // not in alphabetical order
		defs[i] = kervan.RawTool(want[i], "d", nil, echo)
	}
	var r kervan.MemoryRegistry
	must(t, r.Add(defs...))
	app, _ := newApp(kervan.WithRegistry(&r))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		var sizes []int
		var got, cursors []string
		cursor := ""
		for {
			res, err := c.Session().ListTools(context.Background(), &mcp.ListToolsParams{Cursor: cursor})
			must(t, err)
			sizes = append(sizes, len(res.Tools))
			for _, tool := range res.Tools {
				got = append(got, tool.Name)
			}
			if res.NextCursor == "" {
				break
			}
			if slices.Contains(cursors, res.NextCursor) {
				t.Fatalf("the cursor %q came twice", res.NextCursor)
			}
			cursor = res.NextCursor
			cursors = append(cursors, cursor)
		}
		if !slices.Equal(sizes, []int{1000, 1000, 500}) || !slices.Equal(got, want) {
			t.Errorf("pages of %v, in order: %v", sizes, slices.Equal(got, want))
		}
		encode := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
		for _, bad := range []string{
			"garbage", " ", "0", "1", cursors[0] + "=", cursors[0] + "\n", " " + cursors[0], strings.ToLower(cursors[0]), strings.Repeat("x", 100_000),
			encode("page:0"), encode("page:-1"), encode("page:3"), encode("page:+1"), encode("page:01"), encode("page:1 "), encode("page:99999999999999999999"), encode("page:"), encode("page"),
		} {
			_, err := c.Session().ListTools(context.Background(), &mcp.ListToolsParams{Cursor: bad})
			var wire *jsonrpc.Error
			if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
				t.Errorf("cursor %.40q: want -32602, got %v", bad, err)
			}
		}
		if got := kerventest.MustCall[string](c, want[2499], rawJSON(`{}`)); got != "{}" {
			t.Errorf("a tool of the last page: %s", got)
		}
	})
}

// TestRule2_6_CursorOfAPageThatIsGone: the list may shrink between two pages.
func TestRule2_6_CursorOfAPageThatIsGone(t *testing.T) {
	var r kervan.MemoryRegistry
	defs := make([]*kervan.ToolDef, 1001)
	for i := range defs {
		defs[i] = kervan.RawTool(fmt.Sprint("t", i), "d", nil, echo)
	}
	must(t, r.Add(defs...))
	app, _ := newApp(kervan.WithRegistry(&r))
	c := kerventest.New(t, app)
	first, err := c.Session().ListTools(context.Background(), nil)
	must(t, err)
	r.Remove("t0")
	_, err = c.Session().ListTools(context.Background(), &mcp.ListToolsParams{Cursor: first.NextCursor})
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("want -32602, got %v", err)
	}
}

func TestRule2_6_ExactPage(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 1000, 1001} {
		defs := make([]*kervan.ToolDef, n)
		for i := range defs {
			defs[i] = kervan.RawTool(fmt.Sprint("t", i), "d", nil, echo)
		}
		var r kervan.MemoryRegistry
		must(t, r.Add(defs...))
		app, _ := newApp(kervan.WithRegistry(&r))
		c := kerventest.New(t, app)
		res, err := c.Session().ListTools(context.Background(), nil)
		must(t, err)
		if len(res.Tools) != min(n, 1000) || (res.NextCursor != "") != (n > 1000) {
			t.Errorf("%d tools: a page of %d, next %q", n, len(res.Tools), res.NextCursor)
		}
		if got := len(c.ToolNames()); got != n {
			t.Errorf("%d tools in all, want %d", got, n)
		}
	}
}

// A fixed registry is made of compiled tools and never changes.
type fixed struct {
	tools []*kervan.RegisteredTool
	subs  atomic.Int64
}

func (f *fixed) Tools() []*kervan.RegisteredTool { return f.tools }

func (f *fixed) Subscribe(func()) func() {
	f.subs.Add(1)
	var once sync.Once
	return func() { once.Do(func() { f.subs.Add(-1) }) }
}

// An audited registry embeds a MemoryRegistry.
type audited struct {
	kervan.MemoryRegistry
	reads atomic.Int64
}

func (a *audited) Tools() []*kervan.RegisteredTool {
	a.reads.Add(1)
	return a.MemoryRegistry.Tools()
}

func TestRule2_6a_CompiledRegistry(t *testing.T) {
	compiled, err := kervan.Compile(plain("a", "d"))
	must(t, err)
	if _, err := kervan.Compile(plain("a b", "d")); !errors.Is(err, &kervan.DefinitionError{Code: kervan.InvalidToolName}) {
		t.Errorf("Compile reports at once: %v", err)
	}
	r := &fixed{tools: []*kervan.RegisteredTool{compiled}}
	app, _ := newApp(kervan.WithRegistry(r))
	if app.Registry() != kervan.Registry(r) {
		t.Error("the app has another registry")
	}
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		if got := kerventest.MustCall[string](c, "a", nil); got != "ok" {
			t.Error(got)
		}
		if names := c.ToolNames(); !slices.Equal(names, []string{"a"}) {
			t.Error(names)
		}
	})
	for name, err := range map[string]error{"AddTool": app.AddTool(plain("b", "d")), "ReplaceTool": app.ReplaceTool(plain("a", "d"))} {
		if !errors.Is(err, &kervan.DefinitionError{Code: kervan.InvalidAppOptions}) {
			t.Errorf("%s on a registry that cannot be written to: %v", name, err)
		}
	}
	if app.RemoveTool("a") {
		t.Error("nothing was removed")
	}
	if r.subs.Load() != 1 {
		t.Errorf("%d subscriptions of one app", r.subs.Load())
	}
	bridge.Kervan().Close(app)
	bridge.Kervan().Close(app)
	if r.subs.Load() != 0 {
		t.Errorf("a closed server leaves %d subscriptions", r.subs.Load())
	}
}

// A moody registry panics when it is read in a bad mood.
type moody struct {
	kervan.MemoryRegistry
	bad atomic.Bool
}

func (m *moody) Tools() []*kervan.RegisteredTool {
	if m.bad.Load() {
		panic("a registry " + secret)
	}
	return m.MemoryRegistry.Tools()
}

// TestRule1_12_PanicInRegistry: a registry of one's own is user code; its panic
// costs one request.
func TestRule1_12_PanicInRegistry(t *testing.T) {
	if !inChild(t) {
		return
	}
	r := &moody{}
	app, rec := newApp(kervan.WithRegistry(r))
	app.Add(plain("x", "d"))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		r.bad.Store(true)
		res, err := callSoon(c, "x")
		if err == nil && !res.IsError || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("want an error, got %+v %v", res, err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
		defer cancel()
		_, err = c.Session().ListTools(ctx, nil)
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInternalError {
			t.Errorf("want -32603, got %v", err)
		}
		r.bad.Store(false)
		if got := kerventest.MustCall[string](c, "x", nil); got != "ok" {
			t.Error(got)
		}
		wantAbsent(t, c.Exchange(), "hunter2")
	})
	wantContains(t, rec.logs(), "hunter2")
}

// TestRule2_6a_ReadOnlyRegistryKeepsTheError of Add for the start.
func TestRule2_6a_ReadOnlyRegistryKeepsTheError(t *testing.T) {
	app, _ := newApp(kervan.WithRegistry(&fixed{}))
	app.Add(plain("a", "d"))
	if !errors.Is(app.Err(), &kervan.DefinitionError{Code: kervan.InvalidAppOptions}) {
		t.Error(app.Err())
	}
}

func TestRule2_6a_EmbeddingRegistry(t *testing.T) {
	inBubble(t, func(t *testing.T, era kerventest.Option) {
		r := &audited{}
		app, _ := newApp(kervan.WithRegistry(r))
		app.Add(plain("a", "d"))
		c := kerventest.New(t, app, era)
		must(t, app.AddTool(plain("b", "d")))
		must(t, r.Add(plain("c", "d")))
		settle()
		if c.ListChanges() != 1 || !slices.Equal(c.ToolNames(), []string{"a", "b", "c"}) {
			t.Errorf("%d list_changed, tools %v", c.ListChanges(), c.ToolNames())
		}
		if !app.RemoveTool("a") || r.reads.Load() == 0 {
			t.Error("the app must go through the registry that it was given")
		}
	})
}

// TestRule2_7_TwoAppsOneRegistry: each app projects it for itself.
func TestRule2_7_TwoAppsOneRegistry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r kervan.MemoryRegistry
		one, _ := newApp(kervan.WithRegistry(&r))
		two, _ := newApp(kervan.WithRegistry(&r))
		two.Use(func(next kervan.Handler) kervan.Handler {
			return func(context.Context, *kervan.Call) (*kervan.Result, error) {
				return kervan.ResultOf(kervan.Text("two")), nil
			}
		})
		a, b := kerventest.New(t, one), kerventest.New(t, two)
		must(t, one.AddTool(plain("x", "d")))
		settle()
		if a.ListChanges() != 1 || b.ListChanges() != 1 {
			t.Errorf("%d and %d list_changed", a.ListChanges(), b.ListChanges())
		}
		if got := a.Call("x", nil).Text + " " + b.Call("x", nil).Text; got != "ok two" {
			t.Error(got)
		}
	})
}

// TestRemovedToolFinishes: the calls of a tool that is taken out or replaced
// end as they began.
func TestRemovedToolFinishes(t *testing.T) {
	app, _ := newApp()
	entered, release := make(chan struct{}), make(chan struct{})
	app.Add(tool("x", func(context.Context) (string, error) {
		entered <- struct{}{}
		<-release
		return "old", nil
	}))
	c := kerventest.New(t, app)
	for _, change := range []func(){
		func() { must(t, app.ReplaceTool(plain("x", "d"))) },
		func() { app.RemoveTool("x") },
	} {
		must(t, app.ReplaceTool(tool("x", func(context.Context) (string, error) {
			entered <- struct{}{}
			<-release
			return "old", nil
		})))
		done := make(chan string)
		go func() {
			res, err := c.CallContext(context.Background(), "x", nil)
			if err != nil {
				done <- err.Error()
				return
			}
			done <- res.Text
		}()
		<-entered
		change()
		release <- struct{}{}
		if got := <-done; got != "old" {
			t.Error(got)
		}
	}
	if err := c.CallProtocolErr("x", nil); err.Code != jsonrpc.CodeInvalidParams {
		t.Error(err)
	}
}

// TestRule2_3_ChangesUnderLoad: 16 callers and a writer at once.
func TestRule2_3_ChangesUnderLoad(t *testing.T) {
	t.Parallel()
	app, rec := newApp()
	app.Add(plain("stays", "d"))
	clients := []*kerventest.Client{kerventest.New(t, app), kerventest.New(t, app, kerventest.InEra(kerventest.Legacy))}
	stop := make(chan struct{})
	var writer, callers sync.WaitGroup
	writer.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			_ = app.AddTool(plain("moves", "d"))
			_ = app.ReplaceTool(plain("moves", fmt.Sprint("d", i)))
			if i < 3 {
				app.Use(func(next kervan.Handler) kervan.Handler { return next })
			}
			app.RemoveTool("moves")
		}
	})
	for i := range 16 {
		c := clients[i%2]
		callers.Go(func() {
			for range 15 {
				if res, err := c.CallContext(context.Background(), "stays", nil); err != nil || res.Text != "ok" {
					t.Errorf("stays: %v %v", res, err)
				}
				res, err := c.CallContext(context.Background(), "moves", nil)
				var wire *jsonrpc.Error
				if err == nil && res.Text != "ok" || err != nil && (!errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams) {
					t.Errorf("moves: %v %v", res, err)
				}
				if list, err := c.Session().ListTools(context.Background(), nil); err != nil || len(list.Tools) == 0 || list.Tools[0].Name != "stays" {
					t.Errorf("list: %+v %v", list, err)
				}
			}
		})
	}
	callers.Wait()
	close(stop)
	writer.Wait()
	if got := namesOf(app.Registry().Tools()); got != "stays" {
		t.Error(got)
	}
	wantAbsent(t, rec.logs(), "panic", "masked")
}
