package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

func enlarge(*os.File) {}

// command passes the pipes on as inherited handles, whose numbers are arguments.
// Not tested on Windows.
func command(prog program, args []string, in, out *os.File) (*exec.Cmd, error) {
	argv := append([]string{prog.argv0}, args...)
	var handles []syscall.Handle
	for _, f := range []*os.File{in, out} {
		h := f.Fd()
		err := windows.SetHandleInformation(windows.Handle(h), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT)
		if err != nil {
			return nil, err
		}
		handles = append(handles, syscall.Handle(h))
		argv = append(argv, strconv.FormatUint(uint64(h), 10))
	}
	return &exec.Cmd{
		Path:        prog.path,
		Args:        argv,
		SysProcAttr: &syscall.SysProcAttr{HideWindow: true, AdditionalInheritedHandles: handles},
	}, nil
}

// childArguments returns what follows the name of a select process in the
// arguments of this process, if it is one.
func childArguments(name string) ([]string, bool) {
	if len(os.Args) == 0 || os.Args[0] != name {
		return nil, false
	}
	return os.Args[1:], true
}

// childPipes returns the ends that command passed on: the last two arguments.
func childPipes(args []string) (requests, replies *os.File, err error) {
	var files []*os.File
	for _, arg := range args[max(len(args)-2, 0):] {
		h, err := strconv.ParseUint(arg, 10, 64)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, os.NewFile(uintptr(h), "pipe"))
	}
	if len(files) != 2 {
		return nil, nil, fmt.Errorf("two handles are needed, %d are given", len(files))
	}
	return files[0], files[1], nil
}

// contain puts a process that was just started into a job object of its own,
// which bounds its memory, forbids it others, and ends it with its parent. The
// process is served nothing before that. release closes the job.
func contain(cmd *exec.Cmd) (measures []measure, release func()) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return []measure{measured(LayerLimits, err)}, func() {}
	}
	release = func() { _ = windows.CloseHandle(job) }
	if err := limitJob(job); err != nil {
		return []measure{measured(LayerLimits, err)}, release
	}
	assign := func(h uintptr) { err = windows.AssignProcessToJobObject(job, windows.Handle(h)) }
	if handleErr := cmd.Process.WithHandle(assign); handleErr != nil {
		err = handleErr
	}
	return []measure{measured(LayerLimits, err)}, release
}

func limitJob(job windows.Handle) error {
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY |
		windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS |
		windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE |
		windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION
	limits.BasicLimitInformation.ActiveProcessLimit = 1
	limits.ProcessMemoryLimit = uintptr(maxData)
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	return err
}
