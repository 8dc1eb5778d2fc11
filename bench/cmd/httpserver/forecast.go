package main

import (
	"context"
	"fmt"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/bench/internal/forecast"
	"github.com/kervan-mcp/kervan/bench/internal/servers"
)

// serveForecast serves the tools that call the API which the environment names.
func serveForecast(ctx context.Context, kind string) error {
	api, err := forecast.FromEnvironment()
	if err != nil {
		return err
	}
	tools := api.ByHand
	switch kind {
	case servers.Kervan:
	case servers.YAML:
		s, err := api.Spec(ctx)
		if err != nil {
			return err
		}
		defer s.Close()
		tools = s.Tools
	default:
		return fmt.Errorf("a server of kind %q has no forecasts", kind)
	}
	app := kervan.NewApp("bench", "1.0.0")
	app.Add(tools()...)
	if err := app.Err(); err != nil {
		return err
	}
	return serveKervan(ctx, app)
}
