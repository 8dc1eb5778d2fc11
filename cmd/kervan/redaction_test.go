package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hiddenKey is a secret that escapes spell in their own ways.
const hiddenKey = `hunter2/"hunter2"+hunter2&9`

// spellings are forms in which an upstream sends a secret back.
func spellings() map[string]string {
	quoted, _ := json.Marshal(hiddenKey)
	again, _ := json.Marshal(string(quoted))
	all := map[string]string{
		"raw": hiddenKey, "query": url.QueryEscape(hiddenKey), "twice": url.QueryEscape(url.QueryEscape(hiddenKey)), "path": url.PathEscape(hiddenKey),
		"json": string(quoted), "json in json": string(again), "html": html.EscapeString(hiddenKey), "hex": hex.EncodeToString([]byte(hiddenKey)),
	}
	for before := range 3 {
		all[fmt.Sprint("base64 ", before)] = base64.URLEncoding.EncodeToString([]byte("u:x"[:before] + hiddenKey))
	}
	entities := ""
	for _, r := range hiddenKey {
		entities += fmt.Sprintf("&#x%X;", r)
	}
	all["entities"] = entities
	return all
}

// requireHidden fails if a text shows a part of the secret in a form of it, or
// in one that JSON made of that.
func requireHidden(t *testing.T, text, why string) {
	t.Helper()
	require.NotContains(t, strings.ToLower(text), "hunter2", why)
	for form, spelled := range spellings() {
		quoted, _ := json.Marshal(spelled)
		for _, s := range []string{spelled, string(quoted[1 : len(quoted)-1])} {
			require.NotContains(t, strings.ToLower(text), strings.ToLower(s[2:min(18, len(s)-2)]), "%s as %s", why, form)
		}
	}
}

// secretSpec is a spec whose tools send the secret in every place to url, and
// show all of the response.
func secretSpec(upstream string) string {
	text := "specVersion: 1\nname: test\nversion: 1.0.0\nsecrets: [API_KEY]\ndefaults: {http: {allowInsecureHttp: true, followRedirects: 2}, rateLimit: {perMinute: 10000}}\ntools:\n"
	for kind, output := range map[string]string{"raw": "{raw: true}", "select": `{select: "@"}`, "schema": `{select: "{v: @}", schema: {type: object}}`, "strict": `{select: "{v: @}", schema: {type: object, properties: {v: {const: 1}}}}`} {
		text += "  - name: " + kind + "\n    description: Answers.\n    input: {type: object, properties: {do: {type: string}}}\n" +
			"    http:\n      method: POST\n      url: " + upstream + "/{{secrets.API_KEY}}\n      query: {do: '{{input.do}}', k: '{{secrets.API_KEY}}'}\n" +
			"      headers: {authorization: 'Bearer {{secrets.API_KEY}}'}\n      body: {k: ['{{secrets.API_KEY}}']}\n    output: " + output + "\n"
	}
	return text
}

// echoing answers with a form of the secret, in the way that a caller asks for.
func echoing(w http.ResponseWriter, r *http.Request) {
	way, form, _ := strings.Cut(r.URL.Query().Get("do"), "|")
	spelled := spellings()[form]
	quoted, _ := json.Marshal(map[string]any{spelled: spelled, "a": []any{1, "x" + spelled + "y"}, "got": r.URL.Query().Get("k")})
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("X-Echo", url.QueryEscape(spelled))
	switch way {
	case "status":
		w.WriteHeader(500)
		_, _ = w.Write(quoted)
	case "location":
		header.Set("Location", "http://127.0.0.1:1/?"+url.QueryEscape(spelled))
		w.WriteHeader(307)
	case "bad location":
		header.Set("Location", "http://"+url.QueryEscape(spelled)+"%zz/")
		w.WriteHeader(302)
	case "media type":
		header.Set("Content-Type", "text/"+spelled)
		_, _ = w.Write(quoted)
	case "nonsense":
		_, _ = w.Write([]byte("{" + spelled))
	case "hang up":
		header.Set("Content-Length", "9999")
		_, _ = w.Write(quoted)
	case "unsolicited":
		if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_, _ = conn.Write([]byte("HTTP/1.1 500 X\r\nContent-Length: 2\r\n\r\n{}" + spelled))
			_ = conn.Close()
		}
	case "malformed":
		if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_, _ = conn.Write([]byte("HTTP/1.1 " + url.QueryEscape(spelled) + "\r\n\r\n"))
			_ = conn.Close()
		}
	default:
		_, _ = w.Write(quoted)
	}
}

var ways = []string{"", "status", "location", "bad location", "media type", "nonsense", "hang up", "malformed", "unsolicited"}

// TestRule6_3_NothingOnTheWire: neither what the program writes to its client nor
// its messages show a secret, whatever the upstream makes of it.
func TestRule6_3_NothingOnTheWire(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(echoing))
	defer upstream.Close()
	path := specFile(t, secretSpec(upstream.URL))
	eachEra(t, func(t *testing.T, version string) {
		c := connect(t, version, []string{"API_KEY=" + hiddenKey}, "run", path, allowUpstream, "--allow-insecure-secrets")
		for _, way := range ways {
			for form := range spellings() {
				for _, tool := range []string{"raw", "select", "schema", "strict"} {
					text, isError := c.call(t, tool, map[string]any{"do": way + "|" + form})
					requireHidden(t, text, tool+" "+way+" "+form)
					if way == "" && tool != "strict" {
						require.False(t, isError, text)
						require.Contains(t, text, `"got":"[redacted]"`)
					}
				}
			}
		}
		require.NoError(t, c.Close())
		requireHidden(t, c.wire.String(), "the wire")
		requireHidden(t, c.messages.String(), "the messages")
	})
}

