package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"time"
)

// An attack runs in a select process and returns what came of it.
type attack = func(argument string) string

// attacks by name. The ones of one system are in a file of their own.
func attacks() map[string]attack {
	all := map[string]attack{
		"attack:pid":         func(string) string { return fmt.Sprint(os.Getpid()) },
		"attack:environment": func(string) string { return fmt.Sprintf("%q %q %q", atStart, os.Environ(), os.Args) },
		"attack:count":       func(string) string { return fmt.Sprint(counted.Add(1)) },
		"attack:sleep":       sleep,
		"attack:die":         func(string) string { exit(3); return "" },
		"attack:panic":       func(a string) string { panic("panic with " + a) },
		"attack:print":       printAll,
		"attack:spin":        spin,
		"attack:memory":      growMemory,
		"attack:allocation":  allocateAtOnce,
		"attack:recursion":   func(string) string { return fmt.Sprint(recurse(0)) },
		"attack:threads":     makeThreads,
		"attack:runtime":     useRuntime,
	}
	for name, a := range systemAttacks() {
		all[name] = a
	}
	return all
}

// counted counts the attacks of a process that ask for it.
var counted atomic.Int64

func sleep(argument string) string {
	d, err := time.ParseDuration(argument)
	time.Sleep(d)
	return fmt.Sprint(err)
}

func printAll(argument string) string {
	_, _ = fmt.Fprintln(os.Stdout, argument)
	_, _ = fmt.Fprintln(os.Stderr, argument)
	return "printed"
}

func spin(string) string {
	for n := 0; ; n++ {
		if n < 0 {
			return "overflow"
		}
	}
}

// growMemory would end with 4 GiB.
func growMemory(string) string {
	var kept [][]byte
	for range 4096 {
		block := make([]byte, 1<<20)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		kept = append(kept, block)
	}
	return fmt.Sprint(len(kept))
}

func allocateAtOnce(string) string {
	block := make([]byte, 4<<30)
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
	return fmt.Sprint(len(block))
}

func recurse(n int) int {
	if n < 0 {
		return n
	}
	return recurse(n+1) + 1
}

func makeThreads(string) string {
	const threads = 2 * maxThreads
	for range threads {
		go func() {
			runtime.LockOSThread()
			select {}
		}()
		time.Sleep(time.Millisecond)
	}
	return fmt.Sprint(threads, " threads")
}

// useRuntime does all that a Go program may do by itself: new threads, timers,
// garbage collection, giving memory back, and a fault that it recovers from.
func useRuntime(string) string {
	done := make(chan int)
	for range 16 {
		go func() {
			runtime.LockOSThread() // the thread ends with the goroutine
			sum := 0
			for range 20 {
				sum += len(slices.Repeat([]byte{1}, 1<<16))
				time.Sleep(time.Millisecond)
			}
			done <- sum
		}()
	}
	sum := 0
	for range 16 {
		sum += <-done
	}
	runtime.GC()
	func() {
		defer func() { _ = recover() }()
		var p *int
		*p = 1
	}()
	// Longer than the interval of the runtime's own updates.
	time.Sleep(1200 * time.Millisecond)
	return fmt.Sprint("ok ", sum)
}
