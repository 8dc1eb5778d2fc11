package spec

import (
	"errors"
	"io"
	"maps"
	"os"
	"strings"
	"unicode/utf8"
)

// maxEnvFile is the largest env file that is read.
const maxEnvFile = 1 << 20

// EnvFiles returns the environment and, for variables that it lacks, the
// values of env files, of which later ones win. The files are read once. A
// file that is missing or has a bad line is an error, which names the file and
// the line and shows no value.
//
// A line is KEY=VALUE, with "export " in front if one likes, or blank, or a
// comment that begins with #. In a value a comment begins at a # behind a blank.
// A value in single quotes is literal; in double quotes \n, \t, \" and \\ are
// what they are in Go. Nothing is expanded, and a value is one line.
func EnvFiles(paths ...string) (*Env, error) {
	e := &Env{files: map[string]string{}}
	var errs []error
	for _, path := range paths {
		values, err := readEnvFile(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		maps.Copy(e.files, values)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return e, nil
}

func readEnvFile(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadableEnvFile(path, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxEnvFile+1))
	if err != nil {
		return nil, unreadableEnvFile(path, err)
	}
	values, line, fault := parseEnv(data)
	if fault != "" {
		return nil, errors.New(textEnvLine(path, line, fault))
	}
	return values, nil
}

// withoutPath is the reason of an error that would show the path again.
func withoutPath(err error) error {
	var e *os.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// parseEnv reads an env file, and stops at the first bad line.
func parseEnv(data []byte) (values map[string]string, line int, fault string) {
	if len(data) > maxEnvFile {
		return nil, 1, textEnvSize
	}
	values = map[string]string{}
	text := strings.TrimPrefix(string(data), "\ufeff")
	for text != "" {
		var content string
		content, text, _ = strings.Cut(text, "\n")
		line++
		name, value, fault := parseEnvLine(strings.TrimSuffix(content, "\r"))
		if fault != "" {
			return nil, line, fault
		}
		if name != "" {
			values[name] = value
		}
	}
	return values, 0, ""
}

const envBlanks = " \t"

// parseEnvLine reads one line; the name is empty if it assigns nothing.
func parseEnvLine(s string) (name, value, fault string) {
	s = strings.Trim(s, envBlanks)
	if s == "" || s[0] == '#' {
		return "", "", ""
	}
	if !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\r") {
		return "", "", textEnvEncoding
	}
	if rest, ok := strings.CutPrefix(s, "export"); ok && strings.Trim(rest, envBlanks) != rest {
		s = strings.Trim(rest, envBlanks)
	}
	name, rest, ok := strings.Cut(s, "=")
	if !ok {
		return "", "", textEnvNoEquals
	}
	if !isEnvName(name) {
		return "", "", textEnvName
	}
	value, fault = parseEnvValue(rest)
	return name, value, fault
}

// isEnvName reports whether s is a name that shells accept.
func isEnvName(s string) bool {
	for _, r := range s {
		if !isWordRune(r) {
			return false
		}
	}
	return s != "" && (s[0] < '0' || s[0] > '9')
}

func parseEnvValue(s string) (value, fault string) {
	if s == "" {
		return "", ""
	}
	var rest string
	switch s[0] {
	case '\'':
		var closed bool
		if value, rest, closed = strings.Cut(s[1:], "'"); !closed {
			return "", textEnvUnclosed
		}
	case '"':
		if value, rest, fault = unquoteEnv(s[1:]); fault != "" {
			return "", fault
		}
	default:
		return unquotedEnv(s)
	}
	if comment := strings.TrimLeft(rest, envBlanks); comment != "" && (comment == rest || comment[0] != '#') {
		return "", textEnvTrailing
	}
	return value, ""
}

// unquotedEnv reads a value up to a comment.
func unquotedEnv(s string) (value, fault string) {
	for i := 1; i < len(s); i++ {
		if s[i] == '#' && strings.IndexByte(envBlanks, s[i-1]) >= 0 {
			s = s[:i]
			break
		}
	}
	value = strings.Trim(s, envBlanks)
	if len(value) < len(strings.TrimRight(s, envBlanks)) {
		return "", textEnvBlank
	}
	return value, ""
}

// unquoteEnv reads a value behind its opening double quote.
func unquoteEnv(s string) (value, rest, fault string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:], ""
		case '\\':
			if i++; i == len(s) {
				return "", "", textEnvUnclosed
			}
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case '"', '\\':
				b.WriteByte(s[i])
			default:
				return "", "", textEnvEscape
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", textEnvUnclosed
}
