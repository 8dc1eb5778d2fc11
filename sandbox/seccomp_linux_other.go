//go:build linux && !amd64 && !arm64

package sandbox

import "errors"

func filterSystemCalls() error {
	return errors.New("there is no filter for this processor")
}
