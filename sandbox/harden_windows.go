package sandbox

import "errors"

// harden reports what the parent did when it started the process: handles are
// inherited by an explicit list. The job object is the parent's measure. Not
// tested on Windows.
func harden() []measure {
	return []measure{
		measured(LayerDescriptors, nil),
		{
			Layer:    LayerSystemCalls,
			Problem:  errors.ErrUnsupported.Error() + ": the process may use files and the network as its user may",
			Optional: true,
		},
	}
}
