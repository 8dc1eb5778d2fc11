package kervan

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/kervan-mcp/kervan/internal/bridge"
)

// headerPrefix begins the names of headers that mirror arguments (MCP
// 2026-07-28, x-mcp-header).
const headerPrefix = "Mcp-Param-"

var headerToken = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$")

// headerParams finds the properties of a schema that are bound to a header.
// The path leads through properties only, as the specification has it.
func headerParams(schema []byte) ([]bridge.HeaderParam, *DefinitionError) {
	var found []bridge.HeaderParam
	seen := map[string]bool{}
	err := walkHeaderParams(schema, nil, 0, func(name string, kind any, path []string) *DefinitionError {
		fault := func(what, hint string) *DefinitionError {
			return &DefinitionError{Code: InvalidInputSchema, Message: fmt.Sprintf("x-mcp-header of /%s %s", path[len(path)-1], what), Hint: hint}
		}
		switch {
		case !headerToken.MatchString(name):
			return fault("is not a header name", "use 1 to 64 letters, digits and dashes")
		case kind != "string" && kind != "integer" && kind != "boolean":
			return fault("is on a member that is no string, integer or boolean", "bind only those")
		case seen[name]:
			return fault("is bound twice", "give each its own name")
		}
		seen[name] = true
		found = append(found, bridge.HeaderParam{Header: headerPrefix + name, Path: path})
		return nil
	})
	return found, err
}

// maxHeaderDepth bounds the search; a schema that compiles has its own bounds.
const maxHeaderDepth = 32

func walkHeaderParams(schema []byte, path []string, depth int, bind func(string, any, []string) *DefinitionError) *DefinitionError {
	var node struct {
		Type       any                        `json:"type"`
		Header     *string                    `json:"x-mcp-header"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if depth > maxHeaderDepth || json.Unmarshal(schema, &node) != nil {
		return nil // a boolean schema, or a type list, binds nothing
	}
	if node.Header != nil && len(path) > 0 {
		if err := bind(*node.Header, node.Type, slices.Clone(path)); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(node.Properties)) {
		if err := walkHeaderParams(node.Properties[name], append(path, name), depth+1, bind); err != nil {
			return err
		}
	}
	return nil
}
