package spec

import (
	"context"
	"io"
	"io/fs"
	"os"
)

// Load reads a kervan.yaml. It fetches nothing; only the source of the secrets
// may reach a network of its own.
//
// The checks run in stages: size, YAML, structure, meaning, secrets. Each
// reports all it finds, and the first that finds an error is the last: then the
// error is a *[LoadError]. Another error is one of the options. A Spec must be
// closed when it is not needed any more.
func Load(ctx context.Context, data []byte, o Options) (*Spec, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	s := &issues{}
	if len(data) > maxFileSize {
		s.add(&node{}, textTooLarge)
		return nil, s.failure(o)
	}
	tree := parseYAML(data, s)
	if s.errors > 0 {
		return nil, s.failure(o)
	}
	return build(ctx, tree, o)
}

// build runs the stages that follow on reading.
func build(ctx context.Context, tree *node, o Options) (*Spec, error) {
	s := &issues{}
	if checkStructure(tree, s); s.errors > 0 {
		return nil, s.failure(o, Issue{Message: textMoreChecks, Severity: SeverityNote})
	}
	doc := checkMeaning(tree, o, s)
	if s.errors > 0 {
		return nil, s.failure(o)
	}
	spec, err := newSpec(doc, o)
	if err != nil {
		return nil, err
	}
	if spec.runtime.learn(ctx, doc, o, s); s.errors > 0 {
		_ = spec.Close()
		return nil, s.failure(o)
	}
	spec.warnOfBlocked(s)
	spec.warnings = s.sorted()
	for _, t := range spec.tools {
		t.forget()
	}
	return spec, nil
}

// failure is the error of a stage. It leaves warnings out: what is said not to
// be used may stand where a problem is.
func (s *issues) failure(o Options, more ...Issue) *LoadError {
	e := &LoadError{File: o.Name}
	if e.File == "" {
		e.File = defaultFile
	}
	for _, i := range s.sorted() {
		if i.Severity != SeverityWarning {
			e.Issues = append(e.Issues, i)
		}
	}
	e.Issues = append(e.Issues, more...)
	return e
}

// defaultFile is what errors call a file without a name.
const defaultFile = "kervan.yaml"

// LoadFile is [Load] of a file.
func LoadFile(ctx context.Context, path string, o Options) (*Spec, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return loadFrom(ctx, f, path, o)
}

// LoadFS is [Load] of a file in fsys, such as an embedded one.
func LoadFS(ctx context.Context, fsys fs.FS, name string, o Options) (*Spec, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	return loadFrom(ctx, f, name, o)
}

func loadFrom(ctx context.Context, f io.ReadCloser, path string, o Options) (*Spec, error) {
	data, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	_ = f.Close() // it was only read
	if err != nil {
		return nil, unreadable(path, err)
	}
	if o.Name == "" {
		o.Name = path
	}
	return Load(ctx, data, o)
}
