package sandbox

import (
	"os"
	"os/exec"
)

const maxNameIndex = 1

// profile lets the program load itself and the system's libraries, and forbids the
// rest. Not tested on macOS.
const profile = `(version 1)
(deny default)
(allow process-exec (literal (param "PROGRAM")))
(allow file-read* (literal (param "PROGRAM")) (literal "/") (literal "/dev/null")
	(subpath "/usr/lib") (subpath "/System/Library") (subpath "/System/Volumes/Preboot/Cryptexes")
	(subpath "/private/var/db/dyld"))
(allow sysctl-read)
(allow signal (target self))
`

const sandboxExec = "/usr/bin/sandbox-exec"

func enlarge(*os.File) {}

// command wraps the program into sandbox-exec, unless the pool does without what
// the system may refuse.
func command(prog program, args []string, in, out *os.File) (*exec.Cmd, error) {
	if args[0] == modeProcessOnly {
		return unixCommand(prog.path, append([]string{prog.argv0}, args...), in, out), nil
	}
	argv := append([]string{sandboxExec, "-D", "PROGRAM=" + prog.path, "-p", profile, prog.path, prog.argv0}, args...)
	return unixCommand(sandboxExec, argv, in, out), nil
}
