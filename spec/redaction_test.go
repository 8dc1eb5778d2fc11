package spec_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/kerventest"
)

// placesOf are where a secret can be sent; not all can be everywhere.
func placesOf(secret string) map[string]string {
	all := map[string]string{
		"query": `query: {k: "{{secrets.KEY}}"}`, "body": `method: POST, body: {k: "{{secrets.KEY}}"}`, "form": `method: PUT, form: {k: "{{secrets.KEY}}"}`,
	}
	if secret != linesKey {
		all["path"] = ""
	}
	if secret == plainKey || secret == digitsKey {
		all["header"] = `headers: {X-Key: "Bearer {{secrets.KEY}}"}`
	}
	return all
}

// outputs are the three kinds of output, all of which show all.
var outputs = map[string]string{"raw": `{raw: true}`, "select": `{select: "@"}`, "schema": `{select: "{v: @}", schema: {type: object}}`}

func echoTools(secret string) string {
	text := ""
	for place, lines := range placesOf(secret) {
		path := place
		if place == "path" {
			path = "path/{{secrets.KEY}}"
		}
		for kind, output := range outputs {
			text += tool(place+"_"+kind, path, lines, output)
		}
	}
	return text
}

// TestRule6_3_EveryFormEverywhere: whatever an upstream makes of a secret that
// it was sent, no client, log or event shows it.
func TestRule6_3_EveryFormEverywhere(t *testing.T) {
	for _, secret := range []string{plainKey, trickyKey, digitsKey, linesKey} {
		f := newFixture(t, map[string]string{"KEY": secret}, echoTools(secret))
		all, clean := documents(secret), map[string]bool{}
		tools := []string{"query_raw", "query_select", "query_schema"}
		for i, place := range slices.Sorted(maps.Keys(placesOf(secret))) {
			tools = append(tools, place+"_"+slices.Sorted(maps.Keys(outputs))[i%3])
		}
		f.each(func(t *testing.T, c *kerventest.Client) {
			for shape, document := range all {
				f.json(document)
				for _, name := range tools {
					res := c.Call(name, nil)
					require.False(t, res.IsError, "%s", res.Raw)
					require.Equal(t, secret, f.lastSecret(), "%s: it was sent", name)
					require.Contains(t, string(res.Raw), "[redacted]")
					if clean[string(res.Raw)] {
						continue
					}
					require.Empty(t, leak(string(res.Raw), secret, 3), "%s by %s", shape, name)
					clean[string(res.Raw)] = true
				}
			}
			require.Empty(t, leak(c.Exchange(), secret, 0))
		})
	}
}

// TestRule6_3_Texts: a raw output that is no JSON.
func TestRule6_3_Texts(t *testing.T) {
	arounds := []string{"%s", "a %s b", "<p title='%s'>", "k=%s&x=y", `{"unfinished":"%s`, "é%sé"}
	for _, secret := range []string{plainKey, trickyKey, digitsKey, linesKey} {
		f := newFixture(t, map[string]string{"KEY": secret}, echoTools(secret))
		c := kerventest.New(t, f.app)
		all := spellings(secret)
		for i, name := range slices.Sorted(maps.Keys(all)) {
			for _, around := range []string{arounds[i%len(arounds)], arounds[(i/2+3)%len(arounds)]} {
				f.text("text/html; charset=utf-8", fmt.Sprintf(around, all[name]))
				res := c.Call("query_raw", nil)
				require.Contains(t, res.Text, "[redacted]", "%s in %s: %s", name, around, all[name])
				require.Empty(t, leak(string(res.Raw), secret, 3), "%s in %s", name, around)
			}
		}
		f.nothingTold(secret)
	}
}

