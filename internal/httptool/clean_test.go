package httptool

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/secret"
)

// That a redactor has found nothing says so of the same text and redactor only.
func TestRule6_3_LookedThroughOnce(t *testing.T) {
	const key = "sk-live-0123456789abcdef"
	redactions := map[string]func(c *call, text string) string{
		"text": (*call).redactText,
		"JSON": func(c *call, text string) string {
			document, err := c.redactJSON([]byte(`"` + text + `"`))
			require.NoError(t, err)
			return string(document[1 : len(document)-1])
		},
	}
	for name, redact := range redactions {
		c := &call{rt: &Runtime{Vault: secret.NewVault(nil)}}
		for range 2 {
			require.Equal(t, key, redact(c, key), name)
		}
		c.rt.Vault.Add("KEY", key)
		for range 2 {
			require.Equal(t, secret.Mark, redact(c, key), name)
			require.Equal(t, "harmless", redact(c, "harmless"), name)
		}
		require.Equal(t, secret.Mark, redact(c, key), name)
		require.Equal(t, 3, c.redactions, name)
	}
}
