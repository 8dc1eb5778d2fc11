package jmes

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWorkedExamples are the examples of docs/select.md.
func TestWorkedExamples(t *testing.T) {
	const (
		weather = `{"latitude":41.01,"current":{"time":"2026-01-05T12:00","temperature_2m":7.50,"wind_speed_10m":12,"weather_code":3}}`
		issues  = `[{"number":7,"title":"Crash","state":"open","labels":[{"name":"bug"},{"name":"p1"}],"comments":4,"user":{"login":"ada"}},
			{"number":9,"title":"Docs","state":"closed","labels":[],"comments":0,"user":{"login":"bob"}},
			{"number":12,"title":"Slow","state":"open","labels":[{"name":"bug"}],"comments":11,"user":null}]`
		rates   = `{"base":"EUR","rates":{"USD":1.10,"GBP":0.8650,"TRY":37.2},"meta":{"next_page":null}}`
		orders  = `{"orders":[{"id":9007199254740993,"total":"19.90","items":[{"sku":"a","qty":2},{"sku":"b","qty":1}]},{"id":12345678901234567890,"total":"5.00","items":[{"sku":"a","qty":1}]}],"has-more":true}`
		cluster = `{"nodes":{"n2":{"cpu":0.75,"up":true},"n1":{"cpu":0.10,"up":true},"n3":{"cpu":0.0,"up":false}}}`
	)
	for _, e := range []struct{ about, document, expression, want string }{
		{"Pick and rename; members stand in the order that is written.", weather,
			"current.{temperatureC: temperature_2m, windKmh: wind_speed_10m, code: weather_code}", `{"temperatureC":7.50,"windKmh":12,"code":3}`},
		{"A member that is missing gives null.", weather, "current.humidity", `null`},
		{"A fallback for what is missing or null.", weather, "current.humidity || 'unknown'", `"unknown"`},
		{"One member of each element.", issues, "[*].title", `["Crash","Docs","Slow"]`},
		{"An object for each element. A member of null is null.", issues, "[*].{id: number, by: user.login}",
			`[{"id":7,"by":"ada"},{"id":9,"by":"bob"},{"id":12,"by":null}]`},
		{"Filter by a text, in single quotes.", issues, "[?state == 'open'].number", `[7,12]`},
		{"Filter by a number, in backticks, and by two conditions.", issues, "[?state == 'open' && comments > `5`].title", `["Slow"]`},
		{"Filter by an element of a list inside.", issues, "[?contains(labels[*].name, 'p1')].number", `[7]`},
		{"Negate with parentheses around a path.", issues, "[?!(user.login)].number", `[12]`},
		{"The first match, or null: end the projection with a pipe.", issues, "[?state == 'closed'] | [0].title", `"Docs"`},
		{"Sort, turn round, cut.", issues, "reverse(sort_by(@, &comments))[:2].{title: title, comments: comments}",
			`[{"title":"Slow","comments":11},{"title":"Crash","comments":4}]`},
		{"Flatten lists in lists.", issues, "[*].labels[].name", `["bug","p1","bug"]`},
		{"Join texts.", issues, "[*].join(', ', labels[*].name)", `["bug, p1","","bug"]`},
		{"Count and add up.", issues, "{open: length([?state == 'open']), comments: sum([*].comments), most: max_by(@, &comments).number}",
			`{"open":2,"comments":15,"most":12}`},
		{"Member names that are not known beforehand: keys() and values() are in the same, sorted order.", rates,
			"{base: base, currencies: keys(rates), rates: values(rates)}", `{"base":"EUR","currencies":["GBP","TRY","USD"],"rates":[0.8650,37.2,1.10]}`},
		{"The values of an object, sorted by name, without null.", cluster, "nodes.*.cpu", `[0.10,0.75,0.0]`},
		{"A filter on values.", cluster, "values(nodes)[?up].cpu | {up: length(@), highest: max(@)}", `{"up":2,"highest":0.75}`},
		{"Numbers keep their digits, however long.", orders, "orders[*].{id: id, lines: length(items)}",
			`[{"id":9007199254740993,"lines":2},{"id":12345678901234567890,"lines":1}]`},
		{"Look for a long number as a text.", orders, "orders[?to_string(id) == '9007199254740993'] | [0].items[*].sku", `["a","b"]`},
		{"A number out of a text, and a name with a hyphen in double quotes.", orders, `{totals: orders[*].to_number(total), more: "has-more"}`,
			`{"totals":[19.90,5.00],"more":true}`},
		{"A list as the root of an output schema goes under a name.", issues, "{items: [*].{number: number, labels: labels[*].name}}",
			`{"items":[{"number":7,"labels":["bug","p1"]},{"number":9,"labels":[]},{"number":12,"labels":["bug"]}]}`},
		{"Merge, and the first that is not null.", rates, "merge({base: base, next: not_null(meta.next_page, 'none')}, rates)",
			`{"GBP":0.8650,"TRY":37.2,"USD":1.10,"base":"EUR","next":"none"}`},
	} {
		warnings, err := Check(e.expression)
		require.NoError(t, err, e.about)
		require.Empty(t, warnings, e.about)
		require.Equal(t, e.want, evaluate(t, e.expression, e.document), e.about)
	}
}
