package jmes

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jmespath/go-jmespath"
)

// benchData returns a document of about so many bytes.
func benchData(size int) []byte {
	var b strings.Builder
	b.WriteString(`{"items":[`)
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"name":"item %d","price":%d.5,"tags":["a","b"],"stock":{"north":%d,"south":2}}`, 1_000_000+i, i, i%100, i)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

var benchExpressions = []struct{ name, expression string }{
	{"project", "items[*].{id: id, name: name}"},
	{"filter", "items[?price > `10`].{id: id, name: name}"},
	{"sort", "sort_by(items, &price)[*].name"},
	{"values", "items[*].stock.*"},
}

var benchSizes = []struct {
	name string
	size int
}{{"1KB", 1 << 10}, {"100KB", 100 << 10}, {"1MiB", 1 << 20}}

func BenchmarkEvaluate(b *testing.B) {
	var e Evaluator
	benchEach(b, func(expression string, data []byte) error {
		_, err := e.Evaluate(expression, data, 8<<20)
		return err
	})
}

// BenchmarkBare is go-jmespath with encoding/json around it, to compare with.
func BenchmarkBare(b *testing.B) {
	benchEach(b, func(expression string, data []byte) error {
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			return err
		}
		result, err := jmespath.Search(expression, v)
		if err != nil {
			return err
		}
		_, err = json.Marshal(result)
		return err
	})
}

func benchEach(b *testing.B, evaluate func(expression string, data []byte) error) {
	for _, s := range benchSizes {
		data := benchData(s.size)
		for _, e := range benchExpressions {
			b.Run(s.name+"/"+e.name, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					if err := evaluate(e.expression, data); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	for b.Loop() {
		if _, err := Check("items[?price > `10`].{id: id, name: name} | sort_by(@, &name)[:10]"); err != nil {
			b.Fatal(err)
		}
	}
}
