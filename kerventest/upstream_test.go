package kerventest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/kervan-mcp/kervan/kerventest"
)

func send(t *testing.T, client *http.Client, method, url, body string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(text)
}

func TestUpstream(t *testing.T) {
	for name, start := range map[string]func(testing.TB) *kerventest.API{"plain": kerventest.Upstream, "TLS": kerventest.UpstreamTLS} {
		t.Run(name, func(t *testing.T) {
			api := start(t)
			if (api.TLS() != nil) != (name == "TLS") || !strings.HasSuffix(api.URL(), "://"+api.Host()) {
				t.Error(api.URL(), api.Host(), api.TLS())
			}
			transport := &http.Transport{TLSClientConfig: api.TLS()}
			defer transport.CloseIdleConnections()
			client := &http.Client{Transport: transport}

			if res, _ := send(t, client, "GET", api.URL()+"/a", ""); res.StatusCode != 404 {
				t.Error(res.Status)
			}
			api.Answer("*", kerventest.Answer{Status: 418})
			api.JSON("/a%2Fb", `{"any":true}`)
			api.JSON("POST /a%2Fb", `{"post":true}`)
			api.Handle("PUT /echo", func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
			if res, text := send(t, client, "GET", api.URL()+"/a%2Fb?q=1", ""); text != `{"any":true}` || res.Header.Get("Content-Type") != "application/json" {
				t.Error(text, res.Header)
			}
			if _, text := send(t, client, "POST", api.URL()+"/a%2Fb", ""); text != `{"post":true}` {
				t.Error(text)
			}
			if _, text := send(t, client, "PUT", api.URL()+"/echo", "hello"); text != "hello" {
				t.Error(text)
			}
			if res, _ := send(t, client, "GET", api.URL()+"/echo", ""); res.StatusCode != 418 {
				t.Error(res.Status)
			}
			got := api.Requests()
			if len(got) != 5 || got[1].Method != "GET" || got[1].Path != "/a%2Fb" || got[1].RawQuery != "q=1" || got[3].Body != "hello" {
				t.Errorf("%+v", got)
			}
			if api.Last().Path != "/echo" {
				t.Error(api.Last())
			}
		})
	}
}
