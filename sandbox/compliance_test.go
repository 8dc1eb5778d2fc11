package sandbox

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A suite is an entry of the official compliance tests: expressions on one
// document.
type suite struct {
	Given json.RawMessage
	Cases []struct {
		Expression string
		Result     json.RawMessage
		Error      string
		Bench      string // not a test
	}
}

func compliance(t *testing.T) map[string][]suite {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/jmespath/go-jmespath").Output()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "compliance", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := map[string][]suite{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var suites []suite
		require.NoError(t, json.Unmarshal(data, &suites), file)
		all[filepath.Base(file)] = suites
	}
	return all
}

// All cases have the result of the suite, none is refused.
func TestRule8_7_ComplianceSuite(t *testing.T) {
	p := newTestPool(t, Options{})
	cases := 0
	for file, suites := range compliance(t) {
		for _, s := range suites {
			for _, c := range s.Cases {
				if c.Bench != "" {
					continue
				}
				cases++
				out, err := p.Select(within(t, 20*time.Second), c.Expression, s.Given)
				if c.Error != "" {
					assert.Errorf(t, err, "%s: %s", file, c.Expression)
					continue
				}
				if assert.NoErrorf(t, err, "%s: %s", file, c.Expression) {
					assert.JSONEq(t, string(c.Result), string(out), "%s: %s", file, c.Expression)
				}
			}
		}
	}
	assert.Greater(t, cases, 800)
}
