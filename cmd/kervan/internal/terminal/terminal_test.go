package terminal_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/cmd/kervan/internal/terminal"
)

func TestRule10_7_Escape(t *testing.T) {
	for in, want := range map[string]string{
		"": "",
		"plain text, ş, 漢字, 🙂, עברית":     "plain text, ş, 漢字, 🙂, עברית",
		"\x1b]52;c;aGk=\a":                `\x1b]52;c;aGk=\x07`,
		"\x1b]8;;http://x\x1b\\link":      `\x1b]8;;http://x\x1b\link`,
		"\x1b[2J\x1b[31mred":              `\x1b[2J\x1b[31mred`,
		"\u009b31m":                       `\u009b31m`, // CSI of one character
		"\x9b31m":                         `\x9b31m`,   // and of one byte
		"\u0090q\u009c":                   `\u0090q\u009c`,
		"a\r\nkervan: serving":            `a\r\nkervan: serving`,
		"a\tb\vc\fd\be\x00f\x7f":          `a\tb\x0bc\x0cd\x08e\x00f\x7f`,
		"a\u2028b\u2029c\u0085d":          `a\u2028b\u2029c\u0085d`,
		"\u202egnp.exe\u2066\u200b\ufeff": `\u202egnp.exe\u2066\u200b\ufeff`,
		"a\u00a0b\u3000c\u2003d":          `a\u00a0b\u3000c\u2003d`,
		"\u3164\u115f\u2800\u034f\ufe0f":  `\u3164\u115f\u2800\u034f\ufe0f`,
		"\U000e0041\U000e0100":            `\U000e0041\U000e0100`, // tags, a selector
		"\ue000\U0010ffff":                `\ue000\U0010ffff`,     // private use, no character
		"\xff\xfeok\xc3":                  `\xff\xfeok\xc3`,
		"\ufffd":                          "\ufffd",
	} {
		assert.Equal(t, want, terminal.Escape(in), "%q", in)
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"a", "\x1b[31m", "\xff", "\u202e\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := terminal.Escape(s)
		require.True(t, utf8.ValidString(got))
		for _, r := range got {
			require.True(t, unicode.IsPrint(r), "%U", r)
		}
		require.Equal(t, got, terminal.Escape(got), "escaping twice changes nothing")
		if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
			require.LessOrEqual(t, len(s), len(got))
		}
	})
}

func TestRule10_7_PasswordsInURLs(t *testing.T) {
	for in, want := range map[string]string{
		"https://api.example.com/a?b=c#d":          "https://api.example.com/a?b=c#d",
		"http://127.0.0.1:3000/mcp":                "http://127.0.0.1:3000/mcp",
		"see https://h/users/me@example.com now":   "see https://h/users/me@example.com now",
		"https://user:hunter2@h/x":                 "https://[redacted]@h/x",
		"https://ghp_token@github.com/x":           "https://[redacted]@github.com/x",
		`"postgres://app:p@ss@db:5432/x": refused`: `"postgres://[redacted]@db:5432/x": refused`,
		"https://user:p/w?#@h:80/x":                "https://[redacted]@h:80/x",
		`https://user:p"w'<>@h`:                    "https://[redacted]@h",
		"a://u:p@h b://v:q@i":                      "a://[redacted]@h b://[redacted]@i",
		"HTTPS://U:P@H":                            "HTTPS://[redacted]@H",
		"https://a,https://u:p@b":                  "https://a,https://[redacted]@b",
		"https://u:p\x1b@h":                        "https://[redacted]@h",
		"mail me@example.com":                      "mail me@example.com",
		"://":                                      "://",
		"://@":                                     "://@",
	} {
		assert.Equal(t, want, terminal.MaskURLs(in), "%q", in)
	}
}

func newPrinter(secrets ...string) (*terminal.Printer, *bytes.Buffer) {
	var out bytes.Buffer
	return terminal.NewPrinter(&out, func(s string) string {
		for _, secret := range secrets {
			s = strings.ReplaceAll(s, secret, terminal.Mask)
		}
		return s
	}), &out
}

func TestRule10_7_Printer(t *testing.T) {
	p, out := newPrinter("hunter2\x1bhunter2")
	p.Printf("loaded %s from %v", "x\nkervan: serving on http://evil", errors.New("\x1b]0;title\a"))
	p.Printf("secret hunter2\x1bhunter2 at https://u:p@h")
	p.Printf("already ended\n")
	p.Printf("")
	assert.Equal(t, `loaded x\nkervan: serving on http://evil from \x1b]0;title\x07
secret [redacted] at https://[redacted]@h
already ended

`, out.String())
}

// TestRule10_7_Loggers: a logger that prints errors as objects is masked too.
func TestRule10_7_Loggers(t *testing.T) {
	p, out := newPrinter("sk-12345678")
	log := slog.New(slog.NewTextHandler(p, nil))
	log.Warn("failed\x1b[2J", "error", fmt.Errorf("get: %w", errors.New("key sk-12345678\n\x1b[31m")), "raw", []byte("sk-12345678"))
	log.Warn("two", "\x1b[31m", "x")
	assert.NotContains(t, out.String(), "sk-12345678")
	assert.NotContains(t, out.String(), "\x1b")
	assert.Equal(t, 2, strings.Count(out.String(), "\n"))
}

// A broken writer stands for a standard error that is closed.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestPrinterSurvivesAClosedWriter(t *testing.T) {
	p := terminal.NewPrinter(broken{}, strings.Clone)
	n, err := p.Write([]byte("lost\n"))
	assert.NoError(t, err)
	assert.Equal(t, 5, n)
}

func TestPrinterKeepsLinesWhole(t *testing.T) {
	p, out := newPrinter()
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for range 50 {
				p.Printf("%s", strings.Repeat("x", 100))
			}
		})
	}
	running.Wait()
	for line := range strings.Lines(out.String()) {
		require.Equal(t, strings.Repeat("x", 100)+"\n", line)
	}
}
