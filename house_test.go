package kervan_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/kervan-mcp/kervan"

// TestImportGraph asserts the table of docs/architecture.md, which is the
// design's.
func TestImportGraph(t *testing.T) {
	allowed := importTable(t)
	seen := map[string]bool{}
	for _, file := range goFiles(t, ".", false) {
		dir := filepath.ToSlash(filepath.Dir(file))
		may, ok := allowed[dir]
		if !ok {
			if strings.HasPrefix(dir, "examples/") || strings.HasPrefix(dir, "cmd/") {
				continue
			}
			t.Errorf("%s: package %q is missing in the table of docs/architecture.md", file, dir)
			continue
		}
		seen[dir] = true
		for _, imp := range importsOf(t, file) {
			rel, ours := strings.CutPrefix(imp, module)
			if !ours {
				continue
			}
			rel = strings.TrimPrefix(rel, "/")
			if rel == "" {
				rel = "."
			}
			if !slices.Contains(may, rel) {
				t.Errorf("%s imports %q, which the table does not allow", file, rel)
			}
		}
	}
	for dir := range allowed {
		if !seen[dir] {
			t.Errorf("the table names %q, which has no Go files", dir)
		}
	}
}

func importTable(t *testing.T) map[string][]string {
	t.Helper()
	data, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(data), "## Who may import whom")
	if !found {
		t.Fatal("docs/architecture.md has no import table")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	code := regexp.MustCompile("`([^`]+)`")
	table := map[string][]string{}
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 2 || !strings.Contains(cells[0], "`") {
			continue
		}
		name := code.FindStringSubmatch(cells[0])[1]
		table[name] = nil
		for _, m := range code.FindAllStringSubmatch(cells[1], -1) {
			table[name] = append(table[name], m[1])
		}
	}
	if len(table) < 5 {
		t.Fatalf("the import table was not understood: %v", table)
	}
	return table
}

// TestExportedNames holds the root package to 120 exported names, all of them
// documented. Fields are not counted.
func TestExportedNames(t *testing.T) {
	const limit = 120
	count := 0
	for _, dir := range []string{".", "transport", "kerventest", "spec", "guard", "sandbox"} {
		for _, file := range goFiles(t, dir, true) {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for name, documented := range exportedOf(f) {
				if !documented {
					t.Errorf("%s: %s has no doc comment", file, name)
				}
				if dir == "." {
					count++
				}
			}
		}
	}
	t.Logf("%d exported names in the root package", count)
	if count > limit {
		t.Errorf("the root package exports %d names; at most %d", count, limit)
	}
}

// exportedOf returns the exported names of a file and whether each has a doc
// comment. A constant is documented by itself, its line, or its group.
func exportedOf(f *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			recv := receiver(d)
			if d.Name.IsExported() && (recv == "" || ast.IsExported(recv)) {
				names[recv+"."+d.Name.Name] = d.Doc != nil
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						names[s.Name.Name] = d.Doc != nil || s.Doc != nil
						if it, ok := s.Type.(*ast.InterfaceType); ok {
							for _, m := range it.Methods.List {
								if len(m.Names) == 1 && m.Names[0].IsExported() {
									names[s.Name.Name+"."+m.Names[0].Name] = m.Doc != nil || m.Comment != nil
								}
							}
						}
					}
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if n.IsExported() {
							names[n.Name] = d.Doc != nil || s.Doc != nil || s.Comment != nil
						}
					}
				}
			}
		}
	}
	return names
}

func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	e := d.Recv.List[0].Type
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// TestFileSizes keeps files readable: a file is a concept.
func TestFileSizes(t *testing.T) {
	const limit = 500
	for _, file := range goFiles(t, ".", false) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(data), "\n"); n > limit {
			t.Errorf("%s has %d lines; part it, at most %d", file, n, limit)
		}
	}
}

// TestNoStdout keeps the library from printing: stdout belongs to the
// protocol.
func TestNoStdout(t *testing.T) {
	banned := regexp.MustCompile(`\bfmt\.Print|\bprintln\(|\blog\.(Print|Fatal|Panic)|\bos\.Exit\(`)
	for _, file := range goFiles(t, ".", false) {
		if isProgram(file) {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(data), "\n") {
			if code, _, _ := strings.Cut(line, "//"); banned.MatchString(code) {
				t.Errorf("%s:%d: %s", file, i+1, strings.TrimSpace(line))
			}
		}
	}
}

// TestNoSkips: what a test needs is provided by .ci/run, so none is skipped.
func TestNoSkips(t *testing.T) {
	skip := regexp.MustCompile(`\.Skip(f|Now)?\(`)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && path != "house_test.go" && skip.Match(data) {
			t.Errorf("%s skips a test; build tags part what belongs to one system", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// isProgram reports whether a file belongs to a command, which may print.
func isProgram(file string) bool {
	for _, dir := range []string{"cmd", "examples", "internal/rulesoff", "internal/conformance", "internal/soak"} {
		if strings.HasPrefix(filepath.ToSlash(file), dir+"/") {
			return true
		}
	}
	return false
}

// goFiles lists the non-test Go files under dir, or directly in it.
func goFiles(t *testing.T, dir string, flat bool) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != dir && (flat || strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); path != "." && err == nil {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func importsOf(t *testing.T, file string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var imports []string
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		imports = append(imports, path)
	}
	return imports
}
