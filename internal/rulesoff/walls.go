package main

// walls are the edits for the process that evaluates expressions, rule 8.7.
var walls = []switchOff{
	{
		Rule: "8.7 system calls are refused by default", File: "sandbox/seccomp_linux.go",
		Old:  "statement(bpfReturn, retAbsent),\n\t\tstatement(bpfReturn, retDeny),",
		New:  "statement(bpfReturn, retAbsent),\n\t\tstatement(bpfReturn, retAllow),",
		Test: "./sandbox TestRule8_7_NothingIsReachedFromInside",
	},
	{
		Rule: "8.7 the filter is on all threads", File: "sandbox/seccomp_linux.go",
		Old:  "unix.SECCOMP_FILTER_FLAG_TSYNC, ",
		New:  "0, ",
		Test: "./sandbox TestRule8_7_AllThreadsAreHeld",
	},
	{
		Rule: "8.7 no executable memory", File: "sandbox/seccomp_linux.go",
		Old:  "argumentTest{argument, unix.PROT_EXEC, 0}",
		New:  "argumentTest{argument, 0, 0}",
		Test: "./sandbox TestRule8_7_NothingIsReachedFromInside",
	},
	{
		Rule: "8.7 no signals to other processes", File: "sandbox/seccomp_linux.go",
		Old:  "{unix.SYS_TGKILL, &argumentTest{0, 0xffffffff, uint32(pid)}}",
		New:  "{unix.SYS_TGKILL, nil}",
		Test: "./sandbox TestRule8_7_NothingIsReachedFromInside",
	},
	{
		Rule: "8.7 no processes", File: "sandbox/seccomp_linux.go",
		Old:  "{unix.SYS_CLONE, &argumentTest{0, threadFlags | namespaceFlags, threadFlags}}",
		New:  "{unix.SYS_CLONE, nil}",
		Test: "./sandbox TestRule8_7_NothingIsReachedFromInside",
	},
	{
		Rule: "8.7 calls of other interfaces", File: "sandbox/seccomp_linux.go",
		Old:  "if foreignCalls != 0 {",
		New:  "if false {",
		Test: "./sandbox TestRule8_7_FilterKillsForeignCalls",
	},
	{
		Rule: "8.7 calls of another architecture", File: "sandbox/seccomp_linux.go",
		Old:  "jump(bpfJumpIfEqual, auditArch, 1, 0)",
		New:  "jump(bpfJumpIfEqual, auditArch, 1, 1)",
		Test: "./sandbox TestRule8_7_FilterKillsForeignCalls",
	},
	{
		Rule: "8.7 inherited descriptors are closed", File: "sandbox/harden_linux.go",
		Old:  "if err != nil || fd <= repliesFd || isPoller(fd) {",
		New:  "if err != nil || fd > 0 {",
		Test: "./sandbox TestRule8_7_TheProcessSeesNothingOfItsParent",
	},
	{
		Rule: "8.7 no environment", File: "sandbox/process.go",
		Old:  "cmd.Env = []string{}",
		New:  "cmd.Env = os.Environ()",
		Test: "./sandbox TestRule8_7_TheProcessSeesNothingOfItsParent",
	},
	{
		Rule: "8.7 no privileges, no tracing", File: "sandbox/harden_linux.go",
		Old:  "unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)",
		New:  "error(nil)",
		Test: "./sandbox TestRule8_7_HoldsForAnOrdinaryUserToo",
	},
	{
		Rule: "8.7 limits of the system", File: "sandbox/harden_unix.go",
		Old:  "value = min(value, now.Max)",
		New:  "value = now.Max",
		Test: "./sandbox TestRule8_7_LimitsAreInForce",
	},
	{
		Rule: "8.7 limit of memory", File: "sandbox/watchdog.go",
		Old:  "int64(used) > w.memory.Load()",
		New:  "false && used > 0",
		Test: "./sandbox TestRule8_7_Bombs",
	},
	{
		Rule: "8.7 limit of stack", File: "sandbox/child.go",
		Old:  "debug.SetMaxStack(maxStack)",
		New:  "",
		Test: "./sandbox TestRule8_7_Bombs",
	},
	{
		Rule: "8.7 limit of threads", File: "sandbox/child.go",
		Old:  "debug.SetMaxThreads(maxThreads)",
		New:  "",
		Test: "./sandbox TestRule8_7_Bombs",
	},
	{
		Rule: "8.7 no process outlives its parent's call", File: "sandbox/watchdog.go",
		Old:  "if int64(time.Since(w.started)) > w.deadline.Load() {",
		New:  "if false {",
		Test: "./sandbox TestRule8_7_NoProcessOutlivesItsParent",
	},
	{
		Rule: "8.7 fails closed in the parent", File: "sandbox/starter.go",
		Old:  "weak && !p.o.ProcessOnly",
		New:  "weak && false",
		Test: "./sandbox TestRule8_7_FailsClosed",
	},
	{
		Rule: "8.7 fails closed in the process", File: "sandbox/child.go",
		Old:  "weak && !slices.Contains(args, modeProcessOnly)",
		New:  "weak && false && slices.Contains(args, modeProcessOnly)",
		Test: "./sandbox TestRule8_7_FailsClosed",
	},
	{
		Rule: "8.7 the parent reads no more than it allows", File: "sandbox/proto.go",
		Old:  "if uint64(length) > uint64(limit) {",
		New:  "if false {",
		Test: "./sandbox TestRule8_7_ReplyOfAProcessThatLies",
	},
	{
		Rule: "8.7 messages of a process are made harmless", File: "sandbox/sandbox.go",
		Old:  "message := oneLine(string(answer.body), maxMessage)",
		New:  "message := string(answer.body)",
		Test: "./sandbox TestRule8_7_ReplyOfAProcessThatLies",
	},
	{
		Rule: "8.7 a runaway expression is ended", File: "sandbox/process.go",
		Old:  "p.calls++",
		New:  "_ = 0",
		Test: "./sandbox TestRule8_7_ProcessesAreReplacedInTime",
	},
	{
		Rule: "8.7 a call that ends takes its process along", File: "sandbox/process.go",
		Old:  "stop := context.AfterFunc(ctx, p.kill)\n\tif err = writeRequest",
		New:  "stop := context.AfterFunc(context.WithoutCancel(ctx), p.kill)\n\tif err = writeRequest",
		Test: "./sandbox TestRule8_7_TimeoutAndCancelledAreDistinct",
	},
	{
		Rule: "8.7 size of the data", File: "sandbox/sandbox.go",
		Old:  "if len(data) > p.o.MaxInput {",
		New:  "if false {",
		Test: "./sandbox TestRule8_7_Sizes",
	},
	{
		Rule: "8.7 the process ends first in shortage", File: "sandbox/harden_linux.go",
		Old:  `[]byte("1000")`,
		New:  `[]byte("0")`,
		Test: "./sandbox TestRule8_7_TheProcessEndsFirstInShortage",
	},
	{
		Rule: "8.7 a process of its own session", File: "sandbox/start_unix.go",
		Old:  "Setsid: true",
		New:  "Setsid: false",
		Test: "./sandbox TestRule8_7_SignalsOfTheTerminalAreNotForTheProcess",
	},
}
