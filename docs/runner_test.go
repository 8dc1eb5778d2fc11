package docs

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A runner is the built program.
type runner string

func buildRunner(t *testing.T) runner {
	t.Helper()
	dir := t.TempDir() + string(filepath.Separator)
	out, err := exec.Command("go", "build", "-o", dir, "../cmd/kervan").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return runner(filepath.Join(dir, "kervan"))
}

// run runs the program in the current directory, with an input that has ended.
func (r runner) run(t *testing.T, args ...string) (messages string, code int) {
	t.Helper()
	cmd := exec.Command(string(r), args...)
	cmd.Env = append(os.Environ(), "KERVAN_TRANSPORT=", "KERVAN_ADDR=", "PORT=", "KERVAN_ENV=")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	_ = cmd.Run() // its exit code says how it went
	require.NotNil(t, cmd.ProcessState)
	return strings.ReplaceAll(stderr.String(), "\r\n", "\n"), cmd.ProcessState.ExitCode()
}

var longFlag = regexp.MustCompile(`--[a-z][a-z-]+`)

// commandLines returns the lines of code of all pages that run the runner.
func commandLines(t *testing.T) []string {
	t.Helper()
	var lines []string
	for _, page := range allPages(t) {
		for _, language := range []string{"sh", "ini", "text", "json"} {
			for _, b := range blocks(t, page, language) {
				for line := range strings.SplitSeq(strings.ReplaceAll(b.text, "\\\n", " "), "\n") {
					if _, args, found := strings.Cut(line, "kervan run "); found {
						lines = append(lines, args)
					}
				}
			}
		}
	}
	return lines
}

// TestRunnerPage builds the program, and holds the pages to it.
func TestRunnerPage(t *testing.T) {
	kervan := buildRunner(t)
	t.Run("flags", kervan.testFlags)
	t.Run("messages", kervan.testMessages)
	t.Run("exit codes", kervan.testExitCodes)
}

// testFlags: the pages use flags that there are, and runner.md has all of
// them.
func (r runner) testFlags(t *testing.T) {
	help, code := r.run(t, "run", "--help")
	require.Equal(t, 0, code)
	known := longFlag.FindAllString(help, -1)

	lines := commandLines(t)
	assert.GreaterOrEqual(t, len(lines), 8)
	for _, line := range lines {
		for _, flag := range longFlag.FindAllString(line, -1) {
			assert.Contains(t, known, flag, line)
		}
	}
	table := section(t, "runner.md", "## Flags")
	for _, flag := range known {
		assert.Contains(t, table, "`"+flag)
	}
	for _, flag := range longFlag.FindAllString(table, -1) {
		assert.Contains(t, known, flag)
	}
}

// testMessages runs what yaml.md runs.
func (r runner) testMessages(t *testing.T) {
	shown := blocks(t, "yaml.md", "text")
	edit := blocks(t, "yaml.md", "diff")[0].text
	good := firstFile(t)

	messages, code := r.run(t, "run", "kervan.yaml")
	assert.Equal(t, shown[0].text, messages)
	assert.Equal(t, 0, code)

	bad := applyDiff(t, good, edit)
	writeFile(t, "kervan.yaml", bad)
	messages, code = r.run(t, "run", "kervan.yaml")
	assert.Equal(t, shown[2].text, messages)
	assert.Equal(t, 1, code)

	writeFile(t, "kervan.yaml", strings.NewReplacer("10_000", "10000", "selct", "select").Replace(bad))
	messages, code = r.run(t, "run", "kervan.yaml")
	assert.Equal(t, shown[3].text, messages)
	assert.Equal(t, 1, code)
}

// applyDiff exchanges lines that a diff takes away for those it adds.
func applyDiff(t *testing.T, text, diff string) string {
	t.Helper()
	var removed, added []string
	for line := range strings.SplitSeq(strings.TrimSpace(diff), "\n") {
		if strings.HasPrefix(line, "-") {
			removed = append(removed, line[1:])
		} else {
			added = append(added, line[1:])
		}
	}
	before := strings.Join(removed, "\n") + "\n"
	require.Contains(t, text, before)
	return strings.Replace(text, before, strings.Join(added, "\n")+"\n", 1)
}

// testExitCodes holds the table of runner.md and what stands around it.
func (r runner) testExitCodes(t *testing.T) {
	firstFile(t)
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"run kervan.yaml", 0, "serving over stdio"},
		{"--help", 0, "Usage"},
		{"--version", 0, ""},
		{"", 1, "Usage"},
		{"run", 1, "Error: "},
		{"run missing.yaml", 1, "missing.yaml cannot be read"},
		{"run kervan.yaml --colour", 1, "Error: unknown flag --colour"},
		{"run kervan.yaml --port 0", 1, "over HTTP only"},
		{"run kervan.yaml --env-file missing", 1, "create it"},
		{"run kervan.yaml --http --port 0 --host 0.0.0.0 --no-auth", 1, "--allowed-host"},
		{"run kervan.yaml --http --port 0 --host 0.0.0.0 --allowed-host a.example", 1, "--auth-token-env"},
		{"run kervan.yaml --http --port 0 --no-auth --auth-token-env TOKEN", 1, "exclude each other"},
	} {
		messages, code := r.run(t, strings.Fields(c.args)...)
		assert.Equal(t, c.code, code, c.args)
		assert.Contains(t, messages, c.says, c.args)
	}
}
