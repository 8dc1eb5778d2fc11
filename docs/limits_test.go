package docs

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// limitSources are what stands behind the rows of limits.md: constants, and
// rows of the reference, which is made from the table of package spec. Whoever
// changes one changes the page too.
var limitSources = map[string]struct {
	file      string
	constants []string
}{
	"size of a spec":                          {"spec/yaml.go", []string{"maxFileSize = 1 << 20"}},
	"nesting":                                 {"spec/yaml.go", []string{"maxDepth = 64"}},
	"tools":                                   {reference, []string{"| `tools` | list of 1 to 200 |"}},
	"variables, secrets":                      {reference, []string{"| `vars` | list, at most 100 |", "| `secrets` | list, at most 100 |"}},
	"hosts of a secret":                       {reference, []string{"| `secrets[].hosts` | list of 1 to 32 |"}},
	"time of a call, in all":                  {reference, []string{"| `tools[].http.timeoutMs` | 100 to 120,000 milliseconds | 10,000 |"}},
	"calls a minute, for each tool":           {reference, []string{"| `tools[].rateLimit.perMinute` | 1 to 100,000 calls | 60 |"}},
	"calls at once, for each tool":            {reference, []string{"| `tools[].rateLimit.concurrency` | 1 to 1,000 calls | 10 |"}},
	"redirects":                               {reference, []string{"| `tools[].http.followRedirects` | 0 to 5 redirects | 0 |"}},
	"size, as it comes and decompressed":      {reference, []string{"| `tools[].http.maxResponseBytes` | 1 to 52,428,800 bytes | 1,048,576 |", "at most 8,388,608 (8 MiB)"}},
	"size of a result":                        {reference, []string{"| `tools[].http.maxOutputChars` | 1 to 1,000,000 characters | 20,000 |"}},
	"uses of anchors":                         {"spec/yaml.go", []string{"maxAliases = 50", "maxCopied = 10_000"}},
	"a schema":                                {"spec/schema.go", []string{"maxSchemaLevels = 32", "maxSchemaNodes = 2_000", "maxAlternatives = 64", "maxSchemaBytes = 64 << 10"}},
	"a pattern in a schema":                   {"spec/schema.go", []string{"maxPatternLength = 512"}},
	"problems listed one by one":              {"spec/issue.go", []string{"maxIssues = 100"}},
	"size of an env file":                     {"spec/envfile.go", []string{"maxEnvFile = 1 << 20"}},
	"size of a message":                       {"internal/wire/conn.go", []string{"DefaultMaxLine = 4 << 20"}},
	"nesting of arguments":                    {"pipeline.go", []string{"maxArgumentDepth = 64"}},
	"elements in arguments":                   {"options.go", []string{"defaultArgumentLimit = 10_000"}},
	"a number in arguments":                   {"internal/jsonx/jsonx.go", []string{"MaxNumberLength = 40", "MaxExponent = 999"}},
	"violations listed one by one":            {"messages.go", []string{"maxViolations = 10"}},
	"time until a call is abandoned":          {"spec/binding.go", []string{"timeoutMargin = 2 * time.Second"}},
	"idle connections":                        {"guard/transport.go", []string{"idleTimeout = 30 * time.Second", "maxIdle = 256", "maxIdlePerHost = 32"}},
	"size of its headers":                     {"guard/transport.go", []string{"maxResponseHeader = 64 << 10"}},
	"nesting of its JSON":                     {"internal/jsonx/jsonx.go", []string{"DefaultDepth = 1000"}},
	"bodies in memory at once, in a process":  {"internal/httptool/budget.go", []string{"DefaultBudget = 256 << 20"}},
	"nesting of an expression":                {"sandbox/internal/jmes/parse.go", []string{"maxNesting = 64"}},
	"length of an expression":                 {"sandbox/internal/jmes/jmes.go", []string{"MaxLength = 1_000", "MaxDepth = 512"}},
	"an index in an expression":               {"sandbox/internal/jmes/parse_brackets.go", []string{"maxIndex = 1_000_000_000"}},
	"size of the data":                        {"sandbox/sandbox.go", []string{"maxInputCeiling = 8 << 20"}},
	"size of what it makes":                   {"sandbox/sandbox.go", []string{"maxOutputCeiling = 8 << 20"}},
	"memory of an evaluation":                 {"sandbox/watchdog.go", []string{"smallInput = 1 << 20", "smallMemory = 160 << 20", "memoryPerByte = 80"}},
	"time of an evaluation":                   {"sandbox/sandbox.go", []string{"maxCall = 2 * time.Minute"}},
	"evaluations at once":                     {"sandbox/sandbox.go", []string{"defaultChildren = 2", "maxChildren = 16"}},
	"time for a process to start":             {"sandbox/sandbox.go", []string{"defaultStartTimeout = 5 * time.Second"}},
	"evaluations until a process is replaced": {"sandbox/sandbox.go", []string{"defaultCallsPerChild = 10_000"}},
	"length of a secret":                      {"internal/secret/secret.go", []string{"minLength = 8"}},
	"old values that are redacted":            {"internal/secret/vault.go", []string{"keepValues = 16", "keepFor = 24 * time.Hour"}},
	"values in all":                           {"internal/secret/vault.go", []string{"maxValues = 4096", "maxBytes = 4 << 20"}},
	"rendered values that are redacted":       {"internal/secret/vault.go", []string{"maxRendered = 256", "maxRenderedBytes = 256 << 10", "maxRenderedValue = 16 << 10"}},
	"calls at once, over stdio":               {"internal/wire/conn.go", []string{"DefaultMaxInFlight = 100"}},
	"calls at once, over HTTP":                {"transport/http_options.go", []string{"defaultMaxInFlight = 1000", "defaultMaxBody = 4 << 20"}},
	"requests a minute and client, over HTTP": {"transport/ratelimit.go", []string{"defaultPerMinute = 300"}},
	"abandoned calls of a tool":               {"pipeline.go", []string{"maxAbandoned = 100"}},
	"time for running calls at the end":       {"transport/http_options.go", []string{"defaultHTTPDrain = 10 * time.Second"}},
	"a bearer token of the runner":            {"cmd/kervan/auth.go", []string{"minToken = 16"}},
}

const reference = "docs/yaml-reference.md"

// TestLimitsPage finds what stands behind each row.
func TestLimitsPage(t *testing.T) {
	rows := map[string]bool{}
	for _, row := range tableRows(readPage(t, "limits.md")) {
		if strings.HasPrefix(row[0], "**") {
			continue
		}
		rows[row[0]] = true
		source, known := limitSources[row[0]]
		if !assert.True(t, known, "nothing stands behind %q", row[0]) {
			continue
		}
		data, err := os.ReadFile("../" + source.file)
		require.NoError(t, err)
		for _, constant := range source.constants {
			assert.Contains(t, squeeze(string(data)), constant, "%s: the page says %q", source.file, row)
		}
	}
	for row := range limitSources {
		assert.True(t, rows[row], "the page has no row %q", row)
	}
}
