package schema

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
)

type (
	schemaMethod interface{ JSONSchema() *jsonschema.Schema }
	extendMethod interface{ JSONSchemaExtend(*jsonschema.Schema) }
)

var schemaMethods = []reflect.Type{reflect.TypeFor[schemaMethod]()}

func hasSchemaMethod(t reflect.Type) bool { return hasMethods(t, schemaMethods) }

const localDefs = "#/$defs/"

// own returns the schema that a type's JSONSchema method gives. Its definitions move to the root, under names that
// nothing else has.
func (w *typeWalker) own(t reflect.Type, path string) (s *jsonschema.Schema, err error) {
	defer func() {
		if r := recover(); r != nil {
			s, err = nil, &Error{Pointer: path, Message: goMsgSchemaMethod(r)}
		}
	}()
	given := reflect.New(t).Interface().(schemaMethod).JSONSchema()
	if given == nil {
		return &jsonschema.Schema{}, nil
	}
	if ref := foreignRef(given, map[*jsonschema.Schema]bool{}); ref != "" {
		return nil, &Error{Pointer: path, Message: goMsgSchemaMethod(fmt.Sprintf("$ref %q leads out of it", clipTag(ref)))}
	}
	rename := map[string]string{}
	for name := range given.Definitions {
		rename[localDefs+name] = localDefs + w.uniqueDef(defName(name))
	}
	for name, d := range given.Definitions {
		body := w.copyOwn(d, rename)
		w.defs[strings.TrimPrefix(rename[localDefs+name], localDefs)] = body
	}
	top := given
	for range len(given.Definitions) { // {"$ref":"#/$defs/T","$defs":{…}}, as a reflector makes it
		target, ok := given.Definitions[strings.TrimPrefix(top.Ref, localDefs)]
		if !ok || !strings.HasPrefix(top.Ref, localDefs) {
			break
		}
		top = target
	}
	return w.copyOwn(top, rename), nil
}

// copyOwn copies the top of a schema that belongs to someone else, so that tags can be added to it.
func (w *typeWalker) copyOwn(s *jsonschema.Schema, rename map[string]string) *jsonschema.Schema {
	c := *s
	c.Version, c.ID, c.Definitions = "", "", nil
	if s.Extras != nil {
		c.Extras = make(map[string]any, len(s.Extras))
		for k, v := range s.Extras {
			c.Extras[k] = v
		}
	}
	w.renames[&c] = rename
	return &c
}

// foreignRef returns a reference that would mean something else once the schema stands inside another.
func foreignRef(root *jsonschema.Schema, seen map[*jsonschema.Schema]bool) string {
	found := ""
	var visit func(s *jsonschema.Schema)
	visit = func(s *jsonschema.Schema) {
		if s == nil || seen[s] || found != "" {
			return
		}
		seen[s] = true
		if s.Ref != "" && root.Definitions[strings.TrimPrefix(s.Ref, localDefs)] == nil {
			found = s.Ref
			return
		}
		if s != root && len(s.Definitions) > 0 {
			found = "$defs below the root"
			return
		}
		eachSubschema(s, visit)
	}
	visit(root)
	return found
}

func eachSubschema(s *jsonschema.Schema, visit func(*jsonschema.Schema)) {
	value := reflect.ValueOf(s).Elem()
	for _, k := range schemaWords {
		switch v := value.Field(k.index).Interface().(type) {
		case *jsonschema.Schema:
			visit(v)
		case []*jsonschema.Schema:
			for _, each := range v {
				visit(each)
			}
		case map[string]*jsonschema.Schema:
			for _, each := range v {
				visit(each)
			}
		case jsonschema.Definitions:
			for _, each := range v {
				visit(each)
			}
		}
	}
	if s.Properties != nil {
		for pair := s.Properties.Oldest(); pair != nil; pair = pair.Next() {
			visit(pair.Value)
		}
	}
}

// extend lets a type amend its schema.
func extend(t reflect.Type, s *jsonschema.Schema, path string) (err error) {
	if t.Kind() == reflect.Interface || t.Kind() == reflect.Pointer {
		return nil
	}
	method, ok := reflect.New(t).Interface().(extendMethod)
	if !ok {
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = &Error{Pointer: path, Message: goMsgSchemaMethod(r)}
		}
	}()
	method.JSONSchemaExtend(s)
	return nil
}
