package secret

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// manySecrets are 100 secrets of 16 values each.
func manySecrets() []string {
	rng := rand.New(rand.NewPCG(1, 1))
	var all []string
	for range 1600 {
		b := make([]byte, 30)
		for i := range b {
			b[i] = byte(rng.IntN(256))
		}
		all = append(all, base64.RawURLEncoding.EncodeToString(b))
	}
	return all
}

const prose = `The quick brown fox jumps over the lazy dog, 12 times a day; "why", asked nobody in particular. `

// records is a JSON document as an API sends it.
func records(n int) string {
	var b strings.Builder
	b.WriteString("[")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, `{"id":%d,"uuid":"6f1c8c1e-8f4e-4d3a-9d5b-%012d","name":"Customer number %d","createdAt":"2024-05-%02dT10:11:12Z","url":"https://api.example.com/v1/customers/%d","active":true,"score":%d.25},`, i, i, i, i%28+1, i, i%100)
	}
	return strings.TrimSuffix(b.String(), ",") + "]"
}

func fill(unit string, n int) string { return strings.Repeat(unit, n/len(unit)+1)[:n] }

func randomBase64(n int) string {
	rng := rand.New(rand.NewPCG(2, 2))
	b := make([]byte, n*3/4)
	for i := range b {
		b[i] = byte(rng.IntN(256))
	}
	return base64.StdEncoding.EncodeToString(b)
}

func BenchmarkText(b *testing.B) {
	const size = 1 << 20
	few, many := redactorOf("hunter2-hunter2", `s3cr/t&"x`), redactorOf(manySecrets()...)
	for _, body := range []struct{ name, text string }{
		{"Prose", fill(prose, size)},
		{"Records", records(size)},
		{"Quoted", fill(strings.ReplaceAll(records(1<<14), `"`, `\"`), size)},
		{"Percent", fill("name%20of%20a%20thing%2Cand+another&", size)},
		{"HTML", fill(`<p class="x">Tom &amp; Jerry&#39;s caf&eacute;&nbsp;</p>`, size)},
		{"Base64", randomBase64(size)},
		{"Base64OfText", base64.StdEncoding.EncodeToString([]byte(fill(prose, size*3/4)))},
		{"Hits", fill(prose+prose+"hunter2-hunter2 hunter2%2Dhunter2 ", size)},
		{"Letters", fill("a", size)},
		{"Backslashes", fill(`\`, size)},
		{"Percents", fill("%25", size)},
		{"Ampersands", fill("&", size)},
		{"AllPercent", fill("%41%42%43", size)},
		{"AllUnicode", fill(`\u0041\u0042`, size)},
		{"AllEntities", fill("&#65;&#x42;", size)},
		{"Amps", fill("&amp;amp;amp;", size)},
	} {
		for name, r := range map[string]*Redactor{"few": few, "many": many} {
			b.Run(body.name+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(body.text)))
				b.ReportAllocs()
				for b.Loop() {
					r.Text(body.text)
				}
			})
		}
	}
}

func BenchmarkJSON(b *testing.B) {
	body := []byte(records(1 << 20))
	r := redactorOf(manySecrets()...)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, n, err := r.JSON(body); n != 0 || err != nil {
			b.Fatal(n, err)
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	v := NewVault(nil)
	for i, s := range manySecrets() {
		v.Add(fmt.Sprint(i/16), s)
	}
	for b.Loop() {
		v.current.Store(nil)
		v.Redactor()
	}
}
