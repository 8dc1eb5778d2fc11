package main

import (
	"context"
	"time"

	"github.com/kervan-mcp/kervan"
)

// newApp makes the app that the suite tests. What each part does is given by
// the suite's scenarios; the texts are what they look for.
func newApp(opts ...kervan.Option) *kervan.App {
	opts = append([]kervan.Option{
		kervan.WithTitle("Kervan conformance fixture"),
		kervan.WithProtocolLogging(),
		kervan.WithServerOptions(answerCompletions),
		kervan.WithServerOptions(acceptSubscriptions),
	}, opts...)
	app := kervan.NewApp("kervan-conformance", "0.1.0", opts...)
	app.Add(contentTools()...)
	app.Add(runningTools()...)
	app.Add(schemaTools()...)
	app.Add(askingTools()...)
	app.Add(roundTools()...)
	app.Add(changeTools(app)...)
	addPrompts(app)
	addResources(app)
	return app
}

// pause waits, or returns early when the call has ended.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
