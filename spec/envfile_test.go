package spec

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRule10_2_EnvGrammar(t *testing.T) {
	for text, want := range map[string]map[string]string{
		"":                                {},
		"\n\r\n  \n\t# c\n#A=b\n":         {},
		"A=b":                             {"A": "b"},
		"A=b\nB=c\nA=d\n":                 {"A": "d", "B": "c"},
		"\ufeffA=b\r\nB=c\r\n":            {"A": "b", "B": "c"},
		"  A=b  \n\tB=c\t\n":              {"A": "b", "B": "c"},
		"export A=b\nexport\t B=c":        {"A": "b", "B": "c"},
		"export=1\nexported=2":            {"export": "1", "exported": "2"},
		"A=":                              {"A": ""},
		"A=''\nB=\"\"":                    {"A": "", "B": ""},
		"A= # c\nB=b # c\nC=c\t#c":        {"A": "", "B": "b", "C": "c"},
		"A=b#c\nB=#c":                     {"A": "b#c", "B": "#c"},
		"A='b # c' # d\nB=\"b # c\"\t# d": {"A": "b # c", "B": "b # c"},
		`A='$B \n "x" \'`:                 {"A": `$B \n "x" \`},
		`A="a\nb\tc\"d\\e"`:               {"A": "a\nb\tc\"d\\e"},
		"A=$B ${C} `d` %E%":               {"A": "$B ${C} `d` %E%"},
		`A="$B"`:                          {"A": "$B"},
		"A=a b  c":                        {"A": "a b  c"},
		"A=a=b==":                         {"A": "a=b=="},
		`A=it's "x"`:                      {"A": `it's "x"`},
		`A=a\nb`:                          {"A": `a\nb`},
		"a_1=x\n_B=y":                     {"a_1": "x", "_B": "y"},
		"A=şğü € 👍":                       {"A": "şğü € 👍"},
		`A="'"` + "\n" + `B='"'`:          {"A": "'", "B": `"`},
		`A="#"`:                           {"A": "#"},
	} {
		got, line, fault := parseEnv([]byte(text))
		assert.Empty(t, fault, "%q line %d", text, line)
		assert.Equal(t, want, got, "%q", text)
	}
}

func TestRule10_2_EnvBadLines(t *testing.T) {
	for _, line := range []string{
		"A", "just text", "=b", "1A=b", "A B=c", "A-B=c", "A =b", "A= b", "A=\tb", "export A", "export", "Ş=x", "A.B=c", "-A=b",
		"A='b", `A="b`, `A="b\`, `A="b\"`, `A="b"c`, `A="b" c`, `A='b''c'`, `A="b"#c`, `A="\x"`, `A="\$"`, "A=b\x00", "A=\xff", "A=b\rB=c", `A="a` + "\n" + `b"`,
		"export  =b", "\u00a0A=b",
	} {
		values, number, fault := parseEnv([]byte("# c\nOK=hunter2\n" + line + "\nX=y\n"))
		assert.Equal(t, 3, number, "%q", line)
		assert.NotEmpty(t, fault, "%q", line)
		assert.Nil(t, values)
		requireVisible(t, fault)
	}
	_, _, fault := parseEnv(make([]byte, maxEnvFile+1))
	assert.Equal(t, textEnvSize, fault)
}

func TestRule10_2_EnvFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	first := file("a.env", "SPEC_TEST_A=a1\nSPEC_TEST_B=b1\nSPEC_TEST_C=c1\nSPEC_TEST_D=d1\n")
	second := file("b.env", "SPEC_TEST_B=b2\nSPEC_TEST_E=e2\n")
	t.Setenv("SPEC_TEST_C", "environment")
	t.Setenv("SPEC_TEST_D", "")
	env, err := EnvFiles(first, second)
	require.NoError(t, err)
	for name, want := range map[string]string{"A": "a1", "B": "b2", "C": "environment", "D": "", "E": "e2"} {
		value, ok := env.Lookup("SPEC_TEST_" + name)
		assert.True(t, ok, name)
		assert.Equal(t, want, value, name)
		value, err := env.Get(t.Context(), "SPEC_TEST_"+name, "h:443", "tool")
		require.NoError(t, err)
		assert.Equal(t, want, value, name)
	}
	_, ok := env.Lookup("SPEC_TEST_F")
	assert.False(t, ok)

	_, err = EnvFiles(first, filepath.Join(dir, "missing.env"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.Equal(t, 1, strings.Count(err.Error(), "missing.env"))
	_, err = EnvFiles(file("bad.env", "A=b\nSECRET hunter2\n"), file("worse.env", "x"))
	assert.ErrorContains(t, err, "bad.env:2: ")
	assert.ErrorContains(t, err, "worse.env:1: ")
	assert.NotContains(t, err.Error(), "hunter2")
	_, err = EnvFiles(dir)
	assert.Error(t, err)
}

// TestEnvFilesGiveVars: the source of the secrets gives the variables too.
func TestEnvFilesGiveVars(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.env")
	require.NoError(t, os.WriteFile(path, []byte("SPEC_TEST_V=from the file\nSPEC_TEST_TOKEN=abcdefgh\n"), 0o600))
	env, err := EnvFiles(path)
	require.NoError(t, err)
	text := inFile("vars: [SPEC_TEST_V]\nsecrets: [SPEC_TEST_TOKEN]\n", "http: {url: 'https://h/', query: {v: '{{vars.SPEC_TEST_V}}'}, headers: {A: '{{secrets.SPEC_TEST_TOKEN}}'}}"+rawOutput)
	s := noWarnings(t, text, Options{Secrets: env})
	assert.Equal(t, map[string]string{"SPEC_TEST_V": "from the file"}, s.runtime.http.Vars)
	require.Len(t, mustLoad(t, text, Options{}).Warnings(), 2)
	t.Setenv("SPEC_TEST_TOKEN", "environment")
	t.Setenv("SPEC_TEST_V", "environment")
	s = noWarnings(t, text, Options{})
	assert.Equal(t, map[string]string{"SPEC_TEST_V": "environment"}, s.runtime.http.Vars)
}

// TestRule6_2_BadLinesShowNothing: a line may be a secret without a name.
func TestRule6_2_BadLinesShowNothing(t *testing.T) {
	for _, line := range []string{"c2Vj+/mV0LXZhbHVlLTEyMw==", "made-up-secret-value", "made-up secret=x", "export made-up-secret==", "K='made-up-secret"} {
		_, _, fault := parseEnv([]byte("A=b\n" + line + "\n"))
		require.NotEmpty(t, fault, line)
		for _, part := range []string{"made-up", "secret", "c2Vj"} {
			require.NotContains(t, fault, part)
		}
	}
}

func FuzzEnvFile(f *testing.F) {
	for _, s := range []string{"A=b\n", "export A='b' # c\r\n", "\ufeffA=\"\\n\\\\\"", "A=b #c", "A", "A=\"", "# c\n\nB= "} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		values, line, fault := parseEnv(data)
		if fault != "" {
			requireVisible(t, fault)
			require.Nil(t, values)
			require.LessOrEqual(t, line, 1+strings.Count(string(data), "\n"))
			return
		}
		// What was read can be written in double quotes, and reads the same.
		var b strings.Builder
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
		for name, value := range values {
			require.True(t, isEnvName(name))
			b.WriteString("export " + name + `="` + quoted.Replace(value) + "\" # c\r\n")
		}
		again, _, fault := parseEnv([]byte(b.String()))
		require.Empty(t, fault, b.String())
		require.Equal(t, values, again)
	})
}
