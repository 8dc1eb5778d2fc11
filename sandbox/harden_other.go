//go:build !linux && !darwin && !windows

package sandbox

import "errors"

// harden does nothing: there is no way here to take files and the network from a
// process.
func harden() []measure {
	return []measure{measured(LayerSystemCalls, errors.ErrUnsupported)}
}
