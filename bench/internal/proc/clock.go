package proc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Clock is the processor time that a process and the children it has at the
// moment have used.
type Clock struct {
	own      usage
	children map[string]usage
	ended    time.Duration // that of children that have ended, counted in ticks
}

// ReadClock reads the clock of a process. The children that are named here do not
// count while they run.
func ReadClock(pid int, without ...int) (Clock, error) {
	c := Clock{children: map[string]usage{}}
	dir := fmt.Sprintf("/proc/%d", pid)
	var err error
	if c.own, err = readUsage(dir); err != nil {
		return c, err
	}
	if c.ended, err = ticks(filepath.Join(dir, "stat"), waitedFor); err != nil {
		return c, err
	}
	lists, err := filepath.Glob(filepath.Join(dir, "task", "*", "children"))
	if err != nil {
		return c, err
	}
	for _, list := range lists {
		data, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for child := range strings.FieldsSeq(string(data)) {
			if id, err := strconv.Atoi(child); err != nil || slices.Contains(without, id) {
				continue
			}
			if used, err := readUsage("/proc/" + child); err == nil {
				c.children[child] = used
			}
		}
	}
	return c, nil
}

// Since returns the time that was used from an earlier reading on, by the process
// itself and by its children.
func (c Clock) Since(before Clock) (own, children time.Duration) {
	for child, used := range c.children {
		children += used.since(before.children[child])
	}
	ended := c.ended - before.ended
	for child, used := range before.children {
		if _, runs := c.children[child]; !runs {
			ended -= used.ticks
		}
	}
	return c.own.since(before.own), children + max(0, ended)
}

// usage is the processor time that each thread of a process has used.
type usage struct {
	threads map[string]time.Duration
	ticks   time.Duration // of the whole process, counted in ticks
}

func readUsage(dir string) (usage, error) {
	u := usage{threads: map[string]time.Duration{}}
	var err error
	if u.ticks, err = ticks(filepath.Join(dir, "stat"), itself); err != nil {
		return u, err
	}
	threads, err := os.ReadDir(filepath.Join(dir, "task"))
	if err != nil {
		return u, err
	}
	for _, thread := range threads {
		data, err := os.ReadFile(filepath.Join(dir, "task", thread.Name(), "schedstat"))
		if err != nil {
			continue
		}
		used, _, _ := strings.Cut(string(data), " ")
		if ns, err := strconv.ParseInt(used, 10, 64); err == nil {
			u.threads[thread.Name()] = time.Duration(ns)
		}
	}
	return u, nil
}

// since returns the time that was used from an earlier reading on. A thread that
// has ended took its time with it; then the ticks have to do.
func (u usage) since(before usage) time.Duration {
	var sum time.Duration
	for name, used := range u.threads {
		sum += used - before.threads[name]
	}
	for name := range before.threads {
		if _, ok := u.threads[name]; !ok {
			return u.ticks - before.ticks
		}
	}
	if sum <= 0 {
		return u.ticks - before.ticks
	}
	return sum
}

// Where the times of user and system begin among the fields of a stat file.
const (
	itself    = 11
	waitedFor = 13 // the children that have ended
)

// ticks reads two times of a whole process, which the kernel counts in hundredths
// of a second, and adds them up.
func ticks(stat string, field int) (time.Duration, error) {
	data, err := os.ReadFile(stat)
	if err != nil {
		return 0, err
	}
	// The name in brackets may hold anything; the fields after it are counted.
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	if len(fields) < field+2 {
		return 0, errors.New(stat + " is not understood")
	}
	var sum int64
	for _, text := range fields[field : field+2] {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return time.Duration(sum) * 10 * time.Millisecond, nil
}
