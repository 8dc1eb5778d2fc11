package spec

import (
	"context"
	"os"
)

// A SecretSource gives the values of secrets. It must be safe for concurrent
// use, and is asked at load, once for each name and host, and at each call, so
// that a value can be rotated; a slow one keeps a cache.
type SecretSource interface {
	// Get returns the value of a secret that is about to be sent to a host, such
	// as "api.example.com:443", by a tool. An empty value is a missing secret.
	// With an error nothing is sent; its text goes to logs and to the errors of
	// Load, never to a client.
	Get(ctx context.Context, name, host, tool string) (string, error)
}

// SecretFunc is a function as a [SecretSource].
type SecretFunc func(ctx context.Context, name, host, tool string) (string, error)

// Get calls f.
func (f SecretFunc) Get(ctx context.Context, name, host, tool string) (string, error) {
	return f(ctx, name, host, tool)
}

// MapSecrets returns a source of fixed values by name, for tests and for
// secrets that the program has already. The map must not be changed any more.
func MapSecrets(values map[string]string) SecretSource {
	return SecretFunc(func(_ context.Context, name, _, _ string) (string, error) { return values[name], nil })
}

// An Env gives secrets and variables from the environment, and from env files
// if it was made with [EnvFiles]. It is safe for concurrent use.
type Env struct{ files map[string]string }

// EnvSecrets returns the environment as a source of secrets. A variable is
// read when it is asked for.
func EnvSecrets() *Env { return &Env{} }

// Get returns the value of a variable, or nothing.
func (e *Env) Get(_ context.Context, name, _, _ string) (string, error) {
	value, _ := e.Lookup(name)
	return value, nil
}

// Lookup returns the value of a variable and whether there is one. A variable
// of the environment goes before one of a file, even if it is empty.
func (e *Env) Lookup(name string) (string, bool) {
	if value, ok := os.LookupEnv(name); ok {
		return value, true
	}
	value, ok := e.files[name]
	return value, ok
}
