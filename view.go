package kervan

import (
	"bytes"
	"context"
	"encoding/base64"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// pageSize is how many tools one page of a list holds (rule 2.6): clients
// that ignore cursors see all of a usual server.
const pageSize = 1000

// A view is a registry at one time, ready to serve.
type view struct {
	tools  []*RegisteredTool
	byName map[string]*entry
	list   []byte   // all tools as JSON, joined by commas
	pages  [][]byte // the same in pages
}

// view returns the current view, building it when the registry has changed.
func (p *projection) view() *view {
	tools := p.source.Tools()
	if v := p.current.Load(); v != nil && sameSlice(v.tools, tools) {
		return v
	}
	p.build.Lock()
	defer p.build.Unlock()
	old := p.current.Load()
	if old != nil && (sameSlice(old.tools, tools) || slices.Equal(old.tools, tools)) {
		return old
	}
	v := newView(tools, old)
	for _, t := range tools {
		p.app.note(t)
	}
	p.current.Store(v)
	return v
}

// sameSlice reports whether a and b are the same elements in the same place.
func sameSlice(a, b []*RegisteredTool) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// newView indexes and encodes tools; entries of tools that old has too are
// taken over with their chains.
func newView(tools []*RegisteredTool, old *view) *view {
	v := &view{tools: tools, byName: make(map[string]*entry, len(tools))}
	for _, t := range tools {
		v.byName[t.info.Name] = takeEntry(t, old)
	}
	v.list, v.pages = encodePages(tools)
	return v
}

// encodePages joins the JSON of tools, and parts it into pages.
func encodePages(tools []*RegisteredTool) (list []byte, pages [][]byte) {
	size := 0
	for _, t := range tools {
		size += len(t.advertised) + 1
	}
	list = make([]byte, 0, size)
	start := 0
	for i, t := range tools {
		if i%pageSize != 0 {
			list = append(list, ',')
		} else if i > 0 {
			pages = append(pages, list[start:])
			start = len(list)
		}
		list = append(list, t.advertised...)
	}
	return list, append(pages, list[start:])
}

func takeEntry(t *RegisteredTool, old *view) *entry {
	if old != nil {
		if e := old.byName[t.info.Name]; e != nil && e.tool == t {
			return e
		}
	}
	return &entry{tool: t}
}

// listTools answers tools/list from the view.
func (p *projection) listTools(ctx context.Context, r *mcp.ServerRequest[*mcp.ListToolsParams]) (mcp.Result, error) {
	cursor := ""
	if r.Params != nil {
		cursor = r.Params.Cursor
	}
	return p.listPage(ctx, cursor, r.ProtocolVersion() >= modernVersion)
}

// listPage is the page of the list that a cursor leads to.
func (p *projection) listPage(ctx context.Context, cursor string, modern bool) (mcp.Result, error) {
	v := p.view()
	pages := v.pages
	if p.app.settings.visible != nil {
		_, pages = encodePages(p.visibleTools(ctx, v))
	}
	page := 0
	if cursor != "" {
		var ok bool
		if page, ok = readCursor(cursor); !ok || page >= len(pages) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: textBadCursor}
		}
	}
	res := &listResult{frame: p, tools: pages[page], modern: modern}
	res.ttl, res.scope = cacheHint(ctx)
	if page+1 < len(pages) {
		res.next = writeCursor(page + 1)
	}
	return res, nil
}

func (p *projection) visibleTools(ctx context.Context, v *view) []*RegisteredTool {
	tools := make([]*RegisteredTool, 0, len(v.tools))
	for _, t := range v.tools {
		if p.app.visible(ctx, t) {
			tools = append(tools, t)
		}
	}
	return tools
}

func writeCursor(page int) string {
	return base64.RawURLEncoding.EncodeToString([]byte("page:" + strconv.Itoa(page)))
}

// readCursor reads what writeCursor wrote, and nothing else.
func readCursor(cursor string) (int, bool) {
	data, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(data) < 6 || string(data[:5]) != "page:" {
		return 0, false
	}
	page, err := strconv.Atoi(string(data[5:]))
	return page, err == nil && page > 0 && writeCursor(page) == cursor
}

// A listResult is a page of tools whose JSON was made before.
type listResult struct {
	mcp.ResultBase
	frame  *projection
	tools  []byte
	next   string
	ttl    int
	scope  string
	modern bool
}

// MarshalJSON writes the result for the client's era.
func (r *listResult) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, len(r.tools)+len(r.frame.app.identity.Load().encoded)+256)
	b = r.frame.appendMeta(append(b, '{'), nil, r.Meta)
	b = append(append(append(b, `"tools":[`...), r.tools...), ']')
	if r.next != "" {
		b = jsonx.AppendString(append(b, `,"nextCursor":`...), r.next)
	}
	if r.modern {
		b = strconv.AppendInt(append(b, `,"ttlMs":`...), int64(r.ttl), 10)
		b = jsonx.AppendString(append(b, `,"cacheScope":`...), r.scope)
		b = append(b, `,"resultType":"complete"`...)
	}
	return append(b, '}'), nil
}

// A callResult is the answer of a call whose JSON was made before.
type callResult struct {
	mcp.ResultBase
	frame  *projection
	answer *answer
	modern bool
}

// MarshalJSON writes the result for the client's era.
func (r *callResult) MarshalJSON() ([]byte, error) {
	a := r.answer
	b := make([]byte, 0, len(a.content)+len(a.structured)+len(r.frame.app.identity.Load().encoded)+128)
	b = r.frame.appendMeta(append(b, '{'), a.meta, r.Meta)
	b = append(append(b, `"content":`...), a.content...)
	if a.structured != nil {
		b = append(append(b, `,"structuredContent":`...), a.structured...)
	}
	if a.isError {
		b = append(b, `,"isError":true`...)
	}
	if r.modern {
		b = append(b, `,"resultType":"complete"`...)
	}
	return append(b, '}'), nil
}

// appendMeta writes the _meta member and a comma, if there is any: the members
// that were encoded before, and the server's info if the SDK put it into sdk.
func (p *projection) appendMeta(b, members []byte, sdk map[string]any) []byte {
	_, announce := sdk[mcp.MetaKeyServerInfo]
	announce = announce && !bytes.Contains(members, []byte(serverInfoKey))
	if !announce && len(members) == 0 {
		return b
	}
	b = append(b, `"_meta":{`...)
	if announce {
		b = append(append(b, serverInfoKey...), p.app.identity.Load().encoded...)
		if len(members) > 0 {
			b = append(b, ',')
		}
	}
	return append(append(b, members...), `},`...)
}

// serverInfoKey begins the member in which a server names itself.
const serverInfoKey = `"` + mcp.MetaKeyServerInfo + `":`
