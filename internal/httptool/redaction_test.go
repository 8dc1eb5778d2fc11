package httptool_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/internal/httptool"
	"github.com/kervan-mcp/kervan/internal/template"
)

// tricky has characters that every escape spells differently.
const tricky = `s3cr&t/"ş" +9%`

// spellings are some of the forms in which an upstream may send a secret back.
func spellings(secret string) map[string]string {
	quoted, _ := json.Marshal(secret)
	inner := string(quoted[1 : len(quoted)-1])
	var units, entities, percent strings.Builder
	for _, r := range secret {
		fmt.Fprintf(&units, `\u%04X`, r)
		fmt.Fprintf(&entities, "&#x%x;", r)
	}
	for _, b := range []byte(secret) {
		fmt.Fprintf(&percent, "%%%02x", b)
	}
	return map[string]string{
		"raw": secret, "query": url.QueryEscape(secret), "path": url.PathEscape(secret), "twice": url.QueryEscape(url.QueryEscape(secret)), "every byte": percent.String(),
		"JSON": inner, "units": units.String(), "slash": strings.ReplaceAll(inner, "/", `\/`), "entities": entities.String(),
		"hex": hex.EncodeToString([]byte(secret)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"base64": base64.StdEncoding.EncodeToString([]byte(secret)), "base64url": base64.RawURLEncoding.EncodeToString([]byte("xy" + secret + "z")),
		"basic": base64.StdEncoding.EncodeToString([]byte("user:" + secret)),
	}
}

// leaks reports whether an output shows a secret, or most of it, to a reader
// who decodes what can be decoded.
func leaks(output, secret string) bool {
	for _, spelling := range spellings(secret) {
		if strings.Contains(output, spelling) {
			return true
		}
	}
	var decoded any
	if json.Unmarshal([]byte(output), &decoded) == nil && strings.Contains(fmt.Sprint(decoded), secret) {
		return true
	}
	unescaped, err := url.QueryUnescape(output)
	return err == nil && strings.Contains(unescaped, secret)
}

// echoes are JSON documents with a spelling of a secret.
func echoes(form, spelling string) map[string]string {
	asText, _ := json.Marshal(spelling)
	documents := map[string]string{
		"value": `{"a":` + string(asText) + `}`, "key": `{` + string(asText) + `:1}`, "element": `{"a":[1,[` + string(asText) + `]]}`,
		"inside": `{"a":"before ` + string(asText[1:len(asText)-1]) + ` after"}`,
	}
	if form == "JSON" || form == "units" || form == "slash" {
		documents["spelled"] = `{"a":"` + spelling + `"}`
	}
	return documents
}

func TestRule6_3_EchoesAreRedacted(t *testing.T) {
	for _, secret := range []string{apiKey, tricky, "820461937520", "line one of it\nline two of it"} {
		var echo string
		f := newFixture(t, func(w http.ResponseWriter, r *http.Request) { respondJSON(echo)(w, r) })
		f.uses("KEY", secret)
		places["query"](t, f.tool)
		fits := func(any) bool { return true }
		for form, spelling := range spellings(secret) {
			for where, document := range echoes(form, spelling) {
				for kind, change := range map[string]func(){
					"raw":    func() { f.tool.Raw, f.tool.Select, f.tool.Fits = true, "", nil },
					"text":   func() { f.tool.Raw, f.tool.Select, f.tool.Fits = false, "@", nil },
					"schema": func() { f.tool.Raw, f.tool.Select, f.tool.Fits = false, "@", fits },
				} {
					echo = document
					change()
					res := f.ok(`{}`)
					name := fmt.Sprintf("%q as %s in %s, %s", secret, form, where, kind)
					require.Contains(t, res.Text, "[redacted]", name)
					require.False(t, leaks(res.Text, secret), "%s: %s", name, res.Text)
					require.False(t, leaks(string(res.Structured), secret), "%s: %s", name, res.Structured)
					require.Positive(t, f.event().Redactions, name)
				}
			}
		}
	}
}

func TestRule6_3_Numbers(t *testing.T) {
	f := newFixture(t, respondJSON(`{"a":820461937520,"b":9820461937520,"c":42,"d":8.20461937520e11}`))
	f.uses("PIN", "820461937520")
	require.Equal(t, `{"a":"[redacted]","b":"[redacted]","c":42,"d":"[redacted]"}`, f.ok(`{}`).Text)
	f.tool.Select, f.tool.Raw = "", true
	require.NotContains(t, f.ok(`{}`).Text, "820461937520")
}

// Nothing about a secret can be computed by select: it never sees it.
func TestRule6_3_SelectNeverSeesASecret(t *testing.T) {
	expressions := []string{
		"reverse(raw)", "[starts_with(raw, 'sk-'), starts_with(raw, 'xx-')]", "contains(raw, 'live')", "length(raw)", "[raw == 'a', raw > 'b']",
		"join('-', [raw, raw])", "to_string(@)", "sort(keys(@))", "max([raw, 'a'])", "sort([raw, 'm'])", "ends_with(raw, 'f')", "{a: raw}", "split", "type(raw)", "@",
	}
	outcome := func(secret, expression string) string {
		f := newFixture(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := json.Marshal(map[string]any{"raw": r.URL.Query().Get("key"), "k" + r.URL.Query().Get("key"): 1})
			respondJSON(string(body))(w, r)
		})
		f.uses("KEY", secret)
		places["query"](t, f.tool)
		f.tool.Select = expression
		res, err := f.call(`{}`)
		if err != nil {
			return err.Error()
		}
		return res.Text
	}
	for _, expression := range expressions {
		require.Equal(t, outcome(apiKey, expression), outcome("another-value-of-the-same-secret", expression), "%s depends on the secret", expression)
	}
	f := newFixture(t, respondJSON(`{"raw":"`+apiKey+`"}`))
	f.uses("KEY", apiKey)
	f.rt.Select = func(_ context.Context, _ string, data []byte) ([]byte, error) {
		require.Equal(t, `{"raw":"[redacted]"}`, string(data))
		return []byte(`1`), nil
	}
	f.ok(`{}`)
}

