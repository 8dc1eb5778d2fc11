package sandbox

import (
	"bufio"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"github.com/kervan-mcp/kervan/sandbox/internal/jmes"
)

// marker is the program name (argv[0]) of a select process. It never changes, so
// that a newer version of a program, started in place of one whose file was
// replaced, knows a select process when it is one.
const marker = "kervan-select-sandbox"

// Modes of a process, its first argument.
const (
	modeFailClosed  = "fail-closed"
	modeProcessOnly = "process-only"
)

// Exit codes of a process.
const (
	exitDone     = 0
	exitRefused  = 70 // a required layer is missing
	exitProtocol = 71 // a frame could not be read or written
	exitMemory   = 75
	exitDeadline = 76
)

// Bounds of the runtime of a process.
const (
	maxThreads     = 48
	maxStack       = 64 << 20
	maxProcs       = 2 // one for the evaluation, one for the garbage collector
	garbagePercent = 200
)

// An evaluator evaluates an expression, as [jmes.Evaluator.Evaluate] does.
type evaluator func(expression string, data []byte, maxOutput int) ([]byte, error)

// A select process is this program under another name. Nothing of it runs but
// what was initialised before this package, and this.
func init() {
	if args, ok := childArguments(marker); ok {
		runChild(args, new(jmes.Evaluator).Evaluate)
	}
}

// runChild is the life of a select process. It does not return.
func runChild(args []string, evaluate evaluator) {
	requests, replies, err := childPipes(args)
	if err != nil {
		exit(exitProtocol)
	}
	tameRuntime()
	w := newWatchdog()
	measures := append([]measure{
		measured(LayerProcess, nil),
		measured(LayerEnvironment, nil),
		measured(LayerWatchdog, nil),
	}, harden()...)

	in, out := bufio.NewReaderSize(requests, frameBuffer), bufio.NewWriterSize(replies, frameBuffer)
	if writeHello(out, measures) != nil {
		exit(exitProtocol)
	}
	if _, weak := weakness(measures); weak && !slices.Contains(args, modeProcessOnly) {
		exit(exitRefused)
	}
	exit(serve(in, out, w, evaluate))
}

// tameRuntime bounds the Go runtime, and makes it do now what the system will
// refuse later.
func tameRuntime() {
	debug.SetGCPercent(garbagePercent)
	debug.SetMaxStack(maxStack)
	debug.SetMaxThreads(maxThreads)
	debug.SetTraceback("none")
	// An explicit number also ends the updates that read the control group's files.
	runtime.GOMAXPROCS(maxProcs)
	// The first timer creates the descriptors of the network poller.
	time.Sleep(time.Microsecond)
	os.Clearenv() // Windows always sets one variable
}

// serve answers requests until the parent is gone, and returns the exit code.
func serve(in *bufio.Reader, out *bufio.Writer, w *watchdog, evaluate evaluator) int {
	var buf []byte
	for {
		r, used, err := readRequest(in, buf)
		if err != nil {
			return exitDone // the parent closed its end, or died while writing
		}
		w.begin(len(r.data), r.timeLeft)
		answer := answerTo(r, evaluate)
		err = writeReply(out, answer)
		w.end()
		if err != nil {
			return exitProtocol
		}
		buf = used
		if len(r.data) > smallInput {
			buf = nil
			debug.FreeOSMemory()
		}
	}
}

func answerTo(r request, evaluate evaluator) reply {
	out, err := evaluate(r.expression, r.data, r.maxOutput)
	if err == nil {
		return reply{status: statusOK, body: out}
	}
	message := err.Error()
	if len(message) > maxMessage {
		message = message[:maxMessage]
	}
	return reply{status: statusOf(err), body: []byte(message)}
}

func statusOf(err error) status {
	var e *jmes.Error
	if !errors.As(err, &e) {
		return statusEvaluation
	}
	switch e.Kind {
	case jmes.Expression:
		return statusInvalidExpression
	case jmes.TooLarge:
		return statusTooLarge
	}
	return statusEvaluation
}

// exit ends the process without the hooks of os.Exit, which would write files.
func exit(code int) { syscall.Exit(code) }
