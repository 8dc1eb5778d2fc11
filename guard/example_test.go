package guard_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/kervan-mcp/kervan/guard"
)

// A server on the loopback is out of reach, until the policy allows it.
func ExampleNewClient() {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()

	client, err := guard.NewClient(guard.Policy{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = client.Get(server.URL)
	if blocked, ok := errors.AsType[*guard.BlockedError](err); ok {
		fmt.Println(blocked.Reason)
	}

	client, err = guard.NewClient(guard.Policy{Allow: []string{"127.0.0.1"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.CloseIdleConnections()
	resp, err := client.Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close()
	fmt.Println(resp.Status)
	// Output:
	// own_address
	// 404 Not Found
}

func ExampleNormalizeHost() {
	for _, host := range []string{"Bücher.Example", "[::1]", "0x7f.1"} {
		normal, err := guard.NormalizeHost(host)
		fmt.Println(normal, err)
	}
	// Output:
	// xn--bcher-kva.example <nil>
	// ::1 <nil>
	//  host "0x7f.1" is blocked: it is neither a host name nor an IP address in its usual spelling
}
