package kervan

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// logLevels are the protocol's levels and where they begin in slog's.
var logLevels = map[mcp.LoggingLevel]slog.Level{
	"debug":     slog.LevelDebug,
	"info":      slog.LevelInfo,
	"notice":    slog.LevelInfo + 2,
	"warning":   slog.LevelWarn,
	"error":     slog.LevelError,
	"critical":  slog.LevelError + 2,
	"alert":     slog.LevelError + 4,
	"emergency": slog.LevelError + 6,
}

// protocolLevel is the protocol's level of a record: the highest that begins
// at or below it.
func protocolLevel(l slog.Level) mcp.LoggingLevel {
	name, begin := mcp.LoggingLevel("debug"), slog.LevelDebug
	for candidate, level := range logLevels {
		if level <= l && level > begin {
			name, begin = candidate, level
		}
	}
	return name
}

// A clientHandler is a slog.Handler that also sends records to the client of
// a call.
type clientHandler struct {
	next   slog.Handler
	sends  *sender
	min    slog.Level
	attrs  []slog.Attr // with the names of open groups in front
	prefix string
}

func (h *clientHandler) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= h.min || h.next.Enabled(ctx, l)
}

func (h *clientHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= h.min {
		data := map[string]any{}
		for _, a := range h.attrs {
			data[a.Key] = a.Value.Resolve().Any()
		}
		r.Attrs(func(a slog.Attr) bool {
			data[h.prefix+a.Key] = a.Value.Resolve().Any()
			return true
		})
		for key, v := range data {
			data[key] = loggable(v)
		}
		h.sends.log(protocolLevel(r.Level), map[string]any{"message": r.Message, "data": data})
	}
	if !h.next.Enabled(ctx, r.Level) {
		return nil
	}
	return h.next.Handle(ctx, r)
}

func (h *clientHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *h
	c.next = h.next.WithAttrs(attrs)
	c.attrs = append([]slog.Attr(nil), h.attrs...)
	for _, a := range attrs {
		a.Key = h.prefix + a.Key
		c.attrs = append(c.attrs, a)
	}
	return &c
}

func (h *clientHandler) WithGroup(name string) slog.Handler {
	c := *h
	c.next = h.next.WithGroup(name)
	c.prefix = h.prefix + name + "."
	return &c
}

// loggable makes v something that marshals and gives no error text away.
func loggable(v any) (shown any) {
	defer func() {
		if recover() != nil { // a String method of the user's
			shown = "unprintable"
		}
	}()
	switch v := v.(type) {
	case *ToolError:
		return v.Error()
	case error:
		return textInternal
	case nil, bool, int64, uint64:
		return v
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return v
		}
	case string:
		return strings.ToValidUTF8(v, "\uFFFD")
	case fmt.Stringer:
		return strings.ToValidUTF8(v.String(), "\uFFFD")
	}
	if holdsError(reflect.ValueOf(v), 0) {
		return textInternal
	}
	return strings.ToValidUTF8(slog.AnyValue(v).String(), "\uFFFD")
}

// A safeHandler keeps a panic of the user's slog.Handler, or of a value that it
// prints, from ending the process: what is logged may be a panic already.
type safeHandler struct{ next slog.Handler }

func (h safeHandler) Enabled(ctx context.Context, l slog.Level) (on bool) {
	defer func() {
		if recover() != nil {
			on = false
		}
	}()
	return h.next.Enabled(ctx, l)
}

func (h safeHandler) Handle(ctx context.Context, r slog.Record) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the log handler panicked")
		}
	}()
	return h.next.Handle(ctx, r)
}

func (h safeHandler) WithAttrs(attrs []slog.Attr) (with slog.Handler) {
	defer func() {
		if recover() != nil {
			with = h
		}
	}()
	return safeHandler{h.next.WithAttrs(attrs)}
}

func (h safeHandler) WithGroup(name string) (with slog.Handler) {
	defer func() {
		if recover() != nil {
			with = h
		}
	}()
	return safeHandler{h.next.WithGroup(name)}
}
