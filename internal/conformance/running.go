package main

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
)

// stepPause lies between the steps of a tool that tells of them.
const stepPause = 50 * time.Millisecond

// runningTools tell the client something while they run.
func runningTools() []*kervan.ToolDef {
	return []*kervan.ToolDef{
		kervan.Tool("test_tool_with_logging", "Logs three messages while it runs.", logSteps),
		kervan.Tool("test_tool_with_progress", "Reports progress three times while it runs.", reportSteps),
		kervan.Tool("test_logging_tool", "Logs one message, for clients that asked for it.", logOnce),
		kervan.Tool("test_reconnection", "Closes its stream and answers once the client has come back.", reconnect),
	}
}

func logSteps(ctx context.Context, _ kervan.None) (string, error) {
	for i, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if i > 0 {
			if err := pause(ctx, stepPause); err != nil {
				return "", err
			}
		}
		tell(ctx, text)
	}
	return "Logged three messages.", nil
}

// firstModern is the protocol version from which each request says which log
// messages it wants.
const firstModern = "2026-07-28"

// tell logs to the client. Older clients set a level for their whole session,
// which the SDK's session knows and Call.Logger does not.
func tell(ctx context.Context, text string) {
	call := kervan.CallFromContext(ctx)
	request := call.Request()
	if request == nil || call.ProtocolVersion() >= firstModern {
		call.Logger().Info(text)
		return
	}
	// A client that is gone is told to the handler by its context.
	_ = request.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Logger: call.Tool(), Data: text})
}

func reportSteps(ctx context.Context, _ kervan.None) (string, error) {
	call := kervan.CallFromContext(ctx)
	for i, done := range []float64{0, 50, 100} {
		if i > 0 {
			if err := pause(ctx, stepPause); err != nil {
				return "", err
			}
		}
		call.Progress(done, 100, fmt.Sprintf("Completed step %g of 100", done))
	}
	return "Reported progress three times.", nil
}

func logOnce(ctx context.Context, _ kervan.None) (string, error) {
	kervan.CallFromContext(ctx).Logger().Info("test_logging_tool was called")
	return "Logged one message.", nil
}

// reconnect ends its stream in the middle of the call, where the transport
// lets it, so that the client has to ask for the rest.
func reconnect(ctx context.Context, _ kervan.None) (string, error) {
	if request := kervan.CallFromContext(ctx).Request(); request != nil && request.Extra != nil && request.Extra.CloseSSEStream != nil {
		request.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
	}
	if err := pause(ctx, 2*stepPause); err != nil {
		return "", err
	}
	return "This is the answer after the stream was closed.", nil
}
