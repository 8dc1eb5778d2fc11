package syncthing_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/spec"
)

// TestSpec loads the file, which needs no network and no server.
func TestSpec(t *testing.T) {
	s, err := spec.LoadFile(t.Context(), "kervan.yaml", spec.Options{
		Secrets: spec.MapSecrets(map[string]string{"SYNCTHING_API_KEY": "made-up-key-1234"}), AllowInsecureSecrets: true,
		Network: guard.Policy{AllowPrivate: true},
	})
	require.NoError(t, err)
	assert.Empty(t, s.Warnings())
	assert.Len(t, s.Tools(), 4)
	require.NoError(t, s.Close())
}
