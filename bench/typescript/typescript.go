// Package typescript holds the benchmarks' servers that are built with the
// TypeScript SDK, and installs what they need.
package typescript

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed package.json
var manifest []byte

//go:embed package-lock.json
var lock []byte

//go:embed server.mjs
var httpServer []byte

//go:embed stdio.mjs
var stdioServer []byte

// The scripts for Node in the folder of Install.
const (
	HTTPServer  = "server.mjs" // the tools over HTTP
	StdioServer = "stdio.mjs"  // one tool over stdio
)

// Install puts the servers and their packages, which npm downloads, into a folder
// under cache that belongs to this version of them. It returns the folder, and does
// nothing where it has been before. An empty cache is kervan-bench in the user's
// cache folder. Without Node it fails.
func Install(ctx context.Context, cache string) (dir string, err error) {
	if _, err := exec.LookPath("node"); err != nil {
		return "", err
	}
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(user, "kervan-bench")
	}
	hash := sha256.New()
	for _, data := range [][]byte{manifest, lock, httpServer, stdioServer} {
		_, _ = hash.Write(data)
	}
	dir = filepath.Join(cache, "typescript-"+hex.EncodeToString(hash.Sum(nil))[:12])
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	// A folder is complete or not there.
	made, err := os.MkdirTemp(cache, "installing-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(made)
	files := map[string][]byte{"package.json": manifest, "package-lock.json": lock, HTTPServer: httpServer, StdioServer: stdioServer}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(made, name), data, 0o644); err != nil {
			return "", err
		}
	}
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	npm.Dir = made
	if output, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w\n%s", err, output)
	}
	if err := os.Rename(made, dir); err != nil && !errors.Is(err, os.ErrExist) {
		if _, statErr := os.Stat(dir); statErr != nil {
			return "", err
		}
	}
	return dir, nil
}

// Versions returns the packages that the servers are built with.
func Versions() map[string]string {
	var m struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	if err := json.Unmarshal(manifest, &m); err != nil {
		panic(err) // it is part of this package
	}
	return m.Dependencies
}
