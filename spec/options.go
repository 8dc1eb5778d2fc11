package spec

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/sandbox"
)

// Options decide what a file cannot: where secrets come from, which networks
// are reached, and who is told of what. The zero value reads secrets from the
// environment, reaches public addresses only, and limits calls in this process.
type Options struct {
	// Name is the file's name in errors, and what [Apply] knows the file by
	// when it is loaded again. Default: the path for LoadFile and LoadFS; else
	// errors say kervan.yaml, and Apply goes by the name in the file.
	Name string

	// Secrets is where secrets come from, at load and at each call. Default:
	// [EnvSecrets].
	Secrets SecretSource
	// Vars returns the value of a variable under vars, and whether it is set.
	// Default: that of Secrets if it comes from the environment or from env
	// files, else the environment.
	Vars func(name string) (value string, ok bool)
	// RequireSecrets makes a secret or a variable without a value an error at
	// load, instead of a warning and an error in each call that needs it.
	RequireSecrets bool
	// AllowInsecureSecrets lets a tool send secrets over plain http, if it also
	// has allowInsecureHttp. It is for development: Load refuses it while the
	// environment variable KERVAN_ENV is "production".
	AllowInsecureSecrets bool

	// Network says which addresses may be reached. Its MaxRedirects is not
	// used: each tool has its followRedirects. Load refuses AllowPrivate while
	// KERVAN_ENV is "production".
	Network guard.Policy
	// Sandbox evaluates select. Default: a pool of this Spec's own, whose
	// processes start with the first call that needs one. A pool that is given
	// is not closed with the Spec.
	Sandbox *sandbox.Pool
	// Limiter counts the calls of each tool. Default: in this process, for as
	// long as the file is applied to the same registry. Give one to share the
	// limits between processes. If it fails, calls are refused.
	Limiter Limiter

	// Events is called for each upstream request and each redaction, on the
	// goroutine where it happens: it must be quick and safe for concurrent use.
	Events func(Event)
	// Logger hears from the sandbox. Nil is silent.
	Logger *slog.Logger
}

// A Limiter bounds the calls of each key in a minute and at once. It must be
// safe for concurrent use.
type Limiter interface {
	// Acquire begins a call of key, which ends with release, called once. A call
	// that is refused counts nothing: release is nil and retryAfter positive.
	Acquire(ctx context.Context, key string, perMinute, concurrency int) (release func(), retryAfter time.Duration, err error)
}

// envMode is the variable that says what a process runs for.
const envMode = "KERVAN_ENV"

// check refuses what is for development only where that is not what the
// process runs for (rules 6.5 and 10.2).
func (o Options) check() error {
	if !strings.EqualFold(strings.TrimSpace(os.Getenv(envMode)), "production") {
		return nil
	}
	var errs []error
	if o.AllowInsecureSecrets {
		errs = append(errs, errors.New(textProduction("AllowInsecureSecrets")))
	}
	if o.Network.AllowPrivate {
		errs = append(errs, errors.New(textProduction("Network.AllowPrivate")))
	}
	return errors.Join(errs...)
}

// withDefaults fills in what was not given.
func (o Options) withDefaults() Options {
	if o.Secrets == nil {
		o.Secrets = EnvSecrets()
	}
	if o.Vars == nil {
		o.Vars = os.LookupEnv
		if env, ok := o.Secrets.(*Env); ok {
			o.Vars = env.Lookup
		}
	}
	return o
}
