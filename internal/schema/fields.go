package schema

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// A structField is a field that the codec reads and writes.
type structField struct {
	name       string // in JSON
	path       string // of Go fields, for messages
	typ        reflect.Type
	tag        reflect.StructTag
	index      []int
	named      bool // by its tag
	quoted     bool // the json option string
	omitted    bool // Encode may leave it out
	viaPointer bool // it belongs to an embedded pointer
}

// structFields returns the fields of a struct by the rules of encoding/json: those of embedded structs count as its
// own; of fields with one name the least nested wins, then the one named by its tag, and otherwise none does.
func structFields(t reflect.Type, d Direction, path string) ([]structField, error) {
	c := fieldCollector{dir: d, seen: map[reflect.Type]bool{t: true}}
	c.queue = []embedded{{typ: t, path: path, descend: true}}
	for len(c.queue) > 0 {
		next := c.queue[0]
		c.queue = c.queue[1:]
		if err := c.collect(next); err != nil {
			return nil, err
		}
	}
	return dominant(c.fields), nil
}

// An embedded is a struct whose fields are to be collected.
type embedded struct {
	typ        reflect.Type
	path       string
	index      []int
	viaPointer bool
	descend    bool // its own embedded structs count too: false for the second occurrence of a type
}

type fieldCollector struct {
	dir    Direction
	fields []structField
	queue  []embedded
	seen   map[reflect.Type]bool
}

func (c *fieldCollector) collect(e embedded) error {
	for i := range e.typ.NumField() {
		sf := e.typ.Field(i)
		if sf.Tag.Get("json") == "-" || !sf.IsExported() && !sf.Anonymous {
			continue
		}
		f := structField{
			name:       sf.Name,
			path:       e.path + "." + sf.Name,
			typ:        sf.Type,
			tag:        sf.Tag,
			index:      append(slices.Clone(e.index), i),
			viaPointer: e.viaPointer,
		}
		if err := f.readJSONTag(); err != nil {
			return err
		}
		if err := c.add(f, sf, e); err != nil {
			return err
		}
	}
	return nil
}

func (c *fieldCollector) add(f structField, sf reflect.StructField, e embedded) error {
	target, isPointer := sf.Type, false
	if target.Kind() == reflect.Pointer && target.Name() == "" {
		target, isPointer = target.Elem(), true
	}
	isStruct := target.Kind() == reflect.Struct
	switch {
	case !sf.Anonymous, sf.IsExported() && (f.named || !isStruct):
		c.fields = append(c.fields, f)
		return nil
	case !isStruct:
		return nil
	case f.named:
		return &Error{Pointer: f.path, Message: goMsgHiddenName, Hint: goHintHidden}
	case isPointer && !sf.IsExported() && c.dir == Input:
		return &Error{Pointer: f.path, Message: goMsgHiddenPointer, Hint: goHintHidden}
	}
	if e.descend {
		c.queue = append(c.queue, embedded{
			typ:        target,
			path:       f.path,
			index:      f.index,
			viaPointer: e.viaPointer || isPointer,
			descend:    !c.seen[target],
		})
	}
	c.seen[target] = true
	return nil
}

// readJSONTag reads the name and the options of the json tag.
func (f *structField) readJSONTag() error {
	text, ok := f.tag.Lookup("json")
	if !ok {
		if strings.Contains(string(f.tag), "json:") && !strings.Contains(string(f.tag), `"`) {
			return &Error{Pointer: f.path, Message: goMsgBadTag, Hint: goHintBadTag}
		}
		return nil
	}
	name, options, _ := strings.Cut(text, ",")
	if strings.ContainsAny(name, "\\'\"`") {
		return &Error{Pointer: f.path, Message: goMsgJSONName(name), Hint: goHintJSONName}
	}
	if name != "" {
		f.name, f.named = name, true
	}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "":
		case "omitempty", "omitzero":
			f.omitted = true
		case "string":
			f.quoted = true
		default:
			return &Error{Pointer: f.path, Message: goMsgJSONOption(option), Hint: goHintJSONOption}
		}
	}
	return nil
}

// dominant picks the field of each name, in the order of declaration.
func dominant(fields []structField) []structField {
	slices.SortStableFunc(fields, func(a, b structField) int {
		return cmp.Or(strings.Compare(a.name, b.name), len(a.index)-len(b.index), rankNamed(a)-rankNamed(b))
	})
	var kept []structField
	for len(fields) > 0 {
		n := 1
		for n < len(fields) && fields[n].name == fields[0].name {
			n++
		}
		if n == 1 || len(fields[0].index) != len(fields[1].index) || fields[0].named != fields[1].named {
			kept = append(kept, fields[0])
		}
		fields = fields[n:]
	}
	slices.SortFunc(kept, func(a, b structField) int { return slices.Compare(a.index, b.index) })
	return kept
}

func rankNamed(f structField) int {
	if f.named {
		return 0
	}
	return 1
}