// What select puts together is redacted again.
func TestRule6_3_JoinedBySelect(t *testing.T) {
	f := newFixture(t, respondJSON(`{"a":"`+apiKey[:12]+`","b":"`+apiKey[12:]+`"}`))
	f.uses("KEY", apiKey)
	f.tool.Select = "join('', [a, b])"
	require.Equal(t, `"[redacted]"`, f.ok(`{}`).Text)
	f.tool.MaxOutputChars = 10
	require.NotContains(t, f.ok(`{}`).Text, apiKey[:4], "it is redacted before it is cut")
	f.tool.MaxOutputChars = 0
	f.tool.Select, f.tool.Fits = "{x: join('', [a, b])}", func(any) bool { return true }
	require.Equal(t, `{"x":"[redacted]"}`, string(f.ok(`{}`).Structured))
}

// What became known as a secret on the way is redacted as the result leaves.
func TestRule6_3_OnTheWayOut(t *testing.T) {
	f := newFixture(t, respondJSON(`{"a":"`+apiKey+`","items":[1,2,3,4,5,6,7,8,9]}`))
	f.tool.MaxOutputChars = 50
	f.tool.Fits = func(any) bool { f.rt.Vault.Add("KEY", apiKey); return true }
	res := f.ok(`{}`)
	require.NotContains(t, res.Text, apiKey)
	require.NotContains(t, string(res.Structured), apiKey)
	require.NotEmpty(t, res.Notes)
}

// What was looked through before the vault changed is looked through again, even
// if it is still the same.
func TestRule6_3_UnchangedButLearnedMeanwhile(t *testing.T) {
	for _, structured := range []bool{false, true} {
		f := newFixture(t, respondJSON(`{"a":"`+apiKey+`"}`))
		if structured {
			f.tool.Fits = func(any) bool { return true }
		}
		f.rt.Select = func(_ context.Context, _ string, document []byte) ([]byte, error) {
			require.Contains(t, string(document), apiKey)
			f.rt.Vault.Add("KEY", apiKey)
			return document, nil
		}
		require.Equal(t, `{"a":"[redacted]"}`, f.ok(`{}`).Text)
	}
}

func TestRule6_3_BeforeTheCut(t *testing.T) {
	body := "xxxxx " + apiKey + " yyyyy"
	for _, c := range []struct {
		contentType, body string
		raw               bool
	}{
		{"application/json", strconv.Quote(body), false}, {"application/json", strconv.Quote(body), true}, {"text/plain", body, true},
	} {
		f := newFixture(t, respond(c.contentType, c.body))
		f.uses("KEY", apiKey)
		if c.raw {
			f.tool.Raw, f.tool.Select = true, ""
		}
		for limit := 1; limit < 60; limit++ {
			f.tool.MaxOutputChars = limit
			require.NotContains(t, f.ok(`{}`).Text, apiKey[:4], "%+v cut at %d", c, limit)
		}
	}
	var items []string
	for i := range 50 {
		items = append(items, fmt.Sprintf(`"%d %s"`, i, apiKey))
	}
	f := newFixture(t, respondJSON(`{"items":[`+strings.Join(items, ",")+`],"k`+apiKey+`":[1,2,3,4,5]}`))
	f.uses("KEY", apiKey)
	f.tool.Fits, f.tool.MaxOutputChars = func(any) bool { return true }, 100
	res := f.ok(`{}`)
	require.NotContains(t, fmt.Sprint(res.Text, string(res.Structured), res.Notes), apiKey[:4])
	require.NotEmpty(t, res.Notes)
}

