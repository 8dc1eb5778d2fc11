//go:build upstreams

// These tests need a Syncthing on 127.0.0.1:8384 with testdata/config.xml;
// .ci/upstreams starts one.
package syncthing_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/kerventest"
	"github.com/kervan-mcp/kervan/spec"
)

const key = "made-up-key-for-loopback-tests-1234" // of testdata/config.xml

func newApp(t *testing.T, apiKey string) *kervan.App {
	t.Helper()
	s, err := spec.LoadFile(t.Context(), "kervan.yaml", spec.Options{
		Network:              guard.Policy{AllowPrivate: true},
		Secrets:              spec.MapSecrets(map[string]string{"SYNCTHING_API_KEY": apiKey}),
		AllowInsecureSecrets: true,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	app := kervan.NewApp(s.Name(), s.Version())
	app.Add(s.Tools()...)
	return app
}

type folder struct {
	ID      string   `json:"id"`
	Label   string   `json:"label"`
	Path    string   `json:"path"`
	Paused  bool     `json:"paused"`
	Devices []string `json:"devices"`
}

type folders struct {
	Folders []folder `json:"folders"`
}

func TestSyncthing(t *testing.T) {
	path := t.TempDir()
	kerventest.EachEra(t, newApp(t, key), func(t *testing.T, c *kerventest.Client) {
		assert.Empty(t, kerventest.MustCall[folders](c, "list_folders", nil).Folders)

		c.Call("add_folder", map[string]any{"id": "notes", "label": `Notes "and" {{input.id}} é`, "path": path, "paused": true})
		got := kerventest.MustCall[folders](c, "list_folders", nil).Folders
		require.Len(t, got, 1)
		assert.Equal(t, folder{ID: "notes", Label: `Notes "and" {{input.id}} é`, Path: path, Paused: true, Devices: got[0].Devices}, got[0])
		require.Len(t, got[0].Devices, 1)
		assert.Len(t, got[0].Devices[0], 63)

		type status struct {
			State        string `json:"state"`
			Files        int64  `json:"files"`
			Bytes        int64  `json:"bytes"`
			MissingFiles int64  `json:"missingFiles"`
			Errors       int64  `json:"errors"`
		}
		assert.Zero(t, kerventest.MustCall[status](c, "folder_status", map[string]any{"id": "notes"}).Files)

		c.Call("remove_folder", map[string]any{"id": "notes"})
		assert.Empty(t, kerventest.MustCall[folders](c, "list_folders", nil).Folders)
		assert.Equal(t, "Upstream returned 404 Not Found.", c.CallErr("folder_status", map[string]any{"id": "notes"}))
	})
}

func TestWrongKey(t *testing.T) {
	kerventest.EachEra(t, newApp(t, "another-made-up-key-1234"), func(t *testing.T, c *kerventest.Client) {
		text := c.CallErr("list_folders", nil)
		assert.Equal(t, "Upstream returned 403 Forbidden.", text)
	})
}
