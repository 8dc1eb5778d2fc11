package jmes

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type suite struct {
	Given json.RawMessage `json:"given"`
	Cases []struct {
		Expression string          `json:"expression"`
		Result     json.RawMessage `json:"result"`
		Error      string          `json:"error"`
		Bench      string          `json:"bench"`
	} `json:"cases"`
}

// complianceSuites reads the test suite of JMESPath, which comes with go-jmespath.
func complianceSuites(t *testing.T) []suite {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/jmespath/go-jmespath").Output()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "compliance", "*.json"))
	require.NoError(t, err)
	var suites []suite
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var of []suite
		require.NoError(t, json.Unmarshal(data, &of), file)
		suites = append(suites, of...)
	}
	return suites
}

func TestCompliance(t *testing.T) {
	cases := 0
	for _, s := range complianceSuites(t) {
		for _, c := range s.Cases {
			cases++
			out, err := Evaluate(c.Expression, s.Given, roomy)
			switch {
			case c.Bench != "":
				require.NoError(t, err, c.Expression)
			case c.Error != "":
				require.Error(t, err, c.Expression)
				problem(t, err)
			case c.Result == nil:
				require.NoError(t, err, c.Expression)
				require.Equal(t, "null", string(out), c.Expression)
			default:
				require.NoError(t, err, c.Expression)
				require.JSONEq(t, string(c.Result), string(out), c.Expression)
			}
		}
	}
	require.Equal(t, 862, cases)
}

// TestComplianceErrorsAreFoundEarly: whatever does not depend on the data is found by Check.
func TestComplianceErrorsAreFoundEarly(t *testing.T) {
	for _, s := range complianceSuites(t) {
		for _, c := range s.Cases {
			_, err := Check(c.Expression)
			switch c.Error {
			case "syntax", "unknown-function", "invalid-arity":
				require.Error(t, err, c.Expression)
			case "":
				require.NoError(t, err, c.Expression)
			}
		}
	}
}