func TestRule6_3_OverlappingSecrets(t *testing.T) {
	f := newFixture(t, respondJSON(`["abcdefgh1ijklmn"]`))
	f.uses("A", "abcdefgh1")
	f.uses("B", "gh1ijklmn")
	require.Equal(t, `["[redacted]"]`, f.ok(`{}`).Text)
}

// A rendered value is redacted as a whole, whatever stands beside the secret.
func TestRule6_3_RenderedValues(t *testing.T) {
	for _, user := range []string{"", "u", "us", "user", "somebody"} {
		credentials := base64.StdEncoding.EncodeToString([]byte(user + ":" + apiKey))
		f := newFixture(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := json.Marshal(map[string]any{"authorization": r.Header.Get("Authorization"), "path": r.URL.Path, "query": r.URL.Query().Get("q")})
			respondJSON(string(body))(w, r)
		})
		f.uses("KEY", apiKey)
		f.uses("CREDENTIALS", credentials)
		f.tool.Path = text(t, "/v1/user-{{secrets.KEY}}/x")
		f.tool.Headers = []httptool.Header{{Name: "Authorization", Value: text(t, "Basic {{secrets.CREDENTIALS}}")}}
		f.tool.QueryFields = []template.Field{field(t, "q", "{{input.who}}:{{secrets.KEY}}")}
		got := f.ok(`{"who":"the-caller"}`).Text
		require.Equal(t, `{"authorization":"[redacted]","path":"/v1/[redacted]/x","query":"[redacted]"}`, got)
	}
}

// Old and new values are redacted after a rotation.
func TestRule6_3_Rotation(t *testing.T) {
	const rotated = "new-value-0123456789"
	f := newFixture(t, respondJSON(`["`+apiKey+`","`+rotated+`"]`))
	places["header"](t, f.tool)
	f.uses("KEY", apiKey)
	f.ok(`{}`)
	f.secrets["KEY"] = rotated
	require.Equal(t, `["[redacted]","[redacted]"]`, f.ok(`{}`).Text)
}

// The secrets of one tool are redacted in the results of all.
func TestRule6_3_AcrossTools(t *testing.T) {
	f := newFixture(t, respondJSON(`"`+apiKey+`"`))
	f.rt.Vault.Add("ELSEWHERE", apiKey)
	require.Equal(t, `"[redacted]"`, f.ok(`{}`).Text)
}

// A value is known to the vault before it is sent, so that it is redacted even
// in what another call shows meanwhile.
func TestRule6_3_AddedBeforeSending(t *testing.T) {
	f := newFixture(t, respondJSON(`{}`))
	places["header"](t, f.tool)
	f.uses("KEY", apiKey)
	inner := f.rt.Transport
	f.rt.Transport = transportFunc(func(r *http.Request) (*http.Response, error) {
		for _, s := range []string{apiKey, "Bearer " + apiKey} {
			got, _ := f.rt.Vault.Redactor().Text(s)
			require.Equal(t, "[redacted]", got)
		}
		return inner.RoundTrip(r)
	})
	f.ok(`{}`)
}

