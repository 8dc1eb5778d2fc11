package transport

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// wellKnownResource is the path of a resource's metadata (RFC 9728). The path
// of the resource itself, if any, follows it.
const wellKnownResource = "/.well-known/oauth-protected-resource"

// metadataPath returns the path that RFC 9728 derives from the resource.
func (b *bearer) metadataPath() string {
	return wellKnownResource + strings.TrimRight(b.resource.EscapedPath(), "/")
}

// routes serve the metadata wherever clients look for it: by the path of the
// resource, with and without a final slash, and at the root.
func (b *bearer) routes() []route {
	handler := metadataHandler(&oauthex.ProtectedResourceMetadata{
		Resource:               b.Resource,
		AuthorizationServers:   b.AuthorizationServers,
		ScopesSupported:        b.ScopesSupported,
		BearerMethodsSupported: []string{"header"},
		ResourceName:           b.ResourceName,
		ResourceDocumentation:  b.ResourceDocumentation,
	})
	inserted := wellKnownResource + strings.TrimRight(b.resource.Path, "/")
	paths := []string{wellKnownResource, wellKnownResource + "/", inserted, inserted + "/"}
	slices.Sort(paths)
	var all []route
	for _, path := range slices.Compact(paths) {
		all = append(all, route{path: path, handler: handler})
	}
	return all
}

// metadataHandler serves a document that is public, so any web page may read
// it.
func metadataHandler(metadata *oauthex.ProtectedResourceMetadata) http.Handler {
	body, err := json.Marshal(metadata)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		switch {
		case r.Method == http.MethodOptions:
			h.Set("Access-Control-Allow-Methods", "GET, HEAD")
			h.Set("Access-Control-Allow-Headers", "*")
			w.WriteHeader(http.StatusNoContent)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD, OPTIONS")
			w.WriteHeader(http.StatusMethodNotAllowed)
		case err != nil: // cannot be: the metadata holds strings only
			w.WriteHeader(http.StatusInternalServerError)
		default:
			h.Set("Content-Type", "application/json")
			h.Set("Content-Length", strconv.Itoa(len(body)))
			_, _ = w.Write(body)
		}
	})
}
