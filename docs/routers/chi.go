package routers

import (
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/kervan-mcp/kervan/transport"
)

func chiRouter(mcp *transport.Handler) http.Handler {
	r := chi.NewRouter()
	r.Use(middleware.RequestID)
	r.Handle("/s/{tenant}/mcp", mcp)
	return r
}
