// Package typescript holds the benchmarks' server that is built with the
// TypeScript SDK, and installs what it needs.
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
var server []byte

// Install puts the server and its packages, which npm downloads, into a folder
// under cache that belongs to this version of them. It returns the path of the
// script for Node, and does nothing where it has been before.
func Install(ctx context.Context, cache string) (script string, err error) {
	hash := sha256.New()
	for _, data := range [][]byte{manifest, lock, server} {
		_, _ = hash.Write(data)
	}
	dir := filepath.Join(cache, "typescript-"+hex.EncodeToString(hash.Sum(nil))[:12])
	script = filepath.Join(dir, "server.mjs")
	if _, err := os.Stat(script); err == nil {
		return script, nil
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
	for name, data := range map[string][]byte{"package.json": manifest, "package-lock.json": lock, "server.mjs": server} {
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
		if _, statErr := os.Stat(script); statErr != nil {
			return "", err
		}
	}
	return script, nil
}

// Versions returns the packages that the server is built with.
func Versions() map[string]string {
	var m struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	if err := json.Unmarshal(manifest, &m); err != nil {
		panic(err) // it is part of this package
	}
	return m.Dependencies
}
