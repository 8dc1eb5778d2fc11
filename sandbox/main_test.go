package sandbox

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kervan-mcp/kervan/sandbox/internal/jmes"
)

// helperEnv makes this test binary one of the helpers, programs that need a
// process of their own.
const helperEnv = "KERVAN_SANDBOX_HELPER"

func TestMain(m *testing.M) {
	name := os.Getenv(helperEnv)
	if name == "" {
		goleak.VerifyTestMain(m)
		return
	}
	helpers[name]()
}

// helpers are filled by the files that use them.
var helpers = map[string]func(){}

// attackMarker is the name of a select process that runs attacks. It differs from
// a real one in the evaluation only.
const attackMarker = "kervan-select-attack"

// Package variables are initialised before the init function that catches a select
// process, and after what they refer to.
var _ = catchAttacks()

// atStart is the environment that this process was started with.
var atStart []string

func catchAttacks() bool {
	args, ok := childArguments(attackMarker)
	if ok {
		atStart = os.Environ()
		runChild(args, attackOrEvaluate)
	}
	return ok
}

var attacked jmes.Evaluator

// attackOrEvaluate runs the attack that an expression names, with the data as its
// argument, and evaluates all other expressions.
func attackOrEvaluate(expression string, data []byte, maxOutput int) ([]byte, error) {
	if attack := attacks()[expression]; attack != nil {
		return []byte(attack(string(data))), nil
	}
	return attacked.Evaluate(expression, data, maxOutput)
}

// newTestPool returns a pool whose processes also run attacks.
func newTestPool(t testing.TB, o Options) *Pool {
	t.Helper()
	p := newPool(o, runningProgram(attackMarker))
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// within returns a context that ends after d.
func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// mustSelect returns the result of a call that must succeed.
func mustSelect(t testing.TB, p *Pool, expression, data string) string {
	t.Helper()
	out, err := p.Select(within(t, 20*time.Second), expression, []byte(data))
	require.NoError(t, err)
	return string(out)
}

// kindOf returns the kind of an error of Select.
func kindOf(t testing.TB, err error) Kind {
	t.Helper()
	var e *Error
	require.Truef(t, errors.As(err, &e), "%v is no *Error", err)
	return e.Kind
}
