package work

import (
	"fmt"
	"strconv"
	"strings"
)

// Set returns the tools that a server has: "call" is the two that are called,
// "add" the trivial one alone, "add-of-N" the same among others, and a number so
// many that are only listed.
func Set(name string) ([]Tool, error) {
	switch name {
	case "call":
		return []Tool{AddTool, OrderTool}, nil
	case "add":
		return []Tool{AddTool}, nil
	}
	count, called := strings.CutPrefix(name, "add-of-")
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 {
		return nil, fmt.Errorf("there is no set of tools named %q", name)
	}
	if called {
		return append(Named(n-1), AddTool), nil
	}
	return Named(n), nil
}
