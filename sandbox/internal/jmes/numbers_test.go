package jmes

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRule8_7_ExactNumbers(t *testing.T) {
	for _, number := range []string{
		"0", "1", "-1", "9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993", "12345678901234567890",
		"123456789012345678901234567890123456789012345678901234567890", "18446744073709551615", "0.1", "1.0", "1.10", "-0", "-0.0", "1e3", "1E3",
		"1e+3", "1e400", "-1e400", "1e-400", "5e-324", "1.7976931348623157e+308", "0.1000000000000000055511151231257827", "3.141592653589793238",
		"1e21", "1e-7", "100000000000000000000", "0.000001", "0.0000001", "1e99999999999999999999", "0e0", "00.1"[1:], "123456789.123456789",
	} {
		for _, expression := range []string{
			"@", "[@][0]", "[@][*] | [0]", "{a: @}.a", "to_array(@)[0]", "not_null(`null`, @)", "[[@]][] | [0]", "max_by([@], &`1`)", "values({a: @})[0]",
			"{a: @}.* | [0]", "map(&@, [@])[0]", "merge({a: @}).a", "reverse([@])[0]", "[?`true`] || @", "[@][?@] | [0]", "to_number(to_string(@))", "to_number(@)",
		} {
			require.Equal(t, number, evaluate(t, expression, " "+number+" "), expression)
		}
		require.Equal(t, number, evaluate(t, "`"+number+"`", "null"))
		require.Equal(t, `{"a":`+number+`}`, evaluate(t, "@ && {a: `"+number+"`}", "1"))
		require.Equal(t, `"`+number+`"`, evaluate(t, "to_string(@)", number))
		require.Equal(t, `"number"`, evaluate(t, "type(@)", number))
		require.Equal(t, `[true,true,false,false,true]`, evaluate(t, "[@ == @, [@] == [@], @ == 'a', !@, contains([@], @)]", number))
	}
}

func TestRule8_7_EqualNumbers(t *testing.T) {
	same := [][]string{
		{"1", "1.0", "1.00", "1e0", "10e-1", "0.1E1"},
		{"0", "-0", "0.0", "-0.000", "0e7"},
		{"9007199254740993", "9007199254740993.0", "9.007199254740993e15", "9007199254740993000e-3"},
		{"9007199254740994", "9007199254740994.0", "90071992547409940e-1"},
		{"9007199254740992", "9007199254740992.0"},
		{"1e400", "10e399", "0.1e401"},
		{"1e-400", "0.01E-398"},
		{"0.1", "1e-1", "0.10"},
		{"0.1000000000000000055511151231257827"},
		{"-9007199254740993"},
		{"1e4000000000"},
	}
	for i, as := range same {
		for j, bs := range same {
			for _, a := range as {
				for _, b := range bs {
					document := "[" + a + "," + b + "]"
					want := map[bool]string{true: "true", false: "false"}[i == j]
					require.Equal(t, want, evaluate(t, "[0] == [1]", document), document)
					require.Equal(t, want, evaluate(t, "!([0] != [1])", document), document)
					require.Equal(t, want, evaluate(t, "[[0]] == [[1]]", document), document)
					require.Equal(t, want, evaluate(t, "{a: [0]} == {a: [1]}", document), document)
					require.Equal(t, want, evaluate(t, "contains([[0]], [1])", document), document)
				}
			}
		}
	}
}

func TestRule8_7_Equal(t *testing.T) {
	values := []string{"null", "true", "false", "0", "1", `""`, `"0"`, `"null"`, "[]", "[null]", "[[]]", "[1]", "[1,2]", "{}", `{"a":null}`, `{"b":null}`, `{"a":1}`, `{"a":1,"b":2}`}
	for i, a := range values {
		for j, b := range values {
			want := map[bool]string{true: "[true,false,true]", false: "[false,true,false]"}[i == j]
			require.Equal(t, want, evaluate(t, "[[0] == [1], [0] != [1], contains([[0]], [1])]", "["+a+","+b+"]"), "%s and %s", a, b)
			require.Equal(t, want, evaluate(t, "[[0] == `"+b+"`, [0] != `"+b+"`, contains(@, `"+b+"`)]", "["+a+"]"), "%s and %s", a, b)
		}
	}
}

