//go:build race

package sandbox

// raceEnabled: the race detector reserves more data memory than a limit of the
// system could grant.
const raceEnabled = true
