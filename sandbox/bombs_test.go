package sandbox

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A bomb must fail within its time, cost its own call only, and leave the parent
// as it was.
func TestRule8_7_Bombs(t *testing.T) {
	for name, c := range map[string]struct {
		time  time.Duration
		kinds []Kind
	}{
		"attack:memory":     {20 * time.Second, []Kind{KindTooLarge}},
		"attack:allocation": {20 * time.Second, []Kind{KindTooLarge, KindCrashed}},
		"attack:recursion":  {20 * time.Second, []Kind{KindCrashed}},
		"attack:threads":    {20 * time.Second, []Kind{KindCrashed}},
		"attack:spin":       {300 * time.Millisecond, []Kind{KindTimeout}},
		"attack:panic":      {20 * time.Second, []Kind{KindCrashed}},
		"attack:die":        {20 * time.Second, []Kind{KindCrashed}},
	} {
		t.Run(strings.TrimPrefix(name, "attack:"), func(t *testing.T) {
			p := newTestPool(t, Options{MaxOutput: 1 << 20})
			survive(t, p, c.time, name, `"s3cr3t"`, c.kinds...)
		})
	}
}

// repeated returns a pipeline of as many stages as an expression may have.
func repeated(stage string) string {
	const longest = 1000
	return strings.TrimSuffix(strings.Repeat(stage+"|", (longest+1)/(len(stage)+1)), "|")
}

// Each stage doubles the value, by structure that is shared until it is written,
// by text, by copying, and by joining objects.
func TestRule8_7_DoublingExpressions(t *testing.T) {
	text := `"` + strings.Repeat("a", 1000) + `"`
	for _, c := range []struct{ stage, data string }{
		{"[@,@]", "1"},
		{"{a:@,b:@}", "1"},
		{"to_string([@,@])", "1"},
		{"to_string({a:@})", text},
		{"join('',[@,@])", text},
		{"[@,@][]", "[1]"},
		{"[@,@,@,@,@,@,@,@,@,@][]", "[1]"},
		{"[@[],@[]][]", "[1]"},
		{"{a:@,b:@}.[a,b][]", "[1]"},
	} {
		t.Run(c.stage, func(t *testing.T) {
			p := newTestPool(t, Options{MaxOutput: 1 << 20})
			survive(t, p, 1500*time.Millisecond, repeated(c.stage), c.data,
				KindTooLarge, KindTimeout, KindCrashed, KindEvaluation)
		})
	}
}

// A list of 6,000 items, multiplied by 4,096, is not large as a result; it is what
// the process holds meanwhile that is.
func TestRule8_7_MultipliedListIsStoppedByTheMemoryLimit(t *testing.T) {
	list := "[" + strings.TrimSuffix(strings.Repeat("1,", 6000), ",") + "]"
	p := newTestPool(t, Options{MaxOutput: 1 << 20})
	survive(t, p, 20*time.Second, strings.Repeat("[@,@][]|", 12)+"length(@)", list, KindTooLarge)
}

// survive calls once with what must fail, and once more. The parent may need
// memory for what it sends and for one result, no more.
func survive(t *testing.T, p *Pool, d time.Duration, expression, data string, kinds ...Kind) {
	t.Helper()
	assert.Equal(t, `"ok"`, mustSelect(t, p, "a", `{"a":"ok"}`))
	const slack = 2 * time.Second // of a machine that is busy
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()

	began := time.Now()
	grown := memoryGrowth(t, func() {
		out, err := p.Select(ctx, expression, []byte(data))
		if assert.Errorf(t, err, "result of %d bytes", len(out)) {
			assert.Contains(t, kinds, kindOf(t, err), "%v", err)
			assert.NotContains(t, err.Error(), "s3cr3t")
			assert.NotContains(t, err.Error(), "aaaa")
			t.Logf("%v: %v", time.Since(began).Round(time.Millisecond), err)
		}
	})
	assert.Less(t, time.Since(began), d+slack)
	assert.Less(t, grown, int64(p.o.MaxOutput+memorySlack))
	assert.Equal(t, `"ok"`, mustSelect(t, p, "a", `{"a":"ok"}`))
}