// TestRule6_3_RawBytes looks at standard output as it is, and at a host that is
// blocked, one that does not listen, and one that is no host.
func TestRule6_3_RawBytes(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(echoing))
	defer upstream.Close()
	for name, c := range map[string]struct {
		base  string
		flags []string
		says  string
	}{
		"answers": {upstream.URL, []string{allowUpstream}, "[redacted]"}, "blocked": {upstream.URL, nil, "127.0.0.1"},
		"metadata": {"http://169.254.169.254", []string{allowUpstream}, "169.254.169.254"}, "refused": {"http://127.0.0.1:1", []string{allowUpstream}, "127.0.0.1"},
		"no host": {"http://nowhere.invalid", nil, "nowhere.invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			lines := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
				`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
			id := 0
			for form := range spellings() {
				for _, tool := range []string{"raw", "schema"} {
					id++
					lines += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"do":%q}}}`, id, tool, "|"+form) + "\n"
				}
			}
			var messages syncBuffer
			cmd := newCommand(t, []string{"API_KEY=" + hiddenKey}, append([]string{"run", specFile(t, secretSpec(c.base)), "--allow-insecure-secrets"}, c.flags...)...)
			cmd.Stdin, cmd.Stderr = strings.NewReader(lines), &messages
			out, err := cmd.Output()
			require.NoError(t, err, messages.String())
			require.Equal(t, id+1, strings.Count(string(out), "\n"), "%s", out)
			require.Contains(t, string(out), c.says)
			requireHidden(t, string(out), "standard output")
			requireHidden(t, messages.String(), "standard error")
		})
	}
}

// TestRule10_7_SecretsInBadSpecs: an author who wrote the value of a secret where
// its name belongs, or anywhere else, does not find it on the terminal.
func TestRule10_7_SecretsInBadSpecs(t *testing.T) {
	const value = "hunter2-hunter2-9f"
	good := secretSpec("http://127.0.0.1:1")
	for name, edit := range map[string][2]string{
		"userinfo": {"http://127.0.0.1:1/", "http://" + value + "@127.0.0.1:1/"}, "password": {"http://127.0.0.1:1/", "http://u:" + value + "@127.0.0.1:1/"},
		"host": {"http://127.0.0.1:1/", "http://" + value + "_/"}, "port": {"127.0.0.1:1/", "127.0.0.1:" + value + "/"}, "scheme": {"http://127.0.0.1:1/", value + "://127.0.0.1/"},
		"fragment": {"127.0.0.1:1/", "127.0.0.1:1/#" + value}, "list": {"[API_KEY]", "[" + value + "]"}, "binding": {"[API_KEY]", "[{name: API_KEY, hosts: [" + value + "/x]}]"},
		"reference": {"{{secrets.API_KEY}}'}\n", "{{secrets." + value + "}}'}\n"}, "syntax": {"{{secrets.API_KEY}}'}\n", "{{" + value + "'}\n"},
		"root": {"{{secrets.API_KEY}}'}\n", "{{" + strings.ReplaceAll(value, "-", "_") + ".x}}'}\n"}, "header": {"authorization:", "'" + value + " x':"},
		"method": {"method: POST", "method: " + value}, "number": {"perMinute: 10000", "perMinute: " + value}, "field": {"method: POST", value + ": POST"},
		"tool": {"name: raw", "name: '" + value + " !'"}, "select": {`"@"`, `"` + value + `("`}, "function": {`"@"`, `"` + strings.ReplaceAll(value, "-", "_") + `(@)"`},
		"version": {"specVersion: 1", "specVersion: " + value}, "YAML": {"tools:", "tools: *" + value}, "tag": {"tools:", "tools: !" + value}, "twice": {"name: test", value + ": 1\n" + value + ": 2"},
		"schema": {"const: 1", "$ref: '#/$defs/" + value + "'"}, "type": {"const: 1", "type: " + value}, "pattern": {"const: 1", "pattern: '(?=" + value + ")'"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, good, edit[0])
			key := value
			if strings.Contains(edit[1], "hunter2_") {
				key = strings.ReplaceAll(value, "-", "_")
			}
			path := specFile(t, strings.Replace(good, edit[0], edit[1], 1))
			code, out, messages := runBinary(t, []string{"API_KEY=" + key}, "run", path, "--allow-insecure-secrets")
			assert.Equal(t, 1, code, messages)
			assert.NotContains(t, out+messages, key)
			file := filepath.Join(t.TempDir(), "a.env")
			write(t, file, "API_KEY='"+key+"'\n")
			_, out, messages = runBinary(t, nil, "run", path, "--allow-insecure-secrets", "--env-file", file)
			assert.NotContains(t, out+messages, key)
		})
	}
}
