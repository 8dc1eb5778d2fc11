package schema

import (
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
)

// findRecursion finds the types at which every cycle of types is cut.
func (w *typeWalker) findRecursion(root reflect.Type) {
	const (
		active = 1
		done   = 2
	)
	state := map[reflect.Type]int{}
	var visit func(t reflect.Type)
	visit = func(t reflect.Type) {
		switch state[t] {
		case active:
			w.recursive[t] = true
			return
		case done:
			return
		}
		state[t] = active
		for _, child := range w.children(t) {
			visit(child)
		}
		state[t] = done
	}
	visit(root)
}

// children returns the types whose schemas stand inside that of t.
func (w *typeWalker) children(t reflect.Type) []reflect.Type {
	if t.Kind() == reflect.Pointer {
		return []reflect.Type{t.Elem()}
	}
	if hasSchemaMethod(t) || knownType(t) != nil || isOpaque(t, w.dir) || isText(t, w.dir) {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return []reflect.Type{t.Elem()}
	case reflect.Struct:
		fields, _ := structFields(t, w.dir, "") // an error shows itself again when the schema is made
		types := make([]reflect.Type, len(fields))
		for i, f := range fields {
			types[i] = f.typ
		}
		return types
	}
	return nil
}

// reference returns a reference to the definition of a recursive type, and makes the definition when it is the first.
func (w *typeWalker) reference(t reflect.Type, at goPlace) (*jsonschema.Schema, error) {
	if e, ok := at.limits.first(); ok {
		return nil, unfit(at.path, e, "recursive "+t.Kind().String())
	}
	name, ok := w.defNames[t]
	if !ok {
		name = w.uniqueDef(defName(t.Name()))
		w.defNames[t] = name
		w.defs[name] = &jsonschema.Schema{}
		body, err := w.body(t, goPlace{path: at.path})
		if err != nil {
			return nil, err
		}
		w.defs[name] = body
	}
	return &jsonschema.Schema{Ref: localDefs + name}, nil
}

// uniqueDef returns the name, or with a number after it when two types share the name.
func (w *typeWalker) uniqueDef(name string) string {
	unique := name
	for n := uint64(2); w.defs[unique] != nil; n++ {
		unique = name + "_" + itoa(n)
	}
	w.defs[unique] = &jsonschema.Schema{} // taken
	return unique
}

// defName turns the name of a Go type into one that needs no escaping in a reference: Node[example.com/a.Item] is
// Node_Item.
func defName(name string) string {
	mapped := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', r == '.':
			return r
		case r == ']':
			return -1
		}
		return '_'
	}, shortName(name))
	if mapped == "" {
		return "Type"
	}
	return mapped
}

// shortName drops the package paths from the type arguments in a type's name.
func shortName(name string) string {
	var b strings.Builder
	start := 0
	for i := 0; i <= len(name); i++ {
		if i < len(name) && !strings.ContainsRune("[],*{} ", rune(name[i])) {
			continue
		}
		word := name[start:i]
		if dot := strings.LastIndexByte(word, '.'); dot >= 0 {
			word = word[dot+1:]
		}
		word, _, _ = strings.Cut(word, "·") // the number of a type that is local to a function
		b.WriteString(word)
		if i < len(name) {
			b.WriteByte(name[i])
		}
		start = i + 1
	}
	return b.String()
}
