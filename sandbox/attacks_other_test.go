//go:build !linux

package sandbox

func systemAttacks() map[string]attack { return nil }
