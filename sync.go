package kervan

import (
	"errors"
	"slices"
)

// Sync makes the tools of owner exactly defs, in this order, as one change:
// all of them or, with an error, none. It is for what keeps a set of tools up
// to date, such as a file that is read again.
//
// A definition that owner registered before keeps its [RegisteredTool]; any
// other takes the place of owner's tool of that name. What owner had and defs
// lack is removed, and with no defs all of it. Owner is any comparable value but
// nil, found again in [ToolInfo].Owner; clients never see it. The errors,
// joined, are of type *[DefinitionError]; a name of another owner's tool is
// [DuplicateTool].
func (r *MemoryRegistry) Sync(owner any, defs ...*ToolDef) error {
	if owner == nil {
		return &DefinitionError{Code: InvalidAppOptions, Message: "Sync was given no owner", Hint: "give it a value that names what the tools come from"}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.Tools()
	owned, fresh, err := r.compileFor(owner, defs, before)
	if err != nil {
		return err
	}
	if after := arrange(before, owned, owner); !slices.Equal(before, after) {
		r.take(fresh)
		r.publish(after)
	}
	return nil
}

// compileFor returns the tools of defs, those of before where the definition
// is the same, and which definitions are new.
func (r *MemoryRegistry) compileFor(owner any, defs []*ToolDef, before []*RegisteredTool) (tools []*RegisteredTool, fresh []*ToolDef, err error) {
	var errs []error
	for _, d := range defs {
		if i := slices.IndexFunc(before, func(t *RegisteredTool) bool { return t.def == d && t.info.Owner == owner }); i >= 0 {
			tools = append(tools, before[i])
			continue
		}
		t, err := compile(d, &r.schemas)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		t.info.Owner = owner
		tools, fresh = append(tools, t), append(fresh, d)
	}
	for i, t := range tools {
		foreign := slices.ContainsFunc(before, func(b *RegisteredTool) bool {
			return b.info.Name == t.info.Name && b.info.Owner != owner
		})
		if foreign || indexOf(tools[:i], t.info.Name) >= 0 {
			errs = append(errs, nameTaken(t.info.Name))
		}
	}
	if len(errs) == 1 {
		return nil, nil, errs[0]
	}
	return tools, fresh, errors.Join(errs...)
}

// arrange puts owner's tools where owner had tools before, in their own
// order, and the rest of them behind the last of those places.
func arrange(before, owned []*RegisteredTool, owner any) []*RegisteredTool {
	last := len(before)
	for i, t := range before {
		if t.info.Owner == owner {
			last = i + 1
		}
	}
	after := make([]*RegisteredTool, 0, len(before)+len(owned))
	for _, t := range before[:last] {
		switch {
		case t.info.Owner != owner:
			after = append(after, t)
		case len(owned) > 0:
			after, owned = append(after, owned[0]), owned[1:]
		}
	}
	after = append(after, owned...)
	return append(after, before[last:]...)
}
