// Package guard is an http.Client that reaches public addresses only, for
// programs that fetch what others tell them to:
//
//	package main
//
//	import (
//		"errors"
//		"fmt"
//		"os"
//
//		"github.com/kervan-mcp/kervan/guard"
//	)
//
//	func main() {
//		client, err := guard.NewClient(guard.Policy{Deny: []string{"198.51.100.0/24"}})
//		if err != nil {
//			fmt.Fprintln(os.Stderr, err)
//			os.Exit(1)
//		}
//		resp, err := client.Get("https://example.com/")
//		if blocked, ok := errors.AsType[*guard.BlockedError](err); ok {
//			fmt.Fprintln(os.Stderr, blocked.Host, "is out of reach:", blocked.Reason)
//			os.Exit(1)
//		}
//		if err != nil {
//			fmt.Fprintln(os.Stderr, err)
//			os.Exit(1)
//		}
//		defer resp.Body.Close()
//		fmt.Println(resp.Status)
//	}
//
// A name is resolved once for each connection, every answer must pass the
// [Policy], and only addresses that passed are dialled: so neither a name that
// resolves differently the second time nor a redirect leads inside. What cannot
// be decided is refused. Connections are pooled, and stay with the address they
// were judged for.
//
// An address is judged in this order: it is not a plain unicast address →
// refused; a metadata service of a cloud, also inside an IPv6 transition format
// → refused, whatever the policy says; Policy.Deny → refused; Policy.Allow →
// accepted; Policy.AllowPrivate → accepted; an address of this machine →
// refused; not public by the IANA registries → refused; else accepted.
package guard
