package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// Cores pins this process, and what it starts from now on, to one core, and
// returns another one for what is measured, or says why there is none.
func Cores() (measured int, err error) {
	if runtime.GOOS != "linux" {
		return -1, errors.New("only Linux has taskset")
	}
	allowed, err := allowedCores("/proc/self/status")
	if err != nil {
		return -1, err
	}
	if len(allowed) < 2 {
		return -1, errors.New("there is only one core")
	}
	return allowed[1], pin(allowed[0])
}

// pin puts this process on a core, with every thread that it has and will have.
func pin(core int) error {
	output, err := exec.Command("taskset", "-a", "-p", "-c", strconv.Itoa(core), strconv.Itoa(os.Getpid())).CombinedOutput()
	if err != nil {
		return fmt.Errorf("taskset: %w %s", err, output)
	}
	return nil
}

// allowedCores reads the cores that this process may use.
func allowedCores(status string) ([]int, error) {
	data, err := os.ReadFile(status)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		if list, ok := strings.CutPrefix(line, "Cpus_allowed_list:"); ok {
			return parseCores(strings.TrimSpace(list))
		}
	}
	return nil, errors.New(status + " has no list of cores")
}

// parseCores reads a list such as 0-2,5.
func parseCores(list string) ([]int, error) {
	var cores []int
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.Atoi(first)
		if err != nil {
			return nil, err
		}
		to, err := strconv.Atoi(last)
		if err != nil {
			return nil, err
		}
		for core := from; core <= to; core++ {
			cores = append(cores, core)
		}
	}
	return cores, nil
}
