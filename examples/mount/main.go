// Mount adds MCP to a web service that has other routes already. The tools and
// the routes work on the same orders.
//
//	go run ./examples/mount
//
//	curl -s http://127.0.0.1:8080/orders/7
//	claude mcp add --transport http orders http://127.0.0.1:8080/mcp
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", "127.0.0.1:8080")
	if err == nil {
		err = serve(ctx, listener, newShop())
	}
	if err != nil {
		log.Fatal(err)
	}
}

// newMux returns all routes of the service.
func newMux(shop *shop, mcp http.Handler) *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /orders/{id}", shop.showOrder)
	mux.Handle("/mcp", mcp)
	return mux
}

// serve serves until ctx ends, and then lets running calls finish.
func serve(ctx context.Context, listener net.Listener, shop *shop) error {
	mcp, err := transport.NewHandler(newApp(shop), transport.HealthPath("/mcp/health"))
	if err != nil {
		return err
	}
	mux := newMux(shop, mcp)
	mux.Handle("/mcp/health", mcp)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	stopped := make(chan error, 1)
	context.AfterFunc(ctx, func() { stopped <- stop(server, mcp) })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// stop shuts both down: the handler ends its streams and waits for its calls,
// the server closes its listener and waits for the handler.
func stop(server *http.Server, mcp *transport.Handler) error {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- mcp.Shutdown(ctx) }()
	return errors.Join(server.Shutdown(ctx), <-done)
}

// newApp returns the tools.
func newApp(shop *shop) *kervan.App {
	app := kervan.NewApp("orders", "1.0.0")
	app.Add(
		kervan.Tool("get_order", "Shows an order.", shop.getOrder).ReadOnly(),
		kervan.Tool("ship_order", "Marks an order as shipped.", shop.shipOrder).Idempotent(),
	)
	return app
}

type orderIn struct {
	ID int64 `json:"id" jsonschema:"minimum=1" jsonschema_description:"Number of the order"`
}

func (s *shop) getOrder(_ context.Context, in orderIn) (order, error) {
	o, ok := s.find(in.ID)
	if !ok {
		return order{}, kervan.ToolErrorf("there is no order %d", in.ID)
	}
	return o, nil
}

func (s *shop) shipOrder(_ context.Context, in orderIn) (order, error) {
	o, ok := s.ship(in.ID)
	if !ok {
		return order{}, kervan.ToolErrorf("there is no order %d", in.ID)
	}
	return o, nil
}

func (s *shop) showOrder(w http.ResponseWriter, r *http.Request) {
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
	o, ok := s.find(id)
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(o)
}
