package secret

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// A sample is a text that holds a secret in a chain of encodings.
type sample struct {
	secret, text string
	chain        []string
}

// anySample spells a secret up to three times, at most twice in hex or base64,
// among other text.
func anySample(rng *rand.Rand) sample {
	s := sample{secret: anySecret(rng)}
	text := s.secret
	for blocks := 0; len(s.chain) < 3; {
		p := spellers[rng.IntN(len(spellers))]
		if p.block {
			if blocks++; blocks > 2 {
				break
			}
		}
		text = p.spell(rng, text)
		s.chain = append(s.chain, p.name)
		if rng.IntN(3) == 0 {
			break
		}
	}
	s.text = filler(rng, rng.IntN(20)) + text + filler(rng, rng.IntN(20))
	return s
}

func redactorOf(secrets ...string) *Redactor {
	v := NewVault(nil)
	for _, s := range secrets {
		v.Add("S", s)
	}
	return v.Redactor()
}

// checkSample is the law of redaction: what it leaves does not show the secret,
// and is redacted already.
func checkSample(t *testing.T, s sample) (found bool) {
	t.Helper()
	r := redactorOf(s.secret)
	text, n := r.Text(s.text)
	require.False(t, shows(text, s.secret, len(s.chain)+1), "%q in %q by %v left %q", s.secret, s.text, s.chain, text)
	again, _ := r.Text(text)
	require.Equal(t, text, again)
	document, err := json.Marshal(map[string]any{"a": s.text, "b": []any{"x", s.text}, s.text: 1})
	require.NoError(t, err)
	out, m, err := r.JSON(document)
	require.NoError(t, err)
	require.True(t, json.Valid(out), "%s", out)
	require.False(t, shows(string(out), s.secret, len(s.chain)+2), "%q in %q by %v left %s", s.secret, s.text, s.chain, out)
	againJSON, _, err := r.JSON(out)
	require.NoError(t, err)
	require.Equal(t, string(out), string(againJSON))
	if n > 0 && utf8.ValidString(s.text) {
		require.Positive(t, m)
	}
	return n > 0
}

func TestRule6_3_AnySpellingIsFound(t *testing.T) {
	const samples = 1500
	for seed := range uint64(samples) {
		s := anySample(rand.New(rand.NewPCG(seed, 63)))
		if !checkSample(t, s) && shows(s.text, s.secret, len(s.chain)) {
			t.Fatalf("seed %d: %q in %q by %v was not found", seed, s.secret, s.text, s.chain)
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add(uint64(1), "hunter2-hunter2", "user: ")
	f.Add(uint64(7), `p%41&amp;\n"+ ş😀`, `{"a":"\`)
	f.Fuzz(func(t *testing.T, seed uint64, secret, before string) {
		if Check(secret) != nil || len(secret) > 60 || len(before) > 60 {
			return
		}
		rng := rand.New(rand.NewPCG(seed, 63))
		s := anySample(rng)
		s.secret = secret
		s.text = before + spellers[rng.IntN(4)].spell(rng, spellers[rng.IntN(len(spellers))].spell(rng, secret)) + filler(rng, 9)
		s.chain = s.chain[:1]
		checkSample(t, s)
	})
}