// TestRule6_3_Overlaps: of two secrets that share a part nothing is left.
func TestRule6_3_Overlaps(t *testing.T) {
	const a, b = "abcdefgh1QWE", "gh1QWEijklmn"
	both := tool("both", "x", `headers: {X-Key: "{{secrets.KEY}}", X-Other: "{{secrets.OTHER}}"}`, outputs["select"])
	f := newFixture(t, map[string]string{"KEY": a, "OTHER": b}, both)
	f.each(func(t *testing.T, c *kerventest.Client) {
		for _, joined := range []string{"abcdefgh1QWEijklmn", a + b, b + a, a + a + b} {
			for name, spelled := range spellings(joined) {
				f.json(quote("<" + spelled + ">"))
				text := c.Call("both", nil).Text
				for _, secret := range []string{a, b} {
					require.Empty(t, leak(text, secret, 3), "%s of %s", name, joined)
				}
				for _, part := range []string{"abcd", "ijkl", "klmn", "QWE"} {
					require.NotContains(t, text, part, "%s of %s", name, joined)
				}
			}
		}
	})
}

// TestRule6_3_CutAnywhere: no limit of the output shows a beginning.
func TestRule6_3_CutAnywhere(t *testing.T) {
	text := ""
	for limit := 1; limit <= 66; limit++ {
		for kind, output := range outputs {
			text += tool(fmt.Sprintf("%s%d", kind, limit), "x", fmt.Sprintf(`query: {k: "{{secrets.KEY}}"}, maxOutputChars: %d`, limit), output)
		}
	}
	f := newFixture(t, map[string]string{"KEY": plainKey}, text)
	f.each(func(t *testing.T, c *kerventest.Client) {
		for _, form := range []string{plainKey, url.QueryEscape(url.QueryEscape(plainKey)), quote(plainKey), base64.StdEncoding.EncodeToString([]byte(plainKey))} {
			f.text("text/plain", "xxxxxx "+form+" yyyyyyy")
			for limit := 1; limit <= 66; limit++ {
				text := c.Call(fmt.Sprint("raw", limit), nil).Text
				require.NotContains(t, text, plainKey[:4], "text cut at %d", limit)
				require.NotContains(t, text, form[:5], "text cut at %d", limit)
			}
			f.json(`["xxxxxxxxxxxxxx",` + quote("yyyyyy "+form+" zzzzzzzzz") + `,{` + quote(form) + `:[1,2]}]`)
			for limit := 1; limit <= 66; limit++ {
				for kind := range outputs {
					res := c.Call(fmt.Sprintf("%s%d", kind, limit), nil)
					require.NotContains(t, string(res.Raw), plainKey[:4], "%s cut at %d", kind, limit)
					require.NotContains(t, string(res.Raw), form[:5], "%s cut at %d", kind, limit)
				}
			}
		}
	})
}

