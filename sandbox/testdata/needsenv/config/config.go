// Package config fails without its environment variable.
package config

import "os"

// URL is read when the program starts.
var URL = mustEnv("SANDBOX_TEST_URL")

func mustEnv(name string) string {
	v, ok := os.LookupEnv(name)
	if !ok {
		panic("missing env " + name)
	}
	return v
}