func TestRule8_7_Calculating(t *testing.T) {
	runRows(t, []row{
		{"[[?@ > `5`], [?@ >= `1`], [?@ < `5`], [?@ <= `0.10`]]", "[1.0, 10.50, 0.1, 1e1]", "[[10.50,1e1],[1.0,10.50,1e1],[1.0,0.1],[0.1]]"},
		{"sort(@)", "[10.0, 2, 1.50, -1, 1e0]", "[-1,1e0,1.50,2,10.0]"},
		{"[max(@), min(@)]", "[1.50, 1.5, 0.50]", "[1.50,0.50]"},
		{"sort_by(@, &n)[*].i", `[{"n":2.0,"i":1},{"n":1e0,"i":2},{"n":2,"i":3}]`, "[2,1,3]"},
		{"[max_by(@, &n).i, min_by(@, &n).i]", `[{"n":2.0,"i":1},{"n":1e0,"i":2},{"n":2,"i":3}]`, "[1,2]"},
		{"[sum(@), avg(@)]", "[1.0, 2, 3e0]", "[6,2]"},
		{"[abs(@), ceil(@), floor(@)]", "-1.50", "[1.5,-1,-2]"},
		{"[sum(@), avg(@), max(@), min(@), sort(@)]", "[]", "[0,null,null,null,[]]"},
		{"sum(@)", "[0.1, 0.2]", "0.30000000000000004"},
		{"sum(@)", "[1e30, 1e30]", "2e+30"},
		{"sum(@)", "[9007199254740991, 1]", "9007199254740992"},
		{"abs(@)", "9007199254740992", "9007199254740992"},
		{"[ceil(@), floor(@)]", "0.1", "[1,0]"},
		{"avg(@) || 'none'", "[]", `"none"`},
		{"type(avg(@))", "[]", `"null"`},
		{"avg(@)", "[1, 2]", "1.5"},
	})
}

// TestRule8_7_NeverSilentlyRounded: what a float64 cannot hold is refused where it would be calculated with.
func TestRule8_7_NeverSilentlyRounded(t *testing.T) {
	for _, number := range []string{"9007199254740993", "-9007199254740993", "9007199254740994", "12345678901234567890", "1e400", "1e-400", "3.141592653589793238"} {
		for _, operator := range []string{"<", "<=", ">", ">="} {
			for _, expression := range []string{"@ " + operator + " `5`", "`5` " + operator + " @", "[@][?@ " + operator + " `5`]"} {
				require.Contains(t, evaluate(t, expression, number), "error: "+operator+" got a number beyond 2^53", expression)
			}
		}
		for name, expression := range map[string]string{
			"abs": "abs(@)", "ceil": "ceil(@)", "floor": "floor(@)", "sum": "sum([@])", "avg": "avg([@, `1`])", "max": "max([`1`, @])", "min": "min([@])",
			"sort": "sort([@, `1`])", "sort_by": "sort_by([{n: @}, {n: `1`}], &n)", "max_by": "max_by([@], &@)", "min_by": "min_by([`1`, @], &@)",
		} {
			require.Contains(t, evaluate(t, expression, number), "error: "+name+"() got a number beyond 2^53", expression)
		}
		require.Equal(t, "null", evaluate(t, "@ < 'a' || `null`", number), "null with anything but a number")
	}
	for _, numbers := range []string{"[9007199254740992, 1]", "[9007199254740992, 1, -2]", "[-9007199254740991, -2]", "[4503599627370496, 4503599627370497]", "[1e308, 1e308]", "[-1e308, 0.5, -1e308]"} {
		for _, name := range []string{"sum", "avg"} {
			require.Contains(t, evaluate(t, name+"(@)", numbers), "error: "+name+"() got numbers whose sum", numbers)
		}
	}
}

func TestRule8_7_LiteralsBeyond2_53(t *testing.T) {
	for _, literal := range []string{"9007199254740993", "-9007199254740993", "9007199254740994", "1e16", "1e+25", "1e400", "0.1234567890123456789", `[1,9007199254740993]`, `{"a":[9007199254740993]}`} {
		for _, operator := range []string{"==", "!=", "<", "<=", ">", ">="} {
			for _, expression := range []string{"a " + operator + " `" + literal + "`", "`" + literal + "` " + operator + " a", "[?(a) " + operator + " (`" + literal + "`)]"} {
				_, err := Check(expression)
				require.Error(t, err, expression)
				require.Equal(t, textInexactLiteral, problem(t, err).Message, expression)
				require.Contains(t, problem(t, err).Hint, "to_string(id) == '9007199254740993'")
			}
		}
		_, err := Check("[`" + literal + "`, a]")
		require.NoError(t, err, "%s is not compared", literal)
	}
	for _, literal := range []string{"9007199254740992", "-9007199254740992", "0.1", "1e3", "1.50", "-0", `{"a":[1]}`} {
		_, err := Check("a == `" + literal + "`")
		require.NoError(t, err, literal)
	}
	require.Equal(t, `[9007199254740993]`, evaluate(t, "[?to_string(@) == '9007199254740993']", "[9007199254740992,9007199254740993,9007199254740994]"))
}

func TestRule8_7_ToNumber(t *testing.T) {
	for text, want := range map[string]string{
		"1": "1", "-1.50": "-1.50", "1e3": "1e3", "9007199254740993": "9007199254740993", "1e400": "1e400", "0": "0",
		"": "null", " 1": "null", "1 ": "null", "+1": "null", "01": "null", "1.": "null", ".5": "null", "0x10": "null", "0x1p-2": "null", "1_0": "null",
		"NaN": "null", "inf": "null", "Infinity": "null", "-": "null", "1e": "null", "1,5": "null", "١": "null",
	} {
		require.Equal(t, want, evaluate(t, "to_number(@)", `"`+text+`"`), text)
	}
	require.Equal(t, "[null,null,null,null,null,5]", evaluate(t, "[to_number(`null`), to_number(`true`), to_number(`[1]`), to_number(`{}`), to_number('x'), to_number(`5`)]", "1"))
}