// TestRule6_3_Failures: an upstream that fails shows nothing either, in no part
// of its response and in no error of whoever reads it.
func TestRule6_3_Failures(t *testing.T) {
	strict := tool("strict", "x", `query: {k: "{{secrets.KEY}}"}`, `{select: "{v: @}", schema: {type: object, properties: {v: {type: integer, enum: [1]}}}}`)
	f := newFixture(t, map[string]string{"KEY": plainKey}, echoTools(plainKey)+strict)
	f.each(func(t *testing.T, c *kerventest.Client) {
		for name, response := range map[string]string{
			"status text": "HTTP/1.1 500 S\r\nX: S\r\nConnection: close\r\n\r\nS", "own status": "HTTP/1.1 599 S\r\nContent-Length: 0\r\n\r\n", "status": "HTTP/1.1 S\r\n\r\n",
			"version": "S 200 OK\r\n\r\n", "first line": "S\r\n\r\n", "header": "HTTP/1.1 200 OK\r\nS\r\n\r\n", "header value": "HTTP/1.1 200 OK\r\nX: \x00S\r\n\r\n",
			"length": "HTTP/1.1 200 OK\r\nContent-Length: S\r\n\r\n", "transfer": "HTTP/1.1 200 OK\r\nTransfer-Encoding: S\r\n\r\n",
			"chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nS\r\nS\r\n", "short": "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n\"S",
			"trailer": "HTTP/1.1 200 OK\r\nTrailer: S\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\nS: S\r\nS\r\n\r\n",
			"type":    "HTTP/1.1 200 OK\r\nContent-Type: x/S\r\nContent-Length: 1\r\n\r\n\x01", "charset": "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=S\r\nContent-Length: 1\r\n\r\n1",
			"coding": "HTTP/1.1 200 OK\r\nContent-Encoding: S\r\nContent-Length: 1\r\n\r\n1", "gzip": "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\nS!!",
			"location": "HTTP/1.1 302 S\r\nLocation: https://S.example.com/S\r\nContent-Length: 0\r\n\r\n", "loop": "HTTP/1.1 307 S\r\nLocation: /S?S#S\r\nContent-Length: 0\r\n\r\n",
			"userinfo": "HTTP/1.1 302 S\r\nLocation: https://S:S@127.0.0.1/\r\nContent-Length: 0\r\n\r\n", "scheme": "HTTP/1.1 302 S\r\nLocation: S:S\r\nContent-Length: 0\r\n\r\n",
			"bad location": "HTTP/1.1 302 S\r\nLocation: https://S:S%zz/\r\nContent-Length: 0\r\n\r\n", "private": "HTTP/1.1 302 S\r\nLocation: https://10.0.0.7/S\r\nContent-Length: 0\r\n\r\n",
			"no JSON": "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\nS", "half JSON": "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{\"S\":\"S",
			"twice": "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{\"S\":1,\"S\":2}", "violation": "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{\"S\":\"S\"}",
			"early": "HTTP/1.1 103 S\r\nLink: S\r\n\r\nHTTP/1.1 500 S\r\nContent-Length: 0\r\n\r\n", "switching": "HTTP/1.1 101 S\r\nUpgrade: S\r\n\r\n",
		} {
			for _, form := range []string{plainKey, base64.StdEncoding.EncodeToString([]byte("me:" + plainKey))} {
				f.respond(func(w http.ResponseWriter, _ string) {
					conn, _, err := w.(http.Hijacker).Hijack()
					if err == nil {
						_, _ = conn.Write([]byte(strings.ReplaceAll(response, "S", form)))
						_ = conn.Close()
					}
				})
				for _, tool := range []string{"header_raw", "path_select", "strict"} {
					res := c.Call(tool, nil)
					require.Empty(t, leak(string(res.Raw), plainKey, 3), "%s to %s", name, tool)
				}
			}
		}
	})
	require.Contains(t, f.told.String(), "malformed HTTP", "causes are told, without the secret")
}

// TestRule6_3_Pointers: an error that says where a document is broken spells its
// keys as a JSON Pointer does.
func TestRule6_3_Pointers(t *testing.T) {
	for _, secret := range []string{"wJalrXUt/nFEMI/K7MD~NG", "~~~~/~~/~~~~", "/a/b/c/d/e/f/g"} {
		f := newFixture(t, map[string]string{"KEY": secret}, echoTools(secret))
		f.each(func(t *testing.T, c *kerventest.Client) {
			for _, document := range []string{`{K:`, `{K:1,K:2}`, `{"a":[{K:{"b":`, `{K:{"b":1e99999999}}`, `{K:{"b":"\ud800"}}`, `{"a":{K:` + strings.Repeat("[", 300)} {
				f.json(strings.ReplaceAll(document, "K", quote("<"+secret+">")))
				for kind := range outputs {
					require.Empty(t, leak(string(c.Call("query_"+kind, nil).Raw), secret, 3), document)
				}
			}
		})
	}
}

// TestRule6_3_WholeValues: what stands beside a secret in a header, a segment or
// a query value is not shown either.
func TestRule6_3_WholeValues(t *testing.T) {
	beside := tool("beside", "path/word-{{secrets.KEY}}", `headers: {X-Key: "word2 {{secrets.KEY}}"}, query: {k: "word3:{{secrets.KEY}}"}`, outputs["select"])
	f := newFixture(t, map[string]string{"KEY": plainKey}, beside)
	f.each(func(t *testing.T, c *kerventest.Client) {
		f.json("1")
		c.Call("beside", nil)
		for _, value := range []string{"word-", "word2 ", "word3:"} {
			for _, spelled := range []string{value + plainKey, url.QueryEscape(value + plainKey), base64.StdEncoding.EncodeToString([]byte(value + plainKey))} {
				f.json(quote("<" + spelled + ">"))
				require.Equal(t, `"<[redacted]>"`, c.Call("beside", nil).Text, spelled)
			}
		}
	})
}