func TestRule6_3_Errors(t *testing.T) {
	failing := errors.New("no route for Bearer " + apiKey + " and " + url.QueryEscape(tricky))
	for name, c := range map[string]struct {
		change func(f *fixture)
		want   error
	}{
		"transport": {func(f *fixture) { f.respond(nil, failing) }, failing},
		"body": {func(f *fixture) {
			f.respond(&http.Response{StatusCode: 200, ContentLength: -1, Body: io.NopCloser(errReader{failing})}, nil)
		}, failing},
		"blocked": {func(f *fixture) { f.respond(nil, &guard.BlockedError{Host: apiKey, Reason: guard.ReasonNotPublic}) }, nil},
		"select": {func(f *fixture) {
			f.rt.Select = func(context.Context, string, []byte) ([]byte, error) { return nil, failing }
		}, failing},
		"source": {func(f *fixture) {
			source := f.rt.Secret
			f.rt.Secret = func(ctx context.Context, name, host, tool string) (string, error) {
				if name == "LAST" {
					return "", failing
				}
				return source(ctx, name, host, tool)
			}
			f.uses("LAST", "")
		}, failing},
		"limiter": {func(f *fixture) {
			f.rt.Vault.Add("KEY", apiKey)
			f.rt.Vault.Add("TRICKY", tricky)
			f.rt.Limiter = limiterFunc(func(context.Context, string, int, int) (func(), time.Duration, error) { return nil, 0, failing })
		}, failing},
		"panic": {func(f *fixture) {
			f.rt.Transport = transportFunc(func(*http.Request) (*http.Response, error) { panic(failing) })
		}, nil},
		"panic value": {func(f *fixture) {
			f.rt.Transport = transportFunc(func(*http.Request) (*http.Response, error) { panic(apiKey) })
		}, nil},
		"media type": {func(f *fixture) { f.tool.Path = text(t, "/type") }, nil},
		"coding":     {func(f *fixture) { f.tool.Path = text(t, "/coding") }, nil},
		"status":     {func(f *fixture) { f.tool.Path = text(t, "/status") }, nil},
		"location":   {func(f *fixture) { f.tool.Path = text(t, "/location"); f.tool.FollowRedirects = 3 }, nil},
		"bad host":   {func(f *fixture) { f.tool.Path = text(t, "/host"); f.tool.FollowRedirects = 3 }, nil},
		"no JSON":    {func(f *fixture) { f.tool.Path = text(t, "/text") }, nil},
	} {
		f := newFixture(t, func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/type":
				respond("x/"+apiKey, "x")(w, r)
			case "/coding":
				w.Header().Set("Content-Encoding", apiKey)
				respondJSON(`{}`)(w, r)
			case "/status":
				http.Error(w, apiKey, 500)
			case "/location":
				http.Redirect(w, r, "https://"+strings.Repeat("x", 50)+"."+apiKey+".example.com/"+apiKey, http.StatusFound)
			case "/host":
				w.Header().Set("Location", "https://"+strings.Repeat("x", 110)+apiKey+"_/")
				w.WriteHeader(302)
			case "/text":
				respondJSON(apiKey)(w, r)
			default:
				respondJSON(`{}`)(w, r)
			}
		})
		places["header"](t, f.tool)
		f.uses("KEY", apiKey)
		f.uses("TRICKY", tricky)
		c.change(f)
		_, err := f.call(`{}`)
		require.Error(t, err, name)
		if c.want != nil {
			require.ErrorIs(t, err, c.want, name)
		}
		for _, format := range []string{"%v", "%+v", "%s", "%q"} {
			printed := fmt.Sprintf(format, err)
			var e *httptool.Error
			if errors.As(err, &e) && e.Cause != nil {
				printed += fmt.Sprintf(format, e.Cause)
			}
			for _, part := range []string{apiKey, apiKey[:8], url.QueryEscape(tricky)} {
				require.NotContains(t, strings.ToLower(printed), strings.ToLower(part), name)
			}
		}
	}
}

// Only the media type and the coding of a response are looked at; nothing of
// its header is shown.
func TestRule6_3_ResponseHeadersAreNotShown(t *testing.T) {
	f := newFixture(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Echo", "HEADER")
		w.Header().Set("Set-Cookie", "a=HEADER")
		w.Header().Set("Trailer", "X-After")
		respondJSON(`{"a":1}`)(w, r)
		w.Header().Set("X-After", "HEADER")
	})
	res := f.ok(`{}`)
	require.Equal(t, httptool.Result{Text: `{"a":1}`}, *res)
}

// Keys that become equal stay apart, and the result stays valid.
func TestRule6_3_EqualKeys(t *testing.T) {
	f := newFixture(t, respondJSON(`{"`+apiKey+`":1,"`+url.QueryEscape(tricky)+`":2,"c":3}`))
	f.uses("KEY", apiKey)
	f.uses("TRICKY", tricky)
	var out map[string]int
	require.NoError(t, json.Unmarshal([]byte(f.ok(`{}`).Text), &out))
	require.Len(t, out, 3)
}

// A reader of raw JSON undoes its escapes first, whatever they are around.
func TestRule6_3_LayersInRawJSON(t *testing.T) {
	for _, value := range []string{
		strings.ReplaceAll(url.QueryEscape(tricky), "%", `\u0025`),
		strings.ReplaceAll(url.QueryEscape(url.QueryEscape(tricky)), "%", `\u0025`),
		`\u0041` + base64.StdEncoding.EncodeToString([]byte("a"+apiKey)),
		strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte(tricky)), "c", `\u0063`),
		strings.ReplaceAll(hex.EncodeToString([]byte(apiKey)), "6", `\u0036`),
	} {
		f := newFixture(t, respondJSON(`{ "a": "`+value+`", "b": 1 }`))
		f.uses("KEY", apiKey)
		f.uses("TRICKY", tricky)
		f.tool.Raw, f.tool.Select = true, ""
		require.Contains(t, f.ok(`{}`).Text, "[redacted]", value)
	}
	f := newFixture(t, respondJSON(`{ "a": 8.20461937520e11 }`))
	f.uses("PIN", "820461937520")
	f.tool.Raw, f.tool.Select = true, ""
	require.Equal(t, `{"a":"[redacted]"}`, f.ok(`{}`).Text)
}
