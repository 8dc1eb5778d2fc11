// Package config fails without its environment variable, but not in a select process.
package config

import (
	"os"

	_ "github.com/kervan-mcp/kervan/sandbox" // so that select processes start before this package
)

// URL is read when the program starts.
var URL = mustEnv("SANDBOX_TEST_URL")

func mustEnv(name string) string {
	v, ok := os.LookupEnv(name)
	if !ok {
		panic("missing env " + name)
	}
	return v
}
