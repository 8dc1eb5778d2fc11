package secret

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestOrdinaryTextStays: a text without a secret comes back as the same string.
func TestOrdinaryTextStays(t *testing.T) {
	r := redactorOf(append(manySecrets(), tricky, "hunter2-hunter2", "0123456789abcdef0123456789abcdef", "-----BEGIN KEY-----\nMIIEvQIBADAN\nab==\n", "şifremiz çok gizli")...)
	texts := []string{
		"", "a", "hunter2", fill(prose, 1<<14), records(1 << 16), randomBase64(1 << 16), fill("Tom &amp; Jerry&#39;s caf&eacute; 100%25 \\n\\\\u0041", 1<<14),
		base64.StdEncoding.EncodeToString([]byte(records(1 << 14))), fill("%41%42%43", 1<<12), fill(`\`, 1<<12), fill("&amp;", 1<<12), fill("0123456789ABCDEF", 999),
	}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	docs, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, docs)
	for _, file := range append(files, docs...) {
		if !strings.HasSuffix(file, "_test.go") {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			texts = append(texts, string(data))
		}
	}
	for _, text := range texts {
		got, n := r.Text(text)
		require.Zero(t, n, "%.80q", text)
		require.Same(t, unsafe.StringData(text), unsafe.StringData(got))
	}
}

func TestEmptyRedactor(t *testing.T) {
	r := NewVault(nil).Redactor()
	text, n := r.Text("hunter2-hunter2")
	require.Equal(t, "hunter2-hunter2", text)
	require.Zero(t, n)
	require.Equal(t, `{"a":1}`, redactJSON(t, r, `{"a":1}`))
}

// TestRule6_3_TwiceIsOnce: also where the Mark is a part of a secret or makes one
// with what stands beside it.
func TestRule6_3_TwiceIsOnce(t *testing.T) {
	for _, c := range []struct {
		secrets    []string
		text, want string
	}{
		{[]string{"hunter2-hunter2"}, "hunter2-hunter2hunter2-hunter2", Mark},
		{[]string{"hunter2-hunter2", "abc[redacted]"}, "abchunter2-hunter2", Mark},
		{[]string{"hunter2-hunter2", "acted] x"}, "hunter2-hunter2 x", Mark},
		{[]string{"hunter2-hunter2", "acted][reda"}, "hunter2-hunter2[redacted]", Mark},
		{[]string{"hunter2-hunter2", "redacted", "edacted]"}, "redacted hunter2-hunter2", "redacted " + Mark},
		{[]string{"hunter2-hunter2", "[redacted]a"}, strings.Repeat("a", 100) + "hunter2-hunter2" + strings.Repeat("a", 3), strings.Repeat("a", 100) + Mark},
		{[]string{"hunter2-hunter2", "a[redacted]"}, strings.Repeat("a", 100) + "hunter2-hunter2", Mark},
		{[]string{"[[redacted]]", "hunter2-hunter2"}, "[hunter2-hunter2]", Mark},
		{[]string{"%5Bredacted%5D-x"}, "%5Bredacted%5D-x", Mark},
	} {
		r := redactorOf(c.secrets...)
		got, n := r.Text(c.text)
		require.Equal(t, c.want, got, "%q", c.secrets)
		require.Positive(t, n)
		again, n := r.Text(got)
		require.Equal(t, got, again)
		require.Zero(t, n)
		require.False(t, strings.Contains(got, c.secrets[0]))
	}
}

func TestRule6_3_ErrorsKeepTheirChain(t *testing.T) {
	r := redactorOf("hunter2-hunter2")
	require.NoError(t, r.Error(nil))
	clean := fmt.Errorf("reading: %w", fs.ErrNotExist)
	require.Same(t, clean, r.Error(clean))

	path := &fs.PathError{Op: "open", Path: "/x/hunter2%2Dhunter2", Err: fs.ErrPermission}
	for name, err := range map[string]error{
		"wrapped":      fmt.Errorf("reading: %w", path),
		"joined":       errors.Join(errors.New("other"), path),
		"several":      fmt.Errorf("%w and %w", fs.ErrExist, path),
		"hidden below": maskedError{path},
	} {
		t.Run(name, func(t *testing.T) {
			got := r.Error(err)
			require.ErrorIs(t, got, fs.ErrPermission)
			var as *fs.PathError
			require.ErrorAs(t, got, &as)
			require.Equal(t, path, as)
			for _, format := range []string{"%v", "%s", "%q", "%+v", "%#v", "%x"} {
				require.False(t, shows(fmt.Sprintf(format, got), "hunter2-hunter2", 2), format)
			}
			require.Nil(t, errors.Unwrap(got), "nobody can walk down to the secret and print it")
			require.Equal(t, got, r.Error(got))
		})
	}
}

// A maskedError says nothing of what it wraps.
type maskedError struct{ cause error }

func (maskedError) Error() string   { return "internal error" }
func (e maskedError) Unwrap() error { return e.cause }

// TestMatcher: what is found as it stands is what strings.Contains finds.
func TestMatcher(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	word := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ab"[rng.IntN(2)]
		}
		return string(b)
	}
	for range 2000 {
		var patterns []string
		for range 1 + rng.IntN(6) {
			patterns = append(patterns, word(8+rng.IntN(5)))
		}
		text := word(rng.IntN(60))
		want := make([]bool, len(text))
		for _, p := range patterns {
			for i := range len(text) {
				if strings.HasPrefix(text[i:], p) {
					for j := range len(p) {
						want[i+j] = true
					}
				}
			}
		}
		got := make([]bool, len(text))
		for _, s := range newScanner(newMatcher(patterns)).find([]byte(text)) {
			for i := s.start; i < s.end; i++ {
				got[i] = true
			}
		}
		require.Equal(t, want, got, "%q in %q", patterns, text)
	}
}

func TestMatcherOfZeros(t *testing.T) {
	r := redactorOf(strings.Repeat("\x00", 8), strings.Repeat("\xff", 9)+"é")
	hidden(t, r, strings.Repeat("%00", 8))
	hidden(t, r, strings.Repeat("\x00", 12))
	_, n := r.Text(strings.Repeat("\x00", 7) + "\x01")
	require.Zero(t, n)
}

// hardTexts are texts that invite a finder to look at the same bytes again and again.
var hardTexts = []string{
	"a", `\`, "%", "&", "%25", "&amp;", "&amp;amp;", "%41%42", `\u0041`, "&#65;&#x42;", `\\u0041`, `\\\\\\\\\\\\\\\n`, `\\\\\\\\\\\\\\\\u0041`,
	`%5C&amp;\u0025`, `%2525&amp;amp;\\\\u0025\%5C`, `abcd\n`, "%a0XY", "aaaaaaaaaaaaaaaa%61", "&#" + strings.Repeat("0", 1000), "&#" + strings.Repeat("%30", 500),
	"VVVV", "QUFB", "0123456789abcdef", "\n", "a\n", "&#&#x", "&a", `\u`, `\ud83d`, `\ud83d\ud83d`, "+", "&#48", "&#48%3B", "hunter2-hunter",
}

// TestLinear counts steps: they must stay few for each byte, so that the bound
// that fails closed is far, and must not grow faster than the text.
func TestLinear(t *testing.T) {
	const size = 1 << 14
	m := redactorOf(append(manySecrets(), tricky, "hunter2-hunter2", `\\server\share`, "%25%25%25%25", "&amp;&amp;&amp;", "a b c d e f")...).matcher
	for _, unit := range hardTexts {
		steps := func(n int) int {
			s := newScanner(m)
			s.find([]byte(fill(unit, n)))
			return workPerByte*n + workAtLeast - s.work
		}
		small, large := steps(size), steps(4*size)
		require.Less(t, large, 4*size*workPerByte/2, "%.40q", unit)
		require.Less(t, large, 5*small, "%.40q", unit)
	}
}

// TestMadeForIt: a text that takes too many steps is withheld, and only that one.
func TestMadeForIt(t *testing.T) {
	secret := strings.Repeat("a", 600) + "b"
	r := redactorOf(secret)
	text, n := r.Text(strings.Repeat("a", 1<<16))
	require.Equal(t, Mark, text)
	require.Equal(t, 1, n)
	text, n = r.Text("x" + secret + "y")
	require.Equal(t, "x"+Mark+"y", text)
	require.Equal(t, 1, n)
}

func TestScannersAreShared(t *testing.T) {
	r := redactorOf(tricky)
	texts := []string{every("%%%02x", tricky), base64.StdEncoding.EncodeToString([]byte(tricky)), fill(prose, 1000), fill("%25", 1000), everyRune("&#%d;", tricky)}
	want := make([]string, len(texts))
	for i, text := range texts {
		want[i], _ = r.Text(text)
	}
	done := make(chan []string)
	for range 8 {
		go func() {
			var got []string
			for _, text := range texts {
				s, _ := r.Text(text)
				got = append(got, s)
			}
			done <- got
		}()
	}
	for range 8 {
		require.True(t, slices.Equal(want, <-done))
	}
}
